// Scripts and frames that name a vendor: nothing before consent, in order and without a reload
// after it.

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
