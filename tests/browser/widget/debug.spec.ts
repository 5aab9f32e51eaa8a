// `?placet-debug` shows developers of a site the state of the SDK, also under a strict policy.

import { readFile } from "node:fs/promises";
import { expect, test } from "./support/shop.ts";
import { expectAccessible } from "../support/axe.ts";

const policy = {
  "Content-Security-Policy": `default-src 'none'; script-src 'self' {cdn} {api} 'wasm-unsafe-eval'; style-src 'none'; connect-src {api} {cdn}; require-trusted-types-for 'script'; trusted-types placet`,
};
const panel = "#placet-debug section";

test("it is loaded only on request", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await expect(banner.dialog).toBeVisible();
  await expect(page.locator("#placet-debug")).toHaveCount(0);
  expect(shop.requests.filter((one) => one.includes("/sdk/debug"))).toEqual([]);
});

test("a setting that nobody knows is said", async ({ page, shop }) => {
  const said: string[] = [];
  page.on("console", (message) => message.type() === "error" && message.text().startsWith("Placet") && said.push(message.text()));
  const types = await readFile(new URL("../../../sdk-wasm/npm/index.d.ts", import.meta.url), "utf8");
  const [, settings = ""] = /export interface Settings \{(.*?)\n\}/s.exec(types) ?? [];
  const names = [...settings.matchAll(/^  (\w+)\?:/gm)].map(([, name = ""]) => name);
  expect(names).toContain("allVendorsCookieName");
  const all = Object.fromEntries(names.map((name) => [name, ""]));
  await page.goto(`${shop.page({ settings: { ...all, clientId: "shop", cookiesVersion: "shop-en", allVendorCookieName: "all" } })}?placet-debug`);
  await expect(page.locator(panel)).toContainText("placetSettings has “allVendorCookieName”, which is no setting.");
  expect(said).toEqual([expect.stringContaining("“allVendorCookieName”")]);
});

for (const delivery of ["bundle", "generic"] as const) {
  test(`configuration, state, events, and why something waits, under a strict policy: ${delivery}`, async ({ page, shop, banner }) => {
    const violations: string[] = [];
    await page.exposeFunction("violated", (text: string) => violations.push(text));
    await page.addInitScript(() =>
      document.addEventListener("securitypolicyviolation", (event) => (window as any).violated(`${event.violatedDirective} ${event.blockedURI}`)),
    );
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    for (const name of ["slow", "second", "ads", "wrong", "nobody"]) shop.script(`/${name}.js`, `window.ran=(window.ran||"")+"${name} "`);
    await page.route("**/slow.js", async (route) => {
      await held;
      await route.continue();
    });
    const gated = (vendor: string, name: string, nonce = "n1") =>
      `<script type="text/plain" nonce="${nonce}" data-requires-vendor-consent="${vendor}" src="/${name}.js"></script>`;
    const body =
      gated("stats", "slow") + gated("stats", "second") + gated("ads", "ads") + gated("stats", "wrong", "n2") + gated("nobody", "nobody") +
      `<iframe title="Film" data-requires-vendor-consent="video" data-src="https://video.example/film"></iframe>`;
    const url = shop.page({ delivery, body, settings: { nonce: "n1", token: "visitor-4711" }, headers: policy });
    await page.goto(`${url}?placet-debug`);
    const of = (title: string) =>
      page.locator(panel).evaluate((section, title) => {
        const heading = [...section.querySelectorAll("h2")].find((one) => one.textContent === title);
        return [...(heading?.nextElementSibling?.children ?? [])].map(({ textContent }) => textContent ?? "");
      }, title);
    await expect(page.getByRole("region", { name: "Placet debug" })).toBeVisible();
    expect(await page.locator(panel).evaluate((section) => getComputedStyle(section).position)).toBe("fixed");
    expect(await of("Configuration")).toEqual([
      "project shop",
      "shop-en (en), 01980000-0000-7000-8000-000000000001",
      expect.stringMatching(/^publication [0-9a-f]{64}$/),
      `API ${shop.apiUrl}`,
      expect.stringMatching(/^kept for 180 days; flags \w+$/),
      "Global Privacy Control off",
    ]);
    expect(await of("State")).toEqual(["token visitor-4711", ...["stats", "heat", "ab", "ads", "pixel", "video", "map"].map((vendor) => `✗ ${vendor}`)]);
    const waits = (vendor: string) => `no consent for “${vendor}”`;
    const site = shop.site;
    expect(await of("Gated elements")).toEqual([
      `<script> ${site}/slow.js: ${waits("stats")}`,
      `<script> ${site}/second.js: ${waits("stats")}`,
      `<script> ${site}/ads.js: ${waits("ads")}`,
      `<script> ${site}/wrong.js: ${waits("stats")}`,
      `<script> ${site}/nobody.js: the configuration has no vendor “nobody”`,
      `<iframe> https://video.example/film: ${waits("video")}`,
    ]);
    // It loads after the first events. `ready` is repeated for late listeners.
    await expect.poll(() => of("Events")).toContain("ready");
    await page.locator("#placet [part=configure]").click();
    await expect.poll(() => of("Events")).toContain('cookies:step:change {"step":"audience"}');
    await banner.toggle("stats").click();
    for (let step = 0; step < 3; step++) await banner.part("next").click();
    await expect.poll(() => of("Events")).toContainEqual(expect.stringMatching(/^cookies:complete \{"stats":true,"heat":false,/));
    await expect.poll(() => of("Events")).toContainEqual(expect.stringMatching(/^consent:saved \{.*"visitor-4711"/));
    await expect.poll(async () => (await of("State")).slice(0, 3)).toEqual(["token visitor-4711", "✓ stats", "✗ heat"]);
    await expect.poll(() => of("Gated elements")).toEqual([
      `<script> ${site}/slow.js: started`,
      `<script> ${site}/second.js: waits for a script before it`,
      `<script> ${site}/ads.js: ${waits("ads")}`,
      `<script> ${site}/wrong.js: its nonce is not that of the settings or of the SDK`,
      `<script> ${site}/nobody.js: the configuration has no vendor “nobody”`,
      `<iframe> https://video.example/film: ${waits("video")}`,
    ]);
    release();
    await expect.poll(async () => (await of("Gated elements"))[1]).toBe(`<script> ${site}/second.js: started`);
    await expect.poll(() => page.evaluate(() => (window as any).ran)).toBe("slow second ");
    await page.evaluate(() => (window as any).placetSDK.setToken("somebody else"));
    expect((await of("State"))[0]).toBe("token somebody else");
    expect((await of("Events")).at(-1)).toBe('token:update "somebody else"');
    await page.getByRole("button", { name: "×" }).or(page.getByRole("button", { name: "Close" })).first().click();
    await expect(page.locator("#placet-debug")).toHaveCount(0);
    expect(violations.filter((text) => !text.includes("favicon"))).toEqual([]);
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing: ${colorScheme}`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${shop.page({ body: `<iframe title="Film" data-requires-vendor-consent="video" data-src="about:blank"></iframe>` })}?placet-debug`);
      await expect(page.locator(panel)).toBeVisible();
      await banner.part("close").click();
      await expectAccessible(page);
    }
  });
}
