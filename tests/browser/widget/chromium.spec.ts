// Behaviour of Chromium that Playwright prevents, by another driver: real prerendering and the real
// back/forward cache.

import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { expect, test as base } from "./support/shop.ts";

const test = base.extend<{ tab: Page }, { chromium: Browser }>({
  chromium: [
    async ({}, use) => {
      const browser = await puppeteer.launch({
        executablePath: process.env.PLACET_CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-quic", "--disable-background-networking"],
        ignoreDefaultArgs: ["--disable-back-forward-cache"],
      });
      await use(browser);
      await browser.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  tab: async ({ chromium }, use) => {
    const context = await chromium.createBrowserContext();
    await use(await context.newPage());
    await context.close();
  },
});

const part = (tab: Page, name: string) => tab.locator(`#placet >>> [part=${name}]`);
const parts = (tab: Page, name: string): Promise<number> =>
  tab.evaluate((name) => document.querySelector("#placet")?.shadowRoot?.querySelectorAll(`[part=${name}]`).length ?? 0, name);
/** Waits until the page knows that its consent is stored. A page that is left earlier sends it again. */
const saved = (tab: Page) =>
  expect.poll(() => tab.evaluate(() => (window as any).seen.map(([event]: [string]) => event))).toContain("consent:saved");

test("a prerendered page asks when it is shown", async ({ tab, shop }) => {
  const rules = `<script type="speculationrules">{"prerender":[{"urls":["/next"],"eagerness":"immediate"}]}</script>`;
  // The page answers and reports by itself, because the driver does not always follow to the prerendered
  // page.
  const note = `<script>
    window.early = 0;
    new MutationObserver(() => { if (document.prerendering && document.querySelector("#placet")) early++; })
      .observe(document, { childList: true, subtree: true });
    document.addEventListener("prerenderingchange", function look() {
      const button = document.querySelector("#placet")?.shadowRoot.querySelector("[part=accept]");
      if (!button) return requestAnimationFrame(look);
      const [navigation] = performance.getEntriesByType("navigation");
      fetch("/told?rendered=" + (navigation.activationStart > 0) + "&early=" + early);
      button.click();
    });
  </script>`;
  shop.page({ head: note }, "/next");
  await tab.goto(shop.page({ head: rules }));
  await part(tab, "accept").wait();
  const bundles = () => shop.requests.filter((url) => url.endsWith("/shop/shop-en.js")).length;
  await expect.poll(bundles).toBe(2);
  await tab.evaluate(() => void (location.href = "/next"));
  await expect.poll(() => shop.stored.length).toBe(1);
  const told = () => shop.requests.filter((url) => url.includes("/told"));
  await expect.poll(told).toEqual([expect.stringContaining("/told?rendered=true&early=0")]);
});

test("a page that comes from the back/forward cache takes over what was chosen", async ({ tab, shop }) => {
  shop.page({}, "/next");
  await tab.goto(shop.page({ head: `<script>addEventListener("pageshow",e=>window.kept=e.persisted)</script>` }));
  await part(tab, "accept").wait();
  await tab.goto(`${shop.site}/next`);
  await part(tab, "accept").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  await saved(tab);
  await tab.goBack();
  await expect.poll(() => tab.evaluate(() => (window as any).kept)).toBe(true);
  await part(tab, "reopen").wait();
  expect(await parts(tab, "banner")).toBe(0);
  expect(shop.posts).toHaveLength(1);
});
