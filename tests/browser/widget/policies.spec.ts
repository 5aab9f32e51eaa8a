// Strict policies, refused WebAssembly, missing files: the page keeps working and no vendor is allowed.

import type { Page } from "@playwright/test";
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
      // The styles apply, from a constructed sheet.
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
      // The JavaScript build is loaded only where the module is refused.
      const plain = () => shop.requests.filter((url) => /\/sdk\/core\.[0-9a-f]+\.js$/.test(url));
      expect(plain()).toHaveLength(script ? 0 : 1);
      await banner.saved();
      await page.reload();
      await expect(banner.part("reopen")).toBeVisible();
      expect(plain()).toHaveLength(script ? 0 : 2);
    });
  }
}

/** Violations of a page's policy, without the icon that the browser requests by itself. */
async function violations(page: Page): Promise<string[]> {
  const seen: string[] = [];
  await page.exposeFunction("violated", (text: string) => /favicon/.test(text) || seen.push(text));
  await page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (event) => (window as any).violated(`${event.violatedDirective} ${event.blockedURI}`)),
  );
  return seen;
}

// Policies without any script origin: each script carries the nonce, also later ones.
for (const delivery of ["bundle", "generic"] as const) {
  for (const [name, script] of [["WebAssembly", "'wasm-unsafe-eval'"], ["no WebAssembly", ""]] as const) {
    test(`a policy of nonces alone, with ${name}, from accepting to taking back: ${delivery}`, async ({ page, context, shop, banner }) => {
      const seen = await violations(page);
      const settings = { clientId: "notices", cookiesVersion: "soft" };
      const src = delivery === "bundle" ? `${shop.cdnUrl}/notices/soft.js` : `${shop.apiUrl}/sdk.js`;
      const head = `<script nonce="n1" src="/settings.js"></script><script nonce="n1" async src="${src}"></script>`;
      const gated = (nonce: string) => `<script type="text/plain" ${nonce} data-requires-vendor-consent="stats" src="/stats.js"></script>`;
      const inline = `<script type="text/plain" nonce="n1" data-requires-vendor-consent="stats">window.inline=1</script>`;
      shop.script("/stats.js", `window.ran=(window.ran||0)+1;document.cookie="_nw=1;path=/"`);
      await page.goto(shop.page({
        delivery: "none", head, settings, body: gated(`nonce="n1"`) + gated("") + inline,
        headers: { "Content-Security-Policy": `default-src 'none'; script-src 'nonce-n1' ${script}; style-src 'none'; connect-src {api} {cdn}; require-trusted-types-for 'script'; trusted-types placet` },
      }));
      await banner.part("accept").click();
      await expect.poll(() => page.evaluate(() => [(window as any).ran, (window as any).inline])).toEqual([1, 1]);
      await banner.saved();
      // The browser refuses the script without the nonce, and none of the SDK's.
      expect(seen.filter((text) => !text.includes("wasm")).every((text) => text.endsWith("/stats.js"))).toBe(true);
      expect(seen.some((text) => text.includes("wasm"))).toBe(script === "");
      const before = seen.length;
      await banner.part("reopen").click();
      await banner.part("refuse").click();
      await expect(page.locator("#placet-changed [part=reload]")).toBeVisible();
      expect(await page.locator("#placet-changed [part=changed]").evaluate((note) => getComputedStyle(note).position)).toBe("fixed");
      expect((await context.cookies()).map((cookie) => cookie.name)).not.toContain("_nw");
      expect(seen.slice(before)).toEqual([]);
    });
  }
}

for (const [name, script] of [["WebAssembly", "'wasm-unsafe-eval'"], ["no WebAssembly", ""]] as const) {
  test(`taking back under Trusted Types and a strict policy, with ${name}`, async ({ page, context, shop, banner }) => {
    const seen = await violations(page);
    shop.script("/stats.js", `document.cookie="_nw=1;path=/"`);
    const body = `<script type="text/plain" data-requires-vendor-consent="stats" src="/stats.js"></script>`;
    const names = async () => (await context.cookies()).map((cookie) => cookie.name);
    await page.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "soft" }, body, headers: { "Content-Security-Policy": strict(script) } }));
    await banner.part("accept").click();
    await expect.poll(names).toContain("_nw");
    await banner.saved();
    await banner.part("reopen").click();
    await banner.part("refuse").click();
    await expect(page.locator("#placet-changed [part=reload]")).toBeVisible();
    expect(await names()).not.toContain("_nw");
    expect(seen.filter((text) => !text.includes("wasm"))).toEqual([]);
    await page.locator("#placet-changed [part=reload]").click();
    await expect(page.locator("#placet-changed")).toHaveCount(0);
    await expect(banner.part("reopen")).toBeVisible();
  });
}

