// The widget's main journey in Debian's Firefox, driven by WebDriver BiDi, because Playwright only drives its
// own build of Firefox.

import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { cases } from "./support/elsewhere.ts";
import { stub } from "./support/iab.ts";
import { drawn } from "./support/react.ts";
import { expect, test as base } from "./support/shop.ts";
import { ask, early, failing, heard } from "./support/tcfapi.ts";

const test = base.extend<{ tab: Page }, { firefox: Browser }>({
  firefox: [
    async ({}, use) => {
      const browser = await puppeteer.launch({
        browser: "firefox",
        executablePath: process.env.PLACET_FIREFOX ?? "/usr/bin/firefox-esr",
        headless: true,
      });
      await use(browser);
      await browser.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  tab: async ({ firefox }, use) => {
    const context = await firefox.createBrowserContext();
    const page = await context.newPage();
    const errors: string[] = [];
    // Firefox also reports blocked resources and refused cookies here.
    const own = /Content-Security-Policy|Cookie “\w+” has been rejected/;
    page.on("pageerror", (error) => own.test(String(error)) || errors.push(String(error)));
    await use(page);
    // Closing cuts requests off, which Firefox reports as well.
    const met = [...errors];
    await context.close();
    expect(met).toEqual([]);
  },
});

const part = (tab: Page, name: string) => tab.locator(`#placet >>> [part=${name}]`);
const parts = (tab: Page, name: string): Promise<number> =>
  tab.evaluate((name) => document.querySelector("#placet")?.shadowRoot?.querySelectorAll(`[part=${name}]`).length ?? 0, name);
const choice = (tab: Page): Promise<Record<string, unknown>> =>
  tab.evaluate(() => JSON.parse(decodeURIComponent(/placet_cookies=([^;]*)/.exec(document.cookie)?.[1] ?? "{}")));
/** Waits until the page knows that its consent is stored. A page that is left earlier sends it again. */
const saved = (tab: Page) =>
  expect.poll(() => tab.evaluate(() => (window as any).seen.map(([event]: [string]) => event))).toContain("consent:saved");

for (const delivery of ["bundle", "generic"] as const) {
  test(`a choice vendor by vendor is stored, posted, kept and taken back: ${delivery}`, async ({ tab, shop }) => {
    const body = `<script type="text/plain" data-requires-vendor-consent="stats">window.ran=1</script>`;
    const url = shop.page({ delivery, body });
    await tab.goto(url);
    await part(tab, "configure").click();
    await tab.locator("#placet >>> [part=toggle][data-vendor=stats]").click();
    expect(await tab.evaluate(() => (window as any).ran)).toBeUndefined();
    for (let step = 0; step < 3; step++) await part(tab, "next").click();
    await expect.poll(() => shop.stored.length).toBe(1);
    expect(shop.stored[0]?.body).toMatchObject({ accept: false, preferences: { vendors: { stats: true, ads: false } } });
    expect(await choice(tab)).toMatchObject({ stats: true, ads: false, $$completed: true });
    await expect.poll(() => tab.evaluate(() => (window as any).ran)).toBe(1);
    await saved(tab);
    await tab.goto(url);
    await part(tab, "reopen").click();
    await part(tab, "refuse").click();
    await expect.poll(() => shop.stored.length).toBe(2);
    expect(await choice(tab)).toMatchObject({ stats: false });
    expect(await parts(tab, "banner")).toBe(0);
    expect(shop.posts).toHaveLength(2);
    // The last file that the page asks for: a page that is left earlier reports it as blocked.
    await tab.locator("#placet-changed >>> [part=changed]").wait();
  });
}

for (const [name, holds] of Object.entries(cases)) {
  test(name, ({ tab, shop }) =>
    holds(
      {
        goto: (url) => tab.goto(url),
        run: (body, ...values) => tab.evaluate(body, ...values) as Promise<any>,
        press: (part, host = "#placet") => tab.locator(`${host} >>> [part=${part}]`).click(),
        twice: (name) => part(tab, name).click({ count: 2 }),
        key: (name) => tab.keyboard.press(name),
      },
      shop,
    ));
}

test("scripts that React has made by `innerHTML` start in order, and a stranger's never starts", async ({ tab, shop }) => {
  await tab.goto(shop.page({ body: drawn(shop) }));
  await part(tab, "accept").click();
  await expect.poll(() => tab.evaluate(() => (window as any).ran)).toEqual(["inline", "file", "last"]);
  await saved(tab);
});

test("the focus comes into a modal widget and stays in, and Escape stores nothing", async ({ tab, shop }) => {
  await tab.goto(shop.page({ settings: { clientId: "bakery", cookiesVersion: "modal" } }));
  await part(tab, "accept").wait();
  await expect.poll(() => tab.evaluate(() => document.querySelector("#placet")?.shadowRoot?.activeElement?.localName)).toBe("h2");
  for (let presses = 0; presses < 8; presses++) {
    await tab.keyboard.press("Tab");
    // Behind it comes the browser itself.
    expect(["placet", ""]).toContain(await tab.evaluate(() => document.activeElement?.id));
  }
  await tab.evaluate(() => document.querySelector("#placet")?.shadowRoot?.querySelector("h2")?.focus());
  await tab.keyboard.press("Escape");
  await expect.poll(() => parts(tab, "banner")).toBe(0);
  expect(await tab.evaluate(() => [document.cookie, localStorage.length])).toEqual(["", 0]);
  expect(shop.posts).toEqual([]);
});

test("a strict policy that refuses WebAssembly", async ({ tab, shop }) => {
  const policy = "default-src 'none'; script-src 'self' {cdn} {api}; style-src 'none'; connect-src {api} {cdn}";
  await tab.goto(shop.page({ headers: { "Content-Security-Policy": policy } }));
  // Puppeteer checks by `eval` if a button is enabled, which the policy forbids.
  await part(tab, "accept").setWaitForEnabled(false).click();
  await expect.poll(() => shop.stored.length).toBe(1);
});

test("a consent box in a form", async ({ tab, shop }) => {
  const terms = "01980000-0000-7000-8000-000000000041";
  await tab.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "only" }, body: `<form id="order"><div data-placet-contract="${terms}"></div></form>` }));
  await tab.locator("#order input[type=checkbox]").click();
  await expect.poll(() => shop.stored.map(({ path, body }) => [path, body.accept])).toEqual([[`/v1/app/consents/notices/contracts/${terms}`, true]]);
});

