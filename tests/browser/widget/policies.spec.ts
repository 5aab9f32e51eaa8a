// Strict policies, refused WebAssembly, missing files: the page stays whole and nothing is allowed.

import { expect, test } from "./support/shop.ts";

const strict = (script: string) =>
  `default-src 'none'; script-src 'self' {cdn} {api} ${script}; style-src 'none'; connect-src {api} {cdn}; require-trusted-types-for 'script'; trusted-types placet`;

for (const delivery of ["bundle", "generic"] as const) {
  for (const [name, script] of [["WebAssembly", "'wasm-unsafe-eval'"], ["no WebAssembly", ""]] as const) {
    test(`a strict policy with ${name}: ${delivery}`, async ({ page, shop, banner }) => {
      const violations: string[] = [];
      await page.exposeFunction("violated", (text: string) => violations.push(text));
      await page.addInitScript(() =>
        document.addEventListener("securitypolicyviolation", (event) =>
          (window as any).violated(`${event.violatedDirective} ${event.blockedURI}`),
        ),
      );
      const body = `<script type="text/plain" data-requires-vendor-consent="stats" src="/stats.js"></script>`;
      shop.script("/stats.js", "window.ran=['stats']");
      await page.goto(shop.page({ delivery, body, headers: { "Content-Security-Policy": strict(script) } }));
      await expect(banner.part("accept")).toBeVisible();
      // Styled, by a constructed sheet.
      expect(await banner.dialog.evaluate((element) => getComputedStyle(element).position)).toBe("fixed");
      await banner.part("configure").click();
      await banner.toggle("stats").click();
      for (let step = 0; step < 3; step++) await banner.part("next").click();
      await expect.poll(() => shop.stored.length).toBe(1);
      await expect.poll(() => page.evaluate(() => (window as any).ran)).toEqual(["stats"]);
      expect(await banner.choice()).toMatchObject({ stats: true, ads: false });
      const wasm = violations.filter((text) => text.includes("wasm"));
      expect(violations.filter((text) => !text.includes("wasm") && !text.includes("favicon"))).toEqual([]);
      expect(wasm.length > 0).toBe(script === "");
      await page.reload();
      await expect(banner.part("reopen")).toBeVisible();
    });
  }
}

test("without WebAssembly at all the JavaScript form does the same", async ({ page, shop, banner }) => {
  await page.addInitScript(() => delete (window as any).WebAssembly);
  await page.goto(shop.page());
  await banner.part("accept").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  expect(shop.requests.some((url) => /\/sdk\/core\.[0-9a-f]{16}\.js$/.test(url))).toBe(true);
});

test.describe("the page stays whole", () => {
  const gated = `<script type="text/plain" data-requires-vendor-consent="stats">window.ran=1</script>`;

  for (const [name, settings, path] of [
    ["the payload is missing", {}, "/shop/shop-en.payload"],
    ["the configuration is unknown", { cookiesVersion: "nothing" }, "/shop/nothing.payload"],
    ["the project is unknown", { clientId: "nobody" }, "/nobody/shop-en.payload"],
    ["the project is unknown, and no configuration is named", { clientId: "nobody", cookiesVersion: null }, "/nobody/index.json"],
  ] as const) {
    test(name, async ({ page, shop }) => {
      shop.missing.add("/shop/shop-en.payload");
      const said: string[] = [];
      const errors: string[] = [];
      page.on("console", (message) => said.push(message.text()));
      page.on("pageerror", (error) => errors.push(error.message));
      await page.goto(shop.page({ delivery: "generic", settings, body: gated }));
      await expect.poll(() => said.filter((text) => text.startsWith("Placet:"))).toEqual([
        expect.stringContaining(`${path} answered 404`),
      ]);
      expect(errors).toEqual([]);
      expect(await page.evaluate(() => [(window as any).ran, document.querySelector("#placet"), (window as any).placetSDK])).toEqual([undefined, null, undefined]);
      await expect(page.locator("#before")).toBeEnabled();
    });
  }

  test("the network fails", async ({ page, shop }) => {
    const said: string[] = [];
    const errors: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => errors.push(error.message));
    await page.route("**/shop-en.payload", (route) => route.abort());
    await page.goto(shop.page({ delivery: "generic", body: gated }));
    await expect.poll(() => said.filter((text) => text.startsWith("Placet:")).length).toBe(1);
    expect(errors).toEqual([]);
    expect(await page.evaluate(() => (window as any).ran)).toBeUndefined();
  });

  test("the module and its JavaScript form are missing", async ({ page, shop }) => {
    const said: string[] = [];
    const errors: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => errors.push(error.message));
    await page.route("**/sdk/core.*", (route) => route.abort());
    await page.goto(shop.page({ delivery: "generic", body: gated }));
    await expect.poll(() => said.filter((text) => text.startsWith("Placet:")).length).toBe(1);
    expect(errors).toEqual([]);
  });

  test("the bundle is missing, or its configuration is gone", async ({ page, shop }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    shop.missing.add("/shop/shop-en.js");
    await page.goto(shop.page({ body: gated }), { waitUntil: "networkidle" });
    expect(await page.evaluate(() => [(window as any).ran, (window as any).placetSDK])).toEqual([undefined, undefined]);
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(shop.page({ settings: { cookiesVersion: "gone" }, body: gated }));
    await expect.poll(() => said.filter((text) => text.startsWith("Placet:"))).toEqual([expect.stringContaining("no longer published")]);
    expect(errors).toEqual([]);
  });

  test("the snippet stands on the page twice", async ({ page, shop, banner }) => {
    await page.goto(shop.page({ head: `<script async src="${shop.cdnUrl}/shop/shop-en.js"></script>` }));
    await expect(banner.dialog).toHaveCount(1);
    await banner.part("accept").click();
    await expect.poll(() => shop.stored.length).toBe(1);
    expect(shop.posts).toHaveLength(1);
  });
});
