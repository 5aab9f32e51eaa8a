// Elements that name a vendor: not loaded before consent, then started in order and without a reload, and
// removed when consent is withdrawn.

import { expect, test } from "./support/shop.ts";
import { expectAccessible } from "../support/axe.ts";

const log = (name: string) => `(window.ran=window.ran||[]).push(${JSON.stringify(name)});`;
/** Waits until the page has done its idle work, and until the servers have seen the requests of it: a request that comes behind them is answered. */
const idle = (page: import("@playwright/test").Page) =>
  page.evaluate(async () => {
    await new Promise((done) => requestIdleCallback(done, { timeout: 1_000 }));
    await fetch("/settings.js");
  });
/** Notes of the widget in the storage, besides the visitor's receipt. */
const noted = (page: import("@playwright/test").Page) => page.evaluate(() => Object.keys(localStorage).filter((name) => name !== "placet_receipt"));
const ran = (page: import("@playwright/test").Page) => page.evaluate(() => (window as any).ran ?? []);

test("scripts start in the order of the document", async ({ page, shop, banner }) => {
  shop.script("/slow.js", log("slow"));
  shop.script("/quick.js", log("quick"));
  shop.script("/ads.js", log("ads"));
  await page.route("**/slow.js", async (route) => {
    await page.evaluate(() => new Promise((done) => requestIdleCallback(() => done(null), { timeout: 1_000 })));
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
  // Another choice starts the newly allowed ones, and nothing twice.
  await banner.part("reopen").click();
  await banner.part("accept").click();
  await expect.poll(() => ran(page)).toEqual(["first", "slow", "after slow", "quick", "module", "ads"]);
  await page.reload();
  await expect.poll(() => ran(page)).toEqual(["first", "slow", "after slow", "ads", "quick", "module"]);
});

test("elements that the site adds later wait and start as well", async ({ page, shop, banner }) => {
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
  // After a withdrawal the placeholder is back.
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect(page.locator("#film")).toBeHidden();
  await expect(page.locator("[data-vendor=video] [part=placeholder]").first()).toBeVisible();
  await expect.poll(() => page.frames().map((frame) => frame.url())).not.toContain("https://video.example/film");
});

/** Changes the stored choice, as a page of another host does that has the same cookie. */
const rewrite = (page: import("@playwright/test").Page, change: string) => page.evaluate((change) => {
  const pairs = document.cookie.split("; ").map((pair) => pair.split("=") as [string, string]);
  const [name, value] = pairs.find(([, value]) => decodeURIComponent(value).includes("$$completed")) ?? ["", ""];
  const stored = JSON.parse(decodeURIComponent(value));
  new Function("name", "stored", "storage", change)(name, stored, localStorage);
  document.cookie = `${name}=${encodeURIComponent(JSON.stringify(stored))}`;
}, change);

test("the button of a placeholder takes back nothing that another host refused meanwhile", async ({ page, shop, banner }) => {
  const body = `<iframe title="Film" width="560" height="315" data-requires-vendor-consent="video" data-src="about:blank"></iframe>`;
  await page.goto(shop.page({ body }));
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  for (let step = 0; step < 3; step++) await banner.part("next").click();
  await banner.saved();
  expect(await banner.choice()).toMatchObject({ stats: true, video: false });
  await rewrite(page, "stored.stats = false");
  await page.getByRole("button", { name: "Allow Videoline" }).click();
  await expect.poll(() => banner.choice()).toMatchObject({ stats: false, video: true });
});

test("what storage keeps of an earlier choice is not taken for the present one", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("accept").click();
  await banner.saved();
  // As it is where the present choice was too large for a cookie, and storage was full.
  await rewrite(page, `
    storage.setItem(name, JSON.stringify({ ...stored, $$date: "2026-01-01T00:00:00.000Z" }));
    for (const key in stored) if (!key.startsWith("$$")) delete stored[key];`);
  await page.reload();
  await expect.poll(() => page.evaluate(() => (window as any).placetSDK?.getChoices().stats)).toBe(false);
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

test("a script that this browser never runs delays no other", async ({ page, shop, banner }) => {
  const waits = `type="text/plain" data-requires-vendor-consent="stats"`;
  const body = `<script ${waits} nomodule src="/old.js"></script><script ${waits} data-type="module">${log("module")}</script><script ${waits}>${log("after")}</script>`;
  await page.goto(shop.page({ body }));
  await banner.part("accept").click();
  await expect.poll(async () => (await ran(page)).sort()).toEqual(["after", "module"]);
});

test("a script that innerHTML has put in never starts, and delays no other", async ({ page, shop, banner }) => {
  const waits = 'type="text/plain" data-requires-vendor-consent="stats"';
  for (const name of ["dead", "slow"]) shop.script(`/${name}.js`, log(name));
  const asked: string[] = [];
  page.on("response", (response) => asked.push(new URL(response.url()).pathname.replace(/\.\w+\.js$/, "")));
  const body = `<p id="late"></p><script ${waits}>${log("after dead")}</script>
    <script ${waits} src="/slow.js"></script><script ${waits}>${log("after slow")}</script>`;
  await page.goto(shop.page({ body }));
  await page.evaluate((waits) => (document.querySelector("#late")!.innerHTML = `<script ${waits} src="/dead.js"></script>`), waits);
  // One that takes its time is waited for: the SDK has asked whether it starts at all, and has heard that it does.
  await page.route("**/slow.js", async (route) => {
    await expect.poll(() => asked.filter((path) => path === "/sdk/odd").length).toBe(2);
    await idle(page);
    await route.continue();
  });
  await banner.part("accept").click();
  await expect.poll(() => ran(page)).toEqual(["after dead", "slow", "after slow"]);
  expect(asked).not.toContain("/dead");
});

test("what a script has written is lost when the script leaves the page, and nothing else is", async ({ page, shop, banner }) => {
  const failed: string[] = [];
  page.on("pageerror", (error) => failed.push(error.message));
  const waits = 'type="text/plain" data-requires-vendor-consent="stats"';
  const body = `<script ${waits}>document.write("<em id=lost>Lost</em>");document.currentScript.remove()</script>
    <script ${waits}>document.write("<em id=kept>Kept</em>")</script>`;
  await page.goto(shop.page({ body }));
  await banner.part("accept").click();
  await expect(page.locator("#kept")).toBeVisible();
  await expect(page.locator("#lost")).toHaveCount(0);
  expect(failed).toEqual([]);
});

test("a placeholder says purpose, policy and scope, and loads its frame once without a choice", async ({ page, shop, banner }) => {
  await page.route("https://video.example/**", (route) => route.fulfill({ contentType: "text/html", body: "<title>Film</title>" }));
  const frame = (id: string) =>
    `<iframe id="${id}" title="Film" width="560" height="315" data-requires-vendor-consent="video" data-src="https://video.example/${id}"></iframe>`;
  const small = '<iframe id="little" width="200" height="60" data-requires-vendor-consent="video" data-src="https://video.example/little"></iframe>';
  await page.goto(shop.page({ body: frame("one") + frame("two") + small }));
  const films = "https://video.example";
  const loaded = () => page.frames().map((frame) => frame.url()).filter((url) => url.startsWith(films)).map((url) => url.slice(films.length));
  const placeholder = (at: number) => page.locator("[data-vendor=video] [part=placeholder]").nth(at);
  await expect(placeholder(0)).toContainText("Plays the videos on our product pages. Your permission counts for the whole site.");
  const policy = placeholder(0).getByRole("link", { name: "Privacy policy: Videoline (opens in a new tab)" });
  await expect(policy).toHaveAttribute("href", "https://video.example/privacy");
  expect((await placeholder(0).boundingBox())?.height).toBe(315);
  await expect(placeholder(2).getByRole("button", { name: "Only this once" })).toBeVisible();
  await expect(placeholder(2).getByText("Your permission")).toBeHidden();
  await expectAccessible(page);

  await placeholder(0).getByRole("button", { name: "Only this once" }).press("Enter");
  await expect(page.locator("#one")).toBeFocused();
  await expect.poll(loaded).toEqual(["/one"]);
  await expect(page.locator("#two")).toBeHidden();
  // It stays while the page changes, and nothing is stored or told.
  await page.evaluate(() => document.body.append("more"));
  await idle(page);
  expect(loaded()).toEqual(["/one"]);
  expect(await page.evaluate(() => [document.cookie, localStorage.length])).toEqual(["", 0]);
  expect(await banner.events()).not.toContain("cookies:complete");
  expect(shop.posts).toEqual([]);
  // A choice counts for every frame.
  await banner.part("refuse").click();
  await expect(page.locator("#one")).toBeHidden();
  await expect.poll(loaded).toEqual([]);
  await placeholder(0).getByRole("button", { name: "Only this once" }).click();
  await expect.poll(loaded).toEqual(["/one"]);
  await page.reload();
  await expect(page.locator("#one")).toBeHidden();
  expect(loaded()).toEqual([]);
});

test("without the facts of placeholders, or for an element of another nonce, the button that allows remains", async ({ page, shop, banner }) => {
  shop.missing.add("/shop/shop-en.later.json");
  const film = '<iframe id="film" data-requires-vendor-consent="video" data-src="https://video.example/film"></iframe>';
  await page.route("https://video.example/**", (route) => route.fulfill({ contentType: "text/html", body: "<title>Film</title>" }));
  // The page has its answer about the facts, and has drawn once more since.
  const open = async (settings: Record<string, unknown>) => {
    const facts = page.waitForResponse(/later\.json$/);
    await page.goto(shop.page({ body: film, settings }));
    await (await facts).finished();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  };
  const buttons = page.locator("[part=placeholder]").getByRole("button");
  await open({});
  await expect(buttons).toHaveText(["Allow Videoline"]);
  await buttons.click();
  expect(await banner.choice()).toMatchObject({ video: true });
  // By then it is noted what has been allowed: the next page takes that back, and asks for the facts to do so.
  await banner.saved();

  shop.missing.clear();
  await page.context().clearCookies();
  await open({ nonce: "other" });
  await expect(buttons).toHaveText(["Allow Videoline"]);
});

test("a placeholder stands on the picture that the site gives it, with words that can be read", async ({ page, shop }) => {
  shop.script("/tour.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`);
  const frame = (placeholder: string) =>
    `<iframe title="Film" width="560" height="315" data-requires-vendor-consent="video" data-src="https://video.example/" data-placeholder='${placeholder}'></iframe>`;
  await page.goto(shop.page({ body: frame(`/tour.svg?a")b#\\`) + frame("javascript:1") + frame("") }));
  const placeholder = page.locator("[data-vendor=video] [part=placeholder]");
  await expect(placeholder).toHaveCount(3);
  const image = (at: number) => placeholder.nth(at).evaluate((box) => getComputedStyle(box).backgroundImage);
  await expect.poll(() => shop.requests.some((one) => one.includes("/tour.svg"))).toBe(true);
  expect([(await image(0)).includes("/tour.svg"), await image(1), await image(2)]).toEqual([true, "none", "none"]);
  // The words keep the ground that their colour was made for.
  const ground = (at: number) => placeholder.nth(at).locator("p").evaluate((text) => getComputedStyle(text).backgroundColor);
  const none = "rgba(0, 0, 0, 0)";
  expect([(await ground(0)) === none, await ground(1)]).toEqual([false, none]);
  await expect(placeholder.first().getByRole("button", { name: "Only this once" })).toBeVisible();
  await expectAccessible(page, "[data-vendor]");
});

test("nothing moves when a frame takes the place of its placeholder", async ({ page, shop, banner }) => {
  await page.route("https://video.example/**", (route) => route.fulfill({ contentType: "text/html", body: "<title>Film</title>" }));
  const body = `<div><iframe title="Film" width="560" height="315" data-requires-vendor-consent="video" data-src="https://video.example/"></iframe></div><p id="below">Below</p>`;
  await page.goto(shop.page({ body }));
  await banner.part("close").click();
  const placeholder = page.locator("[data-vendor=video] [part=placeholder]");
  await expect(placeholder.getByRole("button", { name: "Only this once" })).toBeVisible();
  const below = () => page.locator("#below").evaluate((one) => one.getBoundingClientRect().y + scrollY);
  const before = await below();
  await placeholder.getByRole("button", { name: "Allow Videoline" }).click();
  await expect(placeholder).toHaveCount(0);
  await expect(page.getByTitle("Film")).toBeVisible();
  // Browsers tell heights in whole pixels.
  expect(Math.abs((await below()) - before)).toBeLessThan(1.1);
});

test("a placeholder goes with its frame, and comes with it again", async ({ page, shop, banner }) => {
  await page.route("https://video.example/**", (route) => route.fulfill({ contentType: "text/html", body: "<title>Film</title>" }));
  await page.goto(shop.page({ body: `<div id="player"></div>` }));
  await banner.part("close").click();
  const play = (film: string) =>
    page.evaluate((film) => {
      const frame = Object.assign(document.createElement("iframe"), { id: film, title: film });
      frame.dataset.requiresVendorConsent = "video";
      frame.dataset.src = `https://video.example/${film}`;
      ((window as any).films ??= {})[film] = frame;
      document.querySelector("#player")?.append(frame);
    }, film);
  const placeholders = page.locator("#player [part=placeholder]");
  await play("one");
  await expect(placeholders).toHaveCount(1);
  // Like frameworks that do not know the element beside their frame.
  await page.evaluate(() => (window as any).films.one.remove());
  await expect(placeholders).toHaveCount(0);
  await play("two");
  await expect(placeholders).toHaveCount(1);
  await page.evaluate(() => document.querySelector("#player")?.append((window as any).films.one));
  await expect(placeholders).toHaveCount(2);
  await placeholders.first().getByRole("button", { name: /^Allow/ }).click();
  await expect(placeholders).toHaveCount(0);
  await expect(page.locator("#one")).toBeVisible();
  await expect(page.locator("#two")).toBeVisible();
});

test("frames keep the site's display: a hidden frame has no placeholder and stays hidden", async ({ page, shop, banner }) => {
  const asked: string[] = [];
  await page.route("https://video.example/**", (route) => {
    asked.push(new URL(route.request().url()).pathname);
    return route.fulfill({ contentType: "text/html", body: "<title>Film</title>" });
  });
  const frame = (id: string, look: string) => `<iframe id="${id}" title="${id}" ${look} data-requires-vendor-consent="video" data-src="https://video.example/${id}"></iframe>`;
  await page.goto(shop.page({ body: frame("pixel", `style="display:none"`) + frame("hidden", "hidden") + frame("film", `style="display:block"`) }));
  await expect(page.locator("[part=placeholder]")).toHaveCount(1);
  for (let visit = 0; visit < 2; visit++) {
    await page.locator("[part=allow]").click();
    await expect(page.locator("#film")).toHaveCSS("display", "block");
    await expect(page.locator("#pixel")).toBeHidden();
    await expect(page.locator("#hidden")).toBeHidden();
    await expect.poll(() => [...asked].sort()).toEqual(["/film", "/hidden", "/pixel"]);
    asked.length = 0;
    await banner.part("reopen").click();
    await banner.part("refuse").click();
    await expect(page.locator("#film")).toBeHidden();
    await expect(page.locator("[part=placeholder]")).toHaveCount(1);
  }
});

test("allowing a frame by keyboard moves the focus into it", async ({ page, shop }) => {
  await page.route("https://video.example/**", (route) => route.fulfill({ contentType: "text/html", body: "<button>Play</button>" }));
  await page.goto(shop.page({ body: `<iframe id="film" title="Film" data-requires-vendor-consent="video" data-src="https://video.example/"></iframe><iframe id="more" title="More" data-requires-vendor-consent="video" data-src="https://video.example/"></iframe>` }));
  await page.locator("#placet [part=close]").click();
  await page.locator("[part=allow]").first().focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("film");
  await expect(page.frameLocator("#more").getByRole("button")).toBeVisible();
});

test("the click paints before anything starts", async ({ page, shop, banner }) => {
  // The browser stays busy until the test ends it. Anything that starts sooner did not wait for idle time.
  await page.addInitScript(() => {
    const held = ((window as any).held = [] as (() => void)[]);
    window.requestIdleCallback = (callback) => held.push(() => callback({ didTimeout: false, timeRemaining: () => 50 }));
  });
  const body = ["stats", "ads"].map((vendor) => `<script type="text/plain" data-requires-vendor-consent="${vendor}">${log(vendor)}</script>`).join("");
  await page.goto(shop.page({ body }));
  await expect(banner.dialog).toBeVisible();
  const seen = await page.evaluate(async () => {
    const ran = () => [...((window as any).ran ?? [])];
    const frame = () => new Promise(requestAnimationFrame);
    const seen: unknown[] = [];
    (document.querySelector("#placet")?.shadowRoot?.querySelector("[part=accept]") as HTMLElement).click();
    seen.push(ran());
    await null;
    seen.push(ran());
    // The answer is painted when the second frame begins.
    await frame();
    await frame();
    seen.push(Boolean(document.querySelector("#placet")?.shadowRoot?.querySelector("[part=banner]")), ran());
    await new Promise((done) => setTimeout(done));
    seen.push(ran());
    return seen;
  });
  expect(seen).toEqual([[], [], false, [], []]);
  await page.evaluate(() => (window as any).held.forEach((rest: () => void) => rest()));
  await expect.poll(() => ran(page)).toEqual(["stats", "ads"]);
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
  expect(await page.evaluate(() => [...document.cookie.matchAll(/_nw/g)].length)).toBe(0);
  // A second refusal withdraws nothing.
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.length).toBe(3);
  await expect(page.locator("#placet-changed")).toHaveCount(0);
});

test("withdrawing one vendor keeps the cookies that an allowed vendor also uses", async ({ page, context, shop, banner }) => {
  // Cookies as in the catalogue for Google Analytics and Google Ads, or as Adobe's services share them.
  await page.route("**/shop-en.later.json", async (route) => {
    const response = await route.fetch();
    const cookies = { stats: ["_nw*", "shared"], ads: ["_nw_ads_*", "shared"], video: ["shared_not_allowed"] };
    await route.fulfill({ response, json: { ...((await response.json()) as object), cookies } });
  });
  await page.goto(shop.page({ body: `<script type="text/plain" data-requires-vendor-consent="stats">for (const name of ["_nw", "_nw_ads_1", "shared"]) document.cookie = name + "=1;path=/"</script>` }));
  await banner.part("accept").click();
  const names = async () => (await context.cookies()).map(({ name }) => name).filter((name) => !name.startsWith("placet_")).sort();
  await expect.poll(names).toEqual(["_nw", "_nw_ads_1", "shared"]);
  const take = async (vendor: string) => {
    await page.evaluate((vendor) => (window as any).placetSDK.requestConsent(vendor), vendor);
    await banner.toggle(vendor).click();
    while (await banner.part("next").isVisible()) await banner.part("next").click();
  };
  await take("stats");
  await expect.poll(names).toEqual(["_nw_ads_1", "shared"]);
  await take("ads");
  await expect.poll(names).toEqual([]);
});

test.describe("taking back where nobody clicks, or where it cannot be done at once", () => {
  const settings = { clientId: "notices", cookiesVersion: "soft" };
  const body = `<script type="text/plain" data-requires-vendor-consent="stats">${log("stats")}document.cookie="_nw=1;path=/";document.cookie="other=3;path=/"</script>`;
  const names = async (context: import("@playwright/test").BrowserContext) =>
    (await context.cookies()).map(({ name }) => name).filter((name) => !name.startsWith("placet_")).sort();
  const accept = async ({ page, context, banner }: { page: import("@playwright/test").Page; context: import("@playwright/test").BrowserContext; banner: import("./support/shop.ts").Banner }) => {
    await banner.part("accept").click();
    await expect.poll(() => names(context)).toEqual(["_nw", "other"]);
    await banner.saved();
  };

  test("a signal that objects when the page loads: the cookies are deleted, and no unnecessary offer is made", async ({ page, context, shop, banner }) => {
    // The signal concerns advertising. Its vendor has its own cookie here.
    const signals = { clientId: "notices", cookiesVersion: "gpc" };
    const ads = `<script type="text/plain" data-requires-vendor-consent="ads">${log("ads")}document.cookie="_nw=1;path=/";document.cookie="other=3;path=/"</script>`;
    await page.goto(shop.page({ settings: signals, body: ads }));
    await accept({ page, context, banner });
    await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
    await page.reload();
    await expect.poll(() => names(context)).toEqual(["other"]);
    await banner.saved();
    expect(await ran(page)).toEqual([]);
    await expect(page.locator("#placet-changed")).toHaveCount(0);
    // It happens once: the next page loads nothing for it.
    const before = shop.requests.length;
    await page.reload();
    await expect.poll(() => banner.events()).toContain("cookies:complete");
    await idle(page);
    expect(shop.requests.slice(before).filter((one) => /withdraw|later/.test(one))).toEqual([]);
  });

  for (const [name, path] of [["what deletes them", "/sdk/withdraw"], ["what says which they are", "/notices/soft.later.json"]] as const) {
    test(`${name} does not arrive: the next page deletes them`, async ({ page, context, shop, banner }) => {
      const url = shop.page({ settings, body });
      await page.goto(url);
      await accept({ page, context, banner });
      const asked: string[] = [];
      await page.route((one) => one.href.includes(path), (route) => (asked.push(route.request().url()), route.abort()));
      await banner.part("reopen").click();
      await banner.part("refuse").click();
      await expect.poll(() => asked.length).toBe(1);
      await expect.poll(() => shop.stored.length).toBe(2);
      expect(await names(context)).toEqual(["_nw", "other"]);
      // It fails on this page too, and is not forgotten.
      await page.reload();
      await expect.poll(() => asked.length).toBe(2);
      await page.unrouteAll();
      await page.goto(url + "?later");
      await expect.poll(() => names(context)).toEqual(["other"]);
      await expect(page.locator("#placet-changed")).toHaveCount(0);
      expect(await ran(page)).toEqual([]);
      await expect.poll(() => noted(page)).toEqual([]);
    });
  }

  test("the site clears the choice: the cookies are deleted, and running scripts can be ended", async ({ page, context, shop, banner }) => {
    await page.goto(shop.page({ settings, body }));
    await accept({ page, context, banner });
    await page.evaluate(() => (window as any).placetSDK.clear());
    await expect.poll(() => names(context)).toEqual(["other"]);
    await page.locator("#placet-changed [part=reload]").click();
    await expect(banner.dialog).toBeVisible();
    expect(await ran(page)).toEqual([]);
  });

  test("an expired choice allows nothing: the cookies are deleted before the next answer", async ({ page, context, shop, banner }) => {
    const url = shop.page({ settings, body });
    await page.goto(url);
    await accept({ page, context, banner });
    const old = { ...(await banner.choice()), $$date: new Date(Date.now() - 181 * 86_400_000).toISOString() };
    await context.addCookies([{ name: "placet_cookies", value: encodeURIComponent(JSON.stringify(old)), url: shop.site }]);
    await page.goto(url);
    await expect(banner.dialog).toBeVisible();
    await expect.poll(() => names(context)).toEqual(["other"]);
    await expect(page.locator("#placet-changed")).toHaveCount(0);
    expect(await ran(page)).toEqual([]);
    await expect.poll(() => noted(page)).toEqual([]);
  });

  test("a script that still runs sets its cookie again: it goes with the next page", async ({ page, context, shop, banner }) => {
    const url = shop.page({ settings, body });
    await page.goto(url);
    await accept({ page, context, banner });
    await banner.part("reopen").click();
    await banner.part("refuse").click();
    await expect(page.locator("#placet-changed [part=reload]")).toBeVisible();
    expect(await names(context)).toEqual(["other"]);
    await page.evaluate(() => (document.cookie = "_nw=again;path=/"));
    await page.locator("#placet-changed [part=reload]").click();
    await expect.poll(() => names(context)).toEqual(["other"]);
    await expect.poll(() => noted(page)).toEqual([]);
    await expect(page.locator("#placet-changed")).toHaveCount(0);
  });

  test("another open page of the site learns of it: its cookies are deleted as well, and it offers to reload", async ({ page, context, shop, banner }) => {
    const url = shop.page({ settings, body: body + `<iframe title="Film" data-requires-vendor-consent="stats" data-src="about:blank#film"></iframe>` });
    await page.goto(url);
    await accept({ page, context, banner });
    const other = await context.newPage();
    await other.goto(url);
    await other.locator("#placet [part=reopen]").click();
    await other.locator("#placet [part=refuse]").click();
    await expect.poll(() => page.evaluate(() => (window as any).placetSDK.hasAcceptedVendor("stats"))).toBe(false);
    await expect(page.locator("#placet-changed [part=reload]")).toBeVisible();
    expect((await banner.seen()).filter(([event]) => event === "cookies:complete").map(([, choices]) => choices)).toEqual([{ stats: true, ads: true }, { stats: false, ads: false }]);
    await expect.poll(() => names(context)).toEqual(["other"]);
    // One answer and one proof, whichever page sends it.
    expect(shop.stored.map(({ body }) => body.accept)).toEqual([true, false]);
    expect(new Set(shop.posts.map(({ body }) => body.consentId)).size).toBe(2);
  });

  test("allowed again before the withdrawal is done: the cookies stay, and no reload is offered", async ({ page, context, shop, banner }) => {
    await page.goto(shop.page({ settings, body }));
    await accept({ page, context, banner });
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    await page.route("**/soft.later.json", async (route) => {
      await held;
      await route.continue();
    });
    await banner.part("reopen").click();
    await banner.part("refuse").click();
    await expect.poll(() => shop.requests.some((one) => one.includes("withdraw"))).toBe(true);
    await banner.part("reopen").click();
    await banner.part("accept").click();
    const arrived = page.waitForEvent("requestfinished", (request) => request.url().includes("later.json"));
    release();
    await arrived;
    await expect.poll(() => shop.stored.length).toBe(3);
    expect(await names(context)).toEqual(["_nw", "other"]);
    await expect(page.locator("#placet-changed")).toHaveCount(0);
  });
});

test("a hostile page: no request to a vendor before the choice, after a refusal or after a withdrawal", async ({ page, shop, banner }) => {
  // Every request outside of the three origins of the test.
  const own = [shop.site, shop.apiUrl, shop.cdnUrl].map((url) => new URL(url).host);
  const foreign: string[] = [];
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (/^(http|ws)/.test(protocol) && !own.includes(host)) foreign.push(request.url());
  });
  await page.route(({ host }) => !own.includes(host), (route) => route.fulfill({ contentType: "text/plain", body: "" }));
  const of = (vendor: string, at: string) => `
    <script type="text/plain" data-requires-vendor-consent="${vendor}" src="https://vendor.example/${at}.js"></script>
    <script type="text/plain" data-requires-vendor-consent="${vendor}">fetch("https://inline.example/${at}-inline")</script>
    <script type="text/plain" data-type="module" data-requires-vendor-consent="${vendor}" src="https://vendor.example/${at}.mjs"></script>
    <iframe title="x" data-requires-vendor-consent="${vendor}" data-src="https://frames.example/${at}.html"></iframe>
    <img alt="" data-requires-vendor-consent="${vendor}" data-src="https://images.example/${at}.png" data-srcset="https://images.example/${at}-2.png 2x">
    <link rel="stylesheet" data-requires-vendor-consent="${vendor}" data-href="https://vendor.example/${at}.css">
    <link rel="preload" as="script" data-requires-vendor-consent="${vendor}" data-href="https://vendor.example/${at}-preload.js">`;
  // Names that are not vendors, or that are members of every object.
  const body = ["stats", "ads", "nobody", "__proto__", "constructor", "toString", ""].map((name, at) => of(name, `v${at}`)).join("") +
    `<form name="placet"></form><img name="placetSDK"><div id="_placet"></div>`;
  /**
   * Waits for everything that starts by itself: the page is loaded, an added element was seen, and the page
   * was idle.
   */
  const rest = async () => {
    await page.waitForLoadState("load");
    await page.evaluate(() => document.body.insertAdjacentHTML("beforeend", `<iframe title="late" data-requires-vendor-consent="ads" data-src="https://vendor.example/late.html"></iframe>`));
    await expect(page.locator("iframe[title=late]").last()).toBeHidden();
    await page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestAnimationFrame(done), { timeout: 2000 })));
  };
  const url = shop.page({ body });
  await page.goto(url);
  await expect(banner.dialog).toBeVisible();
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await rest();
  expect(foreign).toEqual([]);
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  await rest();
  expect(foreign).toEqual([]);
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await rest();
  expect(foreign).toEqual([]);
  await banner.part("reopen").click();
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  for (let step = 0; step < 3; step++) await banner.part("next").click();
  const names = () => [...new Set(foreign.map((url) => new URL(url).pathname.replace(/\..*|-.*/, "")))];
  await expect.poll(() => foreign.some((url) => url.includes("inline.example"))).toBe(true);
  await rest();
  expect(names()).toEqual(["/v0"]);
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.length).toBe(3);
  const before = foreign.length;
  await rest();
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await rest();
  await page.goto(url + "?another");
  await expect(banner.part("reopen")).toBeVisible();
  await rest();
  expect(foreign.slice(before)).toEqual([]);
});