for (const delivery of ["bundle", "generic"] as const) {
  test(`a policy that forbids the SDK's name for Trusted Types is named, and nothing is allowed: ${delivery}`, async ({ page, shop, banner }) => {
    const said: string[] = [];
    page.on("console", (message) => message.text().startsWith("Placet") && said.push(message.text()));
    const body = `<script type="text/plain" data-requires-vendor-consent="stats">window.ran=1</script>`;
    const headers = { "Content-Security-Policy": "require-trusted-types-for 'script'; trusted-types another" };
    await page.goto(shop.page({ delivery, body, headers }));
    await expect.poll(() => said).toEqual(["Placet: no markup: trusted-types or XHTML. Nothing is allowed."]);
    expect(await page.evaluate(() => [(window as any).ran, (window as any).placetSDK])).toEqual([undefined, undefined]);
    await expect(banner.dialog).toHaveCount(0);
    // A site whose own policy takes the SDK's markup needs no other.
    const head = `<script>trustedTypes.createPolicy("default",{createHTML:(one)=>one,createScriptURL:(one)=>one,createScript:(one)=>one})</script>`;
    said.length = 0;
    await page.goto(shop.page({ delivery, body, head, headers: { "Content-Security-Policy": "require-trusted-types-for 'script'; trusted-types default" } }));
    await banner.part("accept").click();
    await expect.poll(() => page.evaluate(() => (window as any).ran)).toBe(1);
    expect(said).toEqual([]);
  });
}

test("without WebAssembly at all the JavaScript form does the same", async ({ page, shop, banner }) => {
  await page.addInitScript(() => delete (window as any).WebAssembly);
  await page.goto(shop.page());
  await banner.part("accept").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  expect(shop.requests.some((url) => /\/sdk\/core\.[0-9a-f]+\.js$/.test(url))).toBe(true);
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

test.describe("what travels", () => {
  const tongues: Record<string, string> = { fr: "Tout accepter", de: "Alle akzeptieren", en: "Accept all", fi: "Hyväksy kaikki" };

  for (const delivery of ["bundle", "generic"] as const) {
    test(`the language used, and no other: ${delivery}`, async ({ page, shop, banner }) => {
      const bodies: Promise<string>[] = [];
      page.on("response", (response) => {
        if (![shop.site].includes(new URL(response.url()).origin) && response.request().method() === "GET") bodies.push(response.text().catch(() => ""));
      });
      const settings = { clientId: "tongues", cookiesVersion: delivery === "bundle" ? "in-fr" : null };
      await page.goto(shop.page({ delivery, settings, lang: "fr" }));
      await expect(banner.part("accept")).toHaveText(tongues.fr ?? "");
      await banner.part("configure").click();
      await banner.toggle("stats").click();
      await banner.part("next").click();
      await banner.saved();
      // Only the displayed language is loaded, with the details of its services, and the index that finds it.
      await expect.poll(() => shop.requests.some((one) => one.endsWith(".later.json"))).toBe(true);
      const paths = shop.requests.map((one) => one.split(" ")[1] ?? "").filter((url) => url.startsWith(shop.cdnUrl)).map((url) => new URL(url).pathname).filter((path) => !path.startsWith("/sdk/"));
      expect(paths.sort()).toEqual(delivery === "bundle" ? ["/tongues/in-fr.js", "/tongues/in-fr.later.json"] : ["/tongues/in-fr.later.json", "/tongues/in-fr.payload", "/tongues/index.json"]);
      const all = (await Promise.all(bodies)).join("").replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
      expect(Object.keys(tongues).filter((language) => all.includes(tongues[language] ?? ""))).toEqual(["fr"]);
    });
  }

  test("a returning visitor: one conditional request, not modified, at most 3 KB", async ({ page, shop, banner }) => {
    shop.revalidates = true;
    const url = shop.page();
    await page.goto(url);
    // The pointer on the banner fetches the texts of later layers.
    const texts = page.waitForResponse(/later\.json$/);
    await banner.part("accept").click();
    await banner.saved();
    await texts;
    const idle = () => page.evaluate(() => new Promise((done) => requestIdleCallback(() => setTimeout(done), { timeout: 5_000 })));
    await idle();
    const before = shop.requests.length;
    const client = await page.context().newCDPSession(page);
    await client.send("Network.enable");
    // Events of one request arrive in any order, from several processes of the browser.
    const [urls, statuses, sizes] = [new Map<string, string>(), new Map<string, number>(), new Map<string, number>()];
    client.on("Network.requestWillBeSent", ({ requestId, request }) => urls.set(requestId, request.url));
    client.on("Network.responseReceivedExtraInfo", ({ requestId, statusCode }) => statuses.set(requestId, statusCode));
    client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
    const ours = () => [...urls].filter(([, url]) => !url.startsWith(shop.site)).map(([id, url]) => ({ url, status: statuses.get(id), bytes: sizes.get(id) }));
    shop.conditional.length = 0;
    await page.goto(url);
    await expect.poll(() => banner.events()).toContain("cookies:complete");
    await idle();
    const asked = shop.requests.slice(before).filter((one) => !one.includes(shop.site.replace("localhost", "127.0.0.1")));
    expect(asked).toEqual([`GET ${shop.cdnUrl}/shop/shop-en.js`]);
    expect(shop.conditional).toEqual(["/shop/shop-en.js 304"]);
    await expect.poll(ours).toEqual([{ url: `${shop.cdnUrl}/shop/shop-en.js`, status: 304, bytes: expect.any(Number) }]);
    const bytes = ours()[0]?.bytes ?? 0;
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(3000);
  });
});
