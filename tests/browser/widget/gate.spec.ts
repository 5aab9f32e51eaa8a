// What names a vendor: nothing of it before consent, in order and without a reload after it, and
// nothing left of it when consent is taken back.

import { expect, test } from "./support/shop.ts";

const log = (name: string) => `(window.ran=window.ran||[]).push(${JSON.stringify(name)});`;
const ran = (page: import("@playwright/test").Page) => page.evaluate(() => (window as any).ran ?? []);

test("scripts start in the order of the document", async ({ page, shop, banner }) => {
  shop.script("/slow.js", log("slow"));
  shop.script("/quick.js", log("quick"));
  shop.script("/ads.js", log("ads"));
  await page.route("**/slow.js", async (route) => {
    await page.evaluate(() => new Promise((done) => requestIdleCallback(() => done(null))));
    await route.continue();
  });
  const gated = (attributes: string, text = "") => `<script type="text/plain" data-requires-vendor-consent=${attributes}>${text}</script>`;
  const body = [
    gated(`"stats"`, log("first")),
    gated(`"stats" src="/slow.js"`),
    gated(`"stats"`, log("after slow")),
    gated(`"ads" src="/ads.js"`),
    gated(`"stats" src="/nowhere.js"`),
    gated(`"stats" src="/quick.js"`),
    gated(`"stats" data-type="module"`, log("module")),
    gated(`"nobody"`, log("nobody")),
  ].join("");
  await page.goto(shop.page({ body }));
  await banner.part("configure").click();
  expect(await ran(page)).toEqual([]);
  await banner.toggle("stats").click();
  expect(await ran(page)).toEqual([]);
  for (let step = 0; step < 3; step++) await banner.part("next").click();
  await expect.poll(() => ran(page)).toEqual(["first", "slow", "after slow", "quick", "module"]);
  // Another choice starts what it allows, and nothing twice.
  await banner.part("reopen").click();
  await banner.part("accept").click();
  await expect.poll(() => ran(page)).toEqual(["first", "slow", "after slow", "quick", "module", "ads"]);
  await page.reload();
  await expect.poll(() => ran(page)).toEqual(["first", "slow", "after slow", "ads", "quick", "module"]);
});

test("what the site adds later waits and starts as well", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("accept").click();
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.type = "text/plain";
    script.dataset.requiresVendorConsent = "stats";
    script.text = "(window.ran=window.ran||[]).push('late')";
    document.body.append(script);
  });
  await expect.poll(() => ran(page)).toEqual(["late"]);
});

test("a frame waits behind a placeholder whose button allows its vendor alone", async ({ page, shop, banner }) => {
  await page.route("https://video.example/**", (route) => route.fulfill({ contentType: "text/html", body: "<title>Film</title>" }));
  const body = `<iframe id="film" title="Film" width="560" height="315" data-requires-vendor-consent="video" data-src="https://video.example/film"></iframe>
    <iframe id="map" title="Map" data-requires-vendor-consent="map" data-src="https://map.example/"></iframe>
    <iframe id="evil" title="Evil" data-requires-vendor-consent="video" data-src="javascript:parent.ran=['evil']"></iframe>`;
  await page.goto(shop.page({ body }));
  const placeholder = page.locator("[data-vendor=video] [part=placeholder]").first();
  await expect(placeholder).toContainText("This content comes from Videoline.");
  expect((await placeholder.boundingBox())?.height).toBe(315);
  await expect(page.locator("#film")).toBeHidden();
  expect(page.frames().map((frame) => frame.url())).not.toContain("https://video.example/film");
  await placeholder.getByRole("button", { name: "Allow Videoline" }).click();
  await expect(page.locator("#film")).toBeVisible();
  await expect.poll(() => page.frames().map((frame) => frame.url())).toContain("https://video.example/film");
  expect(await banner.choice()).toMatchObject({ video: true, map: false, stats: false });
  await expect(page.locator("[data-vendor=map] [part=placeholder]")).toBeVisible();
  expect(await ran(page)).toEqual([]);
  // Taken back, it goes back behind its placeholder.
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect(page.locator("#film")).toBeHidden();
  await expect(page.locator("[data-vendor=video] [part=placeholder]").first()).toBeVisible();
  await expect.poll(() => page.frames().map((frame) => frame.url())).not.toContain("https://video.example/film");
});

test("with a nonce only elements that carry it start", async ({ page, shop, banner }) => {
  const body = `<script type="text/plain" nonce="n1" data-requires-vendor-consent="stats">${log("ours")}</script>
    <script type="text/plain" data-requires-vendor-consent="stats">${log("injected")}</script>
    <script type="text/plain" nonce="n2" data-requires-vendor-consent="stats">${log("guessed")}</script>`;
  await page.goto(shop.page({ body, settings: { nonce: "n1" } }));
  await banner.part("accept").click();
  await expect.poll(() => ran(page)).toEqual(["ours"]);
});

