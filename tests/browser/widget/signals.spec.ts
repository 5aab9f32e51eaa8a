// Signals to tags: Google, Microsoft, the data layer, listeners; and signals of the visitor's browser.

import { expect, test } from "./support/shop.ts";

const settings = { cookiesVersion: "shop-signals" };
const head = async (cdn: string) => (await fetch(`${cdn}/shop/shop-signals.head.html`)).text();
const entries = (page: import("@playwright/test").Page, name: string) =>
  page.evaluate((name) => ((window as any)[name] ?? []).map((entry: any) => (entry.length ? Array.from(entry) : entry)), name);

test("the snippet's defaults stand before the first tag, and each choice is told once", async ({ page, shop, banner }) => {
  // A tag that runs while the page is parsed gets the defaults.
  const tag = `<script>window.first=JSON.stringify([dataLayer.map(one=>Array.from(one)),uetq.slice()])</script>`;
  await page.goto(shop.page({ settings, head: (await head(shop.cdnUrl)) + tag }));
  await expect(banner.dialog).toBeVisible();
  const [google, uet] = JSON.parse(await page.evaluate(() => (window as any).first)) as [unknown[][], unknown[]];
  expect(google[0]?.slice(0, 2)).toEqual(["consent", "default"]);
  expect(google[0]?.[2]).toMatchObject({ ad_storage: "denied", ad_user_data: "denied", ad_personalization: "denied", analytics_storage: "denied", security_storage: "granted", wait_for_update: 500 });
  expect(google.slice(1)).toEqual([["set", "ads_data_redaction", true], ["set", "url_passthrough", true]]);
  expect(uet).toEqual(["consent", "default", { ad_storage: "denied" }]);
  const updates = async () => (await entries(page, "dataLayer")).filter((one: unknown[]) => one[1] === "update");
  expect(await updates()).toEqual([]);
  await banner.part("accept").click();
  const granted = { ad_storage: "granted", ad_user_data: "granted", ad_personalization: "granted", analytics_storage: "granted" };
  expect(await updates()).toEqual([["consent", "update", granted]]);
  expect(await page.evaluate(() => (window as any).uetq.slice(3))).toEqual(["consent", "update", { ad_storage: "granted" }]);
  expect(await page.evaluate(() => (window as any).clarity.q.map((one: unknown[]) => Array.from(one)))).toEqual([
    ["consentv2", { ad_Storage: "denied", analytics_Storage: "denied" }],
    ["consentv2", { ad_Storage: "granted", analytics_Storage: "granted" }],
  ]);
  // A later page reports the stored choice once, and a withdrawal too.
  await page.reload();
  await expect.poll(updates).toEqual([["consent", "update", granted]]);
  await page.evaluate(() => (window as any).placetSDK.openCookies());
  await banner.part("refuse").click();
  const denied = { ad_storage: "denied", ad_user_data: "denied", ad_personalization: "denied", analytics_storage: "denied" };
  await expect.poll(updates).toEqual([["consent", "update", granted], ["consent", "update", denied]]);
  expect((await banner.seen()).filter(([event]) => event === "consent:signals").map(([, detail]) => detail)).toEqual([granted, denied]);
});

test("a choice that the site clears no longer holds for tags and listeners", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings, head: await head(shop.cdnUrl) }));
  await banner.part("accept").click();
  // Otherwise the page may get the event after the next statement.
  await banner.saved();
  const late = await page.evaluate(() => {
    const { placetSDK } = window as any;
    const heard: string[] = [];
    placetSDK.clear();
    placetSDK.on("cookies:*", (_: unknown, event: string) => heard.push(event));
    return heard;
  });
  expect(late).toEqual([]);
  const [signals, clear] = (await banner.seen()).slice(-2);
  const denied = { ad_storage: "denied", ad_user_data: "denied", ad_personalization: "denied", analytics_storage: "denied" };
  expect([signals, clear]).toEqual([["consent:signals", denied], ["clear", { stats: false, ads: false }]]);
  const [update, event] = (await entries(page, "dataLayer")).slice(-2);
  expect(update).toEqual(["consent", "update", denied]);
  expect(event).toMatchObject({ event: "placet_update", placet_choices: { stats: false, ads: false } });
});