test("going back after a choice asks no more", async ({ tab, shop }) => {
  // Puppeteer loses pages from Firefox's back/forward cache. `chromium.spec.ts` tests those.
  const headers = { "Cache-Control": "no-store" };
  shop.page({ headers }, "/next");
  await tab.goto(shop.page({ headers }));
  await part(tab, "accept").wait();
  await tab.goto(`${shop.site}/next`);
  await part(tab, "accept").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  await saved(tab);
  await tab.goBack();
  await part(tab, "reopen").wait();
  expect(await parts(tab, "banner")).toBe(0);
  expect(shop.posts).toHaveLength(1);
});

test("IAB's interface tells of the layer, of the choice, and on the next page", async ({ tab, shop }) => {
  const settings = { clientId: "news", cookiesVersion: "news-few" };
  await tab.goto(shop.page({ settings, head: (await stub()) + early }));
  await expect.poll(() => heard(tab)).toContain("cmpuishown");
  const shown = await ask(tab);
  await part(tab, "accept").click();
  await expect.poll(() => heard(tab)).toContain("useractioncomplete");
  const chosen = await ask(tab);
  await saved(tab);
  await tab.reload();
  await expect.poll(() => heard(tab)).toContain("tcloaded");
  expect(failing({ shown, chosen, loaded: await ask(tab) })).toEqual([]);
});