test("images and style sheets wait as well, and leave again", async ({ page, shop, banner }) => {
  const asked: string[] = [];
  await page.route("https://stats.example/**", (route) => {
    asked.push(route.request().url());
    const style = route.request().url().endsWith(".css");
    return route.fulfill({ contentType: style ? "text/css" : "image/svg+xml", body: style ? "h1{color:rgb(1,2,3)}" : '<svg xmlns="http://www.w3.org/2000/svg"/>' });
  });
  const body = `<img id="pixel" alt="" data-requires-vendor-consent="stats" data-src="https://stats.example/1.svg" data-srcset="https://stats.example/2.svg 2x">
    <link rel="stylesheet" data-requires-vendor-consent="stats" data-href="https://stats.example/a.css">
    <img alt="" data-requires-vendor-consent="ads" data-src="https://stats.example/ads.svg">`;
  await page.goto(shop.page({ body }));
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  expect(asked).toEqual([]);
  for (let step = 0; step < 3; step++) await banner.part("next").click();
  await expect.poll(() => asked.length).toBe(2);
  await expect(page.locator("h1")).toHaveCSS("color", "rgb(1, 2, 3)");
  expect(asked.filter((url) => url.includes("ads"))).toEqual([]);
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect(page.locator("h1")).not.toHaveCSS("color", "rgb(1, 2, 3)");
  await expect(page.locator("#pixel")).not.toHaveAttribute("src");
  expect(asked).toHaveLength(2);
});

test("the click paints before anything starts", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ body: `<script type="text/plain" data-requires-vendor-consent="stats">${log("stats")}</script>` }));
  await expect(banner.dialog).toBeVisible();
  const atOnce = await page.evaluate(() => {
    (document.querySelector("#placet")?.shadowRoot?.querySelector("[part=accept]") as HTMLElement).click();
    return [(window as any).ran, Boolean(document.querySelector("#placet")?.shadowRoot?.querySelector("[part=banner]"))];
  });
  expect(atOnce).toEqual([undefined, false]);
  await expect.poll(() => ran(page)).toEqual(["stats"]);
});

test("taking back: the vendor's cookies go, others stay, and the page can be reloaded", async ({ page, context, shop, banner }) => {
  const settings = { clientId: "notices", cookiesVersion: "soft" };
  const body = `<script type="text/plain" data-requires-vendor-consent="stats">${log("stats")}document.cookie="_nw=1;path=/";document.cookie="_nw_site=2;path=/deep";document.cookie="other=3;path=/"</script>`;
  const url = shop.page({ settings, body }, "/deep/page");
  await page.goto(url);
  await banner.part("accept").click();
  await expect.poll(async () => (await context.cookies(url)).map(({ name }) => name)).toContain("_nw_site");
  expect(shop.requests.filter((one) => one.includes("withdraw"))).toEqual([]);
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  const changed = page.locator("#placet-changed [part=changed]");
  await expect(changed).toContainText("Some services may go on running");
  await expect(changed).toHaveRole("status");
  expect((await context.cookies(url)).map(({ name }) => name).sort()).toEqual(["other", "placet_all_vendors", "placet_authorized_vendors", "placet_cookies"]);
  await page.locator("#placet-changed [part=reload]").click();
  await expect(page.locator("#placet-changed")).toHaveCount(0);
  await expect(banner.part("reopen")).toBeVisible();
  expect(await ran(page)).toEqual([]);
  // Nothing is taken back by saying no a second time.
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.length).toBe(3);
  await expect(page.locator("#placet-changed")).toHaveCount(0);
});

test("a hostile page: no request to a vendor before the choice, after refusal or after taking back", async ({ page, shop, banner }) => {
  const foreign: string[] = [];
  await page.route(/vendor\.example/, (route) => {
    foreign.push(route.request().url());
    return route.fulfill({ contentType: "text/plain", body: "" });
  });
  const of = (vendor: string, at: string) => `
    <script type="text/plain" data-requires-vendor-consent="${vendor}" src="https://vendor.example/${at}.js"></script>
    <script type="text/plain" data-requires-vendor-consent="${vendor}">fetch("https://vendor.example/${at}-inline")</script>
    <script type="text/plain" data-type="module" data-requires-vendor-consent="${vendor}" src="https://vendor.example/${at}.mjs"></script>
    <iframe title="x" data-requires-vendor-consent="${vendor}" data-src="https://vendor.example/${at}.html"></iframe>
    <img alt="" data-requires-vendor-consent="${vendor}" data-src="https://vendor.example/${at}.png" data-srcset="https://vendor.example/${at}-2.png 2x">
    <link rel="stylesheet" data-requires-vendor-consent="${vendor}" data-href="https://vendor.example/${at}.css">
    <link rel="preload" as="script" data-requires-vendor-consent="${vendor}" data-href="https://vendor.example/${at}-preload.js">`;
  // Names that are no vendors, or try to be members of every object.
  const body = ["stats", "ads", "nobody", "__proto__", "constructor", "toString", ""].map((name, at) => of(name, `v${at}`)).join("") +
    `<form name="placet"></form><img name="placetSDK"><div id="_placet"></div>
     <script>setInterval(()=>document.body.insertAdjacentHTML("beforeend",'<iframe title="late" data-requires-vendor-consent="ads" data-src="https://vendor.example/late.html"></iframe>'),50)</script>`;
  await page.goto(shop.page({ body }));
  await expect(banner.dialog).toBeVisible();
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  expect(foreign).toEqual([]);
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await page.waitForLoadState("load");
  expect(foreign).toEqual([]);
  await banner.part("reopen").click();
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  for (let step = 0; step < 3; step++) await banner.part("next").click();
  await expect.poll(() => new Set(foreign.map((url) => new URL(url).pathname.replace(/\..*|-.*/, "")))).toEqual(new Set(["/v0"]));
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.length).toBe(3);
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  const before = foreign.length;
  await page.waitForLoadState("load");
  expect(foreign).toHaveLength(before);
});