test("the browser's signal is acknowledged where it is seen", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings }));
  await expect(banner.part("gpc")).toBeHidden();
  await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
  await page.reload();
  await expect(banner.part("gpc")).toHaveText(/opt-out signal \(Global Privacy Control\) is honoured/);
  await banner.part("configure").click();
  await expect(banner.part("gpc")).toBeVisible();
  // Switching a service on in spite of the signal counts as the visitor's choice.
  await banner.toggle("ads").click();
  await banner.part("next").click();
  expect(await banner.choice()).toMatchObject({ ads: true, stats: false, $$gpc: true });
  await page.reload();
  await expect.poll(() => banner.events()).toContain("cookies:complete");
  expect(await page.evaluate(() => (window as any).placetSDK.hasAcceptedVendor("ads"))).toBe(true);
});

test("a signal after a choice withdraws advertising before ready, with proof", async ({ page, context, shop, banner }) => {
  await page.goto(shop.page({ settings }));
  await banner.part("accept").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  await banner.saved();
  const $$date = new Date(Date.now() - 100 * 86_400_000).toISOString();
  await context.addCookies([{ name: "placet_cookies", value: encodeURIComponent(JSON.stringify({ ...(await banner.choice()), $$date })), url: shop.site }]);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "globalPrivacyControl", { value: true });
    (window as any)._placet = [(sdk: any) => sdk.on("ready", () => ((window as any).atReady = sdk.getChoices()))];
  });
  const body = `<script type="text/plain" data-requires-vendor-consent="ads">window.ran=1</script>`;
  await page.goto(shop.page({ settings, body }));
  await expect.poll(() => shop.stored.length).toBe(2);
  await banner.saved();
  expect(await page.evaluate(() => (window as any).atReady)).toEqual({ stats: true, ads: false });
  expect(shop.stored[1]?.body).toMatchObject({ accept: false, preferences: { vendors: { stats: true, ads: false } } });
  // The time of the visitor's answers for other vendors does not change.
  expect(await banner.choice()).toMatchObject({ stats: true, ads: false, $$gpc: true, $$date });
  expect(await page.evaluate(() => (window as any).ran)).toBeUndefined();
  // Once: the next page has nothing to withdraw.
  await page.reload();
  await expect.poll(() => banner.events()).toContain("cookies:complete");
  expect(shop.posts).toHaveLength(2);
});

test("a signal does not answer for a visitor who has to be asked again", async ({ page, context, shop, banner }) => {
  const url = shop.page({ settings, body: `<script type="text/plain" data-requires-vendor-consent="ads">window.ran=1</script>` });
  await page.goto(shop.page({ settings }, "/first"));
  await banner.part("accept").click();
  await banner.saved();
  const { stats, ...known } = await banner.choice();
  expect(stats).toBe(true);
  await context.addCookies([{ name: "placet_cookies", value: encodeURIComponent(JSON.stringify(known)), url: shop.site }]);
  await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
  // `stats` is new here. Nobody answers, and the next page asks again.
  for (let visit = 0; visit < 2; visit++) {
    await page.goto(url);
    await expect(banner.dialog).toBeVisible();
    await expect.poll(() => banner.events()).toContain("open");
    expect(await page.evaluate(() => (window as any).placetSDK.getChoices())).toEqual({ stats: false, ads: false });
    expect(await banner.choice()).toEqual(known);
  }
  expect(await page.evaluate(() => (window as any).ran)).toBeUndefined();
  expect(shop.posts).toHaveLength(1);
});

test("a site may bring a signal of its own", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: { privacySignal: true } }));
  await banner.part("accept").click();
  expect(await banner.choice()).toMatchObject({ stats: true, ads: false, pixel: false, map: true });
});
