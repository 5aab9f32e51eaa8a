// Storing, reporting and posting of choices, and their absence before a choice.

import { expect, test } from "./support/shop.ts";

test("before a choice: no cookie, no storage, no request except to SDK, CDN and API", async ({ page, context, shop, banner }) => {
  for (const delivery of ["bundle", "generic"] as const) {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(shop.page({ delivery, body: '<script type="text/plain" data-requires-vendor-consent="stats" src="/stats.js"></script><iframe data-requires-vendor-consent="video" data-src="https://video.example/"></iframe>' }));
    await expect(banner.dialog).toBeVisible();
    await banner.part("configure").click();
    await banner.part("next").click();
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.dispatchEvent(new Event("pagehide")));
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(async () => [localStorage.length, sessionStorage.length, (await indexedDB.databases()).length])).toEqual([0, 0, 0]);
    const foreign = asked.filter((url) => !url.startsWith(shop.site) && !url.startsWith(`${shop.apiUrl}/sdk`) && !url.startsWith(shop.cdnUrl));
    expect(foreign).toEqual([]);
    expect(asked.filter((url) => url.endsWith("stats.js"))).toEqual([]);
    expect(shop.posts).toEqual([]);
    page.removeAllListeners("request");
  }
});

test("the three cookies", async ({ page, context, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  await banner.part("next").click();
  await banner.part("next").click();
  await banner.part("next").click();
  const cookies = await banner.cookies();
  expect(Object.keys(cookies).sort()).toEqual(["placet_all_vendors", "placet_authorized_vendors", "placet_cookies"]);
  expect(cookies.placet_authorized_vendors).toBe(",stats,");
  expect(cookies.placet_all_vendors).toBe(",stats,heat,ab,ads,pixel,video,map,");
  const choice = await banner.choice();
  expect(choice).toMatchObject({
    stats: true, ads: false, $$completed: true, $$duration: 180,
    $$cookiesVersion: { name: "shop-en", identifier: "01980000-0000-7000-8000-000000000001" },
  });
  expect(choice.$$token).toBe(await page.evaluate(() => (window as any).placetSDK.settings.token));
  expect(choice.$$token).toMatch(/^[0-9a-f]{44}$/);
  expect(Math.abs(Date.now() - Date.parse(String(choice.$$date)))).toBeLessThan(60_000);
  const [raw] = (await context.cookies()).filter((cookie) => cookie.name === "placet_cookies");
  expect(raw).toMatchObject({ path: "/", sameSite: "Lax", domain: "localhost", secure: false });
  expect(Math.round(((raw?.expires ?? 0) * 1000 - Date.now()) / 86_400_000)).toBe(180);
});

// Everything in one turn of the event loop, before the page can paint.
for (const [end, told] of [["", []], ["pagehide", ["cookies:complete", "close"]], ["openCookies", ["cookies:complete", "close", "open"]]] as const) {
  test(`a click stores and closes at once, and tells when that has painted${end && ", or before: " + end}`, async ({ page, shop, banner }) => {
    await page.goto(shop.page());
    await expect(banner.dialog).toBeVisible();
    const early = await page.evaluate((end) => {
      const { placetSDK: sdk, seen } = window as any;
      const root = document.querySelector("#placet")?.shadowRoot;
      const before = seen.length;
      root?.querySelector<HTMLElement>("[part=accept]")?.click();
      const [cookie, allowed, empty] = [document.cookie.includes("placet_cookies="), sdk.hasAcceptedVendor("stats"), !root?.firstChild];
      if (end === "pagehide") dispatchEvent(new Event(end));
      if (end === "openCookies") sdk.openCookies();
      const events = seen.slice(before).map(([event]: [string]) => event);
      return { cookie, allowed, empty, told: events.filter((event: string) => /^(cookies:complete|close|open)$/.test(event)) };
    }, end);
    expect(early).toEqual({ cookie: true, allowed: true, empty: true, told });
    await banner.saved();
    expect((await banner.events()).filter((event) => event === "cookies:complete")).toHaveLength(1);
    expect(shop.stored).toHaveLength(1);
  });
}

test("a hidden page paints nothing and still learns of a choice", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await expect(banner.dialog).toBeVisible();
  await page.evaluate(() => (window.requestAnimationFrame = () => 0));
  await banner.part("refuse").dispatchEvent("click");
  await banner.saved();
  await expect(banner.part("reopen")).toBeVisible();
});

test("settings name and shape the cookies", async ({ page, context, shop, banner }) => {
  await page.goto(shop.page({ settings: { jsonCookieName: "a", authorizedVendorsCookieName: "b", allVendorsCookieName: "c", userCookiesDuration: 30, userCookiesSameSite: "Strict", userCookiesDomain: "localhost" } }));
  await banner.part("accept").click();
  const cookies = await context.cookies();
  expect(cookies.map(({ name }) => name).sort()).toEqual(["a", "b", "c"]);
  expect(cookies.every(({ sameSite }) => sameSite === "Strict")).toBe(true);
  expect(Math.round(((cookies[0]?.expires ?? 0) * 1000 - Date.now()) / 86_400_000)).toBe(30);
});

test("a stored choice: no banner, cookies:complete on load, and the reopen button", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  await banner.saved();
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await expect(banner.dialog).toHaveCount(0);
  const seen = await banner.seen();
  expect(seen.map(([event]) => event)).toEqual(["queue", "ready", "consent:signals", "cookies:complete"]);
  expect(seen[3]?.[1]).toEqual({ stats: false, heat: false, ab: false, ads: false, pixel: false, video: false, map: false });
  // A withdrawal is a new consent, and so is a new acceptance.
  await banner.part("reopen").click();
  await banner.part("accept").click();
  await expect.poll(() => shop.stored.length).toBe(2);
  await banner.saved();
  expect(shop.stored.map(({ body }) => body.accept)).toEqual([false, true]);
  expect(shop.stored[0]?.body.token).toBe(shop.stored[1]?.body.token);
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  expect(shop.posts).toHaveLength(2);
});

test("the post is what the API takes, without credentials", async ({ page, context, shop, banner }) => {
  await context.addCookies([{ name: "session", value: "secret", url: shop.apiUrl }]);
  await page.goto(shop.page({ settings: { token: "user-4711" } }));
  await banner.part("accept").click();
  await expect.poll(() => shop.posts.length).toBe(1);
  const [post] = shop.posts;
  expect(post?.path).toBe(shop.consents());
  expect(post?.type).toMatch(/^text\/plain/);
  expect(post?.cookie).toBeUndefined();
  expect(post?.body).toMatchObject({
    accept: true, token: "user-4711",
    preferences: { config: { identifier: "01980000-0000-7000-8000-000000000001", name: "shop-en", language: "en" } },
  });
  expect(post?.body.publication).toMatch(/^[0-9a-f]{64}$/);
  const id = post?.body.consentId ?? "";
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  const made = parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  expect(Math.abs(Date.now() - made)).toBeLessThan(60_000);
  expect(post?.body.age).toBeGreaterThanOrEqual(0);
  await banner.saved();
  const saved = (await banner.seen()).find(([event]) => event === "consent:saved");
  expect(saved?.[1]).toMatchObject({ consentId: post?.body.consentId, token: "user-4711" });
});

test("a choice that failed is sent on the next page view, once", async ({ page, shop, banner }) => {
  shop.api = 503;
  await page.goto(shop.page());
  await banner.part("accept").click();
  await expect.poll(() => shop.posts.length).toBe(1);
  expect(await banner.events()).not.toContain("consent:saved");
  shop.api = 201;
  await page.reload();
  await expect.poll(() => shop.stored.length).toBe(1);
  await expect.poll(() => banner.events()).toContain("consent:saved");
  expect(new Set(shop.posts.map(({ body }) => body.consentId)).size).toBe(1);
  expect(shop.stored[0]?.body.age).toBeGreaterThan(0);
  const posts = shop.posts.length;
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  expect(shop.posts).toHaveLength(posts);
  expect(await page.evaluate(() => localStorage.placet_outbox)).toBeUndefined();
});

test("a failed choice, then a withdrawal, then recovery: sent in this order, ages say which is newer", async ({ page, shop, banner }) => {
  shop.api = "down";
  await page.goto(shop.page());
  const failed = banner.failed();
  await banner.part("accept").click();
  await failed;
  expect(shop.posts.length).toBeGreaterThan(0);
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  // The second waits until the first is acknowledged.
  await expect.poll(() => shop.posts.length).toBeGreaterThan(1);
  expect(shop.posts.every(({ body }) => body.accept)).toBe(true);
  shop.api = 201;
  await page.reload();
  await expect.poll(() => shop.stored.length).toBe(2);
  expect(shop.stored.map(({ body }) => body.accept)).toEqual([true, false]);
  // The first may leave with the page, and the second later. The age counts from the decision.
  const [first = 0, second = 0] = shop.stored.map(({ at, body }) => at - body.age);
  expect(second).toBeGreaterThan(first);
  expect(new Set(shop.stored.map(({ body }) => body.consentId)).size).toBe(2);
});

for (const [what, spoil] of [
  ["another tab writes the queue as it was before", (queue: string) => void (localStorage.placet_outbox = queue)],
  ["the site empties its storage", () => localStorage.clear()],
] as const) {
  test(`a waiting answer is not lost when ${what}`, async ({ page, shop, banner }) => {
    shop.api = "down";
    await page.goto(shop.page());
    const failed = banner.failed();
    await banner.part("accept").click();
    await failed;
    const queue = () => page.evaluate(() => localStorage.placet_outbox);
    const before = await queue();
    await banner.part("reopen").click();
    await banner.part("refuse").click();
    await expect.poll(async () => JSON.parse(await queue())).toHaveLength(2);
    await page.evaluate(spoil, before);
    shop.api = 201;
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await expect.poll(() => shop.stored.map(({ body }) => body.accept)).toEqual([true, false]);
    await expect.poll(queue).toBeUndefined();
    // Acknowledged posts are not repeated.
    await page.reload();
    await expect(banner.part("reopen")).toBeVisible();
    expect(shop.stored).toHaveLength(2);
  });
}

test("a choice that the API refuses for good does not hold up the next", async ({ page, shop, banner }) => {
  const said: string[] = [];
  page.on("console", (message) => message.type() === "warning" && said.push(message.text()));
  shop.api = 404;
  await page.goto(shop.page());
  await banner.part("accept").click();
  await expect.poll(() => said).toEqual([expect.stringContaining("the API refused a consent")]);
  shop.api = 201;
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.map(({ body }) => body.accept)).toEqual([false]);
});

test("leaving the page at once loses nothing", async ({ page, shop, banner }) => {
  shop.page({}, "/next");
  await page.goto(shop.page());
  await expect(banner.dialog).toBeVisible();
  await page.evaluate(() => {
    (document.querySelector("#placet")?.shadowRoot?.querySelector("[part=accept]") as HTMLElement).click();
    location.href = "/next";
  });
  await page.waitForURL("**/next");
  await expect.poll(() => shop.stored.length).toBe(1);
  expect(new Set(shop.posts.map(({ body }) => body.consentId)).size).toBe(1);
});

test("work that a click can delay waits for the paint, and leaving before that loses nothing", async ({ page, shop, banner }) => {
  await page.addInitScript(() => {
    const seen = ((window as any).calls = [] as string[]);
    const { fetch } = window;
    window.fetch = (...request) => (seen.push("fetch"), fetch(...request));
    navigator.sendBeacon = (url, body) => seen.push(`beacon ${JSON.parse(String(body)).accept}`) > 0;
  });
  await page.goto(shop.page());
  await expect(banner.dialog).toBeVisible();
  const [clicked, left] = await page.evaluate(() => {
    const now = () => [document.cookie.includes("placet_cookies="), localStorage.placet_outbox !== undefined, [...(window as any).calls]];
    (document.querySelector("#placet")?.shadowRoot?.querySelector("[part=accept]") as HTMLElement).click();
    const clicked = now();
    window.dispatchEvent(new Event("pagehide"));
    return [clicked, now()];
  });
  expect(clicked).toEqual([true, false, []]);
  expect(left).toEqual([true, true, ["fetch", "beacon true"]]);
  await banner.saved();
  expect(shop.stored).toHaveLength(1);
  // Two answers before the first paint are two consents.
  await page.evaluate(() => {
    const { placetSDK } = window as any;
    const part = (name: string) => document.querySelector("#placet")?.shadowRoot?.querySelector(`[part=${name}]`) as HTMLElement;
    for (const answer of ["refuse", "accept"]) {
      placetSDK.openCookies();
      part(answer).click();
    }
  });
  await expect.poll(() => shop.stored.map(({ body }) => body.accept)).toEqual([true, false, true]);
});

test("a browser without keepalive leaves a beacon", async ({ page, shop, banner }) => {
  await page.addInitScript(() => {
    delete (Request.prototype as unknown as Record<string, unknown>).keepalive;
    (window as any).beacons = [];
    navigator.sendBeacon = (url, body) => (window as any).beacons.push([String(url), String(body)]) > 0;
    window.fetch = () => new Promise(() => {});
  });
  await page.goto(shop.page());
  await banner.part("accept").click();
  await page.evaluate(() => window.dispatchEvent(new Event("pagehide")));
  const beacons = await page.evaluate(() => (window as any).beacons as [string, string][]);
  expect(beacons).toHaveLength(1);
  expect(beacons[0]?.[0]).toBe(shop.apiUrl + shop.consents());
  expect(JSON.parse(beacons[0]?.[1] ?? "")).toMatchObject({ accept: true, preferences: { vendors: { stats: true } } });
});

test("a choice holds across the configurations of a project, and a new vendor asks again", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  for (let step = 0; step < 3; step++) await banner.part("next").click();
  // `chat` is new here, `stats` was decided.
  await page.goto(shop.page({ settings: { cookiesVersion: "shop-fr" } }, "/fr"));
  await expect(banner.dialog).toBeVisible();
  expect(await banner.events()).not.toContain("cookies:complete");
  await banner.part("configure").click();
  await expect(banner.toggle("stats")).toHaveAttribute("aria-checked", "true");
  await banner.part("next").click();
  expect(await banner.choice()).toMatchObject({ stats: true, chat: false, ads: false, $$cookiesVersion: { name: "shop-fr" } });
  // The choice for the English configuration still holds for vendors that the French one lacks.
  await page.goto(shop.page());
  await expect(banner.part("reopen")).toBeVisible();
  await expect(banner.dialog).toHaveCount(0);
  // All vendors of the German configuration were decided.
  await page.goto(shop.page({ settings: { cookiesVersion: "shop-short" } }, "/de"));
  await expect(banner.part("reopen")).toBeVisible();
  await expect(banner.dialog).toHaveCount(0);
});

test("a choice of another project, an expired one and a broken cookie count as none", async ({ page, context, shop, banner }) => {
  const old = { stats: true, heat: true, ab: true, ads: true, pixel: true, video: true, map: true, $$completed: true, $$duration: 180 };
  for (const value of [
    JSON.stringify({ ...old, $$date: new Date().toISOString(), $$projectId: "bakery" }),
    JSON.stringify({ ...old, $$date: new Date(Date.now() - 181 * 86_400_000).toISOString(), $$projectId: "shop" }),
    JSON.stringify({ ...old, $$date: new Date().toISOString(), $$completed: false }),
    "{broken", "null", "%E0%A4%A",
  ]) {
    await context.clearCookies();
    await context.addCookies([{ name: "placet_cookies", value: value.startsWith("%") ? value : encodeURIComponent(value), url: shop.site }]);
    await page.goto(shop.page());
    await expect(banner.dialog).toBeVisible();
    expect(await page.evaluate(() => (window as any).placetSDK.hasAcceptedVendor("stats"))).toBe(false);
  }
});

test("an answer to one configuration brings no expired answer to another one back", async ({ page, context, shop, banner }) => {
  const old = { elsewhere: true, $$completed: true, $$duration: 180, $$token: "known", $$projectId: "shop" };
  for (const [days, kept] of [[100, true], [181, undefined]] as const) {
    await context.clearCookies();
    const $$date = new Date(Date.now() - days * 86_400_000).toISOString();
    await context.addCookies([{ name: "placet_cookies", value: encodeURIComponent(JSON.stringify({ ...old, $$date })), url: shop.site }]);
    await page.goto(shop.page());
    await banner.part("accept").click();
    expect((await banner.choice()).elsewhere).toBe(kept);
    expect(await banner.choice()).toMatchObject({ stats: true, $$token: "known" });
  }
});

test("the choice is in the cookie of that whole name", async ({ page, context, shop, banner }) => {
  const choice = (allowed: boolean) => encodeURIComponent(JSON.stringify({
    stats: allowed, heat: false, ab: false, ads: false, pixel: false, video: false, map: false,
    $$completed: true, $$duration: 180, $$date: new Date().toISOString(), $$projectId: "shop",
  }));
  const names = ["xplacet_cookies", "placet_cookies_x", "placet_cookies", "placet_cookie"];
  // One after another: browsers list cookies in the order of creation.
  for (const name of names) await context.addCookies([{ name, value: choice(name === "placet_cookies"), url: shop.site }]);
  await page.goto(shop.page());
  expect((await page.evaluate(() => document.cookie)).split("; ").map((pair) => pair.split("=")[0])).toEqual(names);
  await expect(banner.part("reopen")).toBeVisible();
  expect(await page.evaluate(() => (window as any).placetSDK.getChoices())).toMatchObject({ stats: true, heat: false });
});

test("events reach queue, wildcards and late listeners, and a broken listener harms nobody", async ({ page, shop, banner }) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(shop.page({ head: `<script>(window._placet=window._placet||[]).push(()=>{throw new Error("queue")},sdk=>sdk.on("ready",()=>{throw new Error("listener")}))</script>` }));
  await banner.part("configure").click();
  await banner.part("back").click();
  await banner.part("accept").click();
  await expect.poll(() => banner.events()).toContain("consent:saved");
  expect(await banner.events()).toEqual([
    "queue", "ready", "open", "cookies:step:change", "cookies:step:change", "cookies:step:change",
    "consent:signals", "cookies:complete", "close", "consent:saved",
  ]);
  expect((await banner.seen()).filter(([event]) => event === "cookies:step:change").map(([, detail]) => detail)).toEqual([
    { step: "welcome" }, { step: "audience" }, { step: "welcome" },
  ]);
  expect(errors).toEqual(["queue", "listener"]);
  const late = await page.evaluate(() => {
    const { placetSDK, _placet } = window as any;
    const heard: unknown[] = [];
    const gone = () => heard.push("gone");
    placetSDK.on("ready", () => heard.push("ready"));
    placetSDK.on("cookies:*", (detail: unknown, event: string) => heard.push([event, typeof detail]));
    placetSDK.on("cookies:complete", () => heard.push("quiet"), { replay: false });
    placetSDK.on("token:update", gone);
    placetSDK.on("token:update", (token: string) => heard.push(token));
    placetSDK.off("token:update", gone);
    placetSDK.setToken("tok");
    _placet.push((sdk: unknown) => heard.push(sdk === placetSDK));
    return heard;
  });
  expect(late).toEqual(["ready", ["cookies:complete", "object"], "tok", true]);
  expect(await banner.choice()).toMatchObject({ $$token: "tok" });
});

test("a site that names its visitor on each page prolongs no choice", async ({ page, context, shop, banner }) => {
  const url = shop.page();
  await page.goto(url);
  await banner.part("accept").click();
  await banner.saved();
  const old = { ...(await banner.choice()), $$date: new Date(Date.now() - 100 * 86_400_000).toISOString(), $$duration: 120 };
  await context.addCookies([{ name: "placet_cookies", value: encodeURIComponent(JSON.stringify(old)), url: shop.site }]);
  await page.goto(url);
  await expect(banner.part("reopen")).toBeVisible();
  await page.evaluate(() => (window as any).placetSDK.setToken("visitor-4711"));
  expect(await banner.choice()).toEqual({ ...old, $$token: "visitor-4711" });
  // A new choice of the visitor gets the new duration.
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect.poll(async () => (await banner.choice()).$$duration).toBe(180);
  expect(Date.now() - Date.parse((await banner.choice()).$$date as string)).toBeLessThan(60_000);
});

test("methods", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  const call = (name: string, ...values: unknown[]) =>
    page.evaluate(([name, values]) => (window as any).placetSDK[name as string](...(values as unknown[])), [name, values] as const);
  expect(await call("hasAcceptedVendor", "ads")).toBe(false);
  await call("requestConsent", "ads");
  await expect(banner.toggle("ads")).toBeVisible();
  await banner.toggle("ads").click();
  await banner.part("next").click();
  await banner.part("next").click();
  expect(await call("hasAcceptedVendor", "ads")).toBe(true);
  expect(await call("hasAcceptedVendor", "nobody")).toBe(false);
  expect(await call("hasAcceptedVendor")).toBe(false);
  await call("openCookies");
  await expect(banner.part("configure")).toBeVisible();
  await call("clear");
  expect(await page.evaluate(() => document.cookie)).toBe("");
  expect(await call("hasAcceptedVendor", "ads")).toBe(false);
  await page.reload();
  await expect(banner.dialog).toBeVisible();
});

test("a choice too large for a cookie is whole in storage", async ({ page, context, shop, banner }) => {
  await page.goto(shop.page({ settings: { token: "t".repeat(200) } }));
  await page.route("**/shop-en.js", async (route) => {
    const answer = await route.fetch();
    // The published configuration with a hundred more vendors of long names.
    const many = Array.from({ length: 100 }, (_, at) => `v${at}${"x".repeat(50)}|1|a|V`).join("\\t");
    await route.fulfill({ response: answer, body: (await answer.text()).replace("stats|1|", `${many}\\tstats|1|`) });
  });
  await page.reload();
  // Servers read the current choice or nothing.
  await context.addCookies([{ name: "placet_authorized_vendors", value: "%2Cold%2C", url: shop.site }]);
  await banner.part("accept").click();
  expect(Object.keys(await banner.cookies())).toEqual(["placet_cookies"]);
  const choice = await banner.choice();
  expect(choice).toMatchObject({ $$completed: true });
  expect(choice.stats).toBeUndefined();
  expect(await page.evaluate(() => JSON.parse(localStorage.placet_cookies).stats)).toBe(true);
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  expect(await page.evaluate(() => (window as any).placetSDK.hasAcceptedVendor("stats"))).toBe(true);
});

test("a site without storage and cookies still works for the page", async ({ page, shop, banner }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("denied"); } });
    Object.defineProperty(document, "cookie", { get: () => { throw new DOMException("denied"); }, set: () => { throw new DOMException("denied"); } });
  });
  await page.goto(shop.page());
  await banner.part("accept").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  expect(await page.evaluate(() => (window as any).placetSDK.hasAcceptedVendor("ads"))).toBe(true);
});

test("Google Consent Mode and the data layer follow, Global Privacy Control refuses advertising", async ({ page, shop, banner }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "globalPrivacyControl", { value: true });
    (window as any).dataLayer = [];
  });
  await page.goto(shop.page({ settings: { cookiesVersion: "shop-signals" } }));
  await banner.part("accept").click();
  expect(await page.evaluate(() => (window as any).placetSDK.getChoices())).toEqual({ stats: true, ads: false });
  const layer = await page.evaluate(() => (window as any).dataLayer.map((entry: any) => (entry.length ? Array.from(entry) : entry)));
  const signals = { ad_storage: "denied", ad_user_data: "denied", ad_personalization: "denied", analytics_storage: "granted" };
  expect(layer).toEqual([
    ["consent", "update", signals],
    { event: "placet_update", placet_authorized_vendors: ",stats,", placet_choices: { stats: true, ads: false } },
  ]);
  await expect.poll(() => shop.stored[0]?.body.preferences.googleConsentMode).toEqual(signals);
  // This configuration has no reopen button.
  await expect(page.locator("#placet")).toHaveCount(0);
});

test("settings decide where signals to tags go, and if any are sent", async ({ page, shop, banner }) => {
  const update = { event: "placet_update", placet_authorized_vendors: ",", placet_choices: expect.anything() };
  const denied = ["consent", "update", expect.objectContaining({ ad_storage: "denied", analytics_storage: "denied" })];
  for (const [settings, before, tags, dataLayer] of [
    [{}, "", null, null],
    [{}, "dataLayer", null, [update]],
    [{ triggerGTMEvents: true }, "", null, [update]],
    [{ triggerGTMEvents: false }, "dataLayer", null, []],
    [{ dataLayerName: "tags" }, "tags", [update], null],
    [{ dataLayerName: "tags", googleConsentMode: true, triggerGTMEvents: false }, "", [denied], null],
  ] as const) {
    await page.context().clearCookies();
    await page.goto(shop.page({ settings, head: before && `<script>window.${before}=[]</script>` }));
    await banner.part("refuse").click();
    const told = (name: string) =>
      page.evaluate((name) => (window as any)[name]?.map((entry: any) => (entry.length ? Array.from(entry) : entry)) ?? null, name);
    await expect.poll(async () => [await told("tags"), await told("dataLayer")]).toEqual([tags, dataLayer]);
  }
});

test("settings name the addresses for proofs and files", async ({ page, shop, banner }) => {
  const posts: string[] = [];
  await page.route("https://api.example/**", (route) => {
    const { pathname } = new URL(route.request().url());
    // Boxes look for an earlier answer there as well.
    if (pathname !== "/v1/app/consent/notices") posts.push(pathname);
    return route.fulfill({ status: 201, json: {}, headers: { "Access-Control-Allow-Origin": "*" } });
  });
  const terms = "01980000-0000-7000-8000-000000000041";
  const body = `<form><div data-placet-contract="${terms}"></div></form>`;
  const settings = { clientId: "notices", cookiesVersion: "only", apiUrl: "https://api.example" };
  await page.goto(shop.page({ settings, body }));
  await banner.part("next").click();
  await expect.poll(() => posts).toEqual([shop.consents("01980000-0000-7000-8000-000000000024", "notices")]);
  await page.getByRole("checkbox", { name: "Terms of sale" }).check();
  await expect.poll(() => posts.slice(1)).toEqual([`/v1/app/consents/notices/contracts/${terms}`]);
  expect(shop.posts).toEqual([]);
  const files: string[] = [];
  await page.route("https://files.example/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    files.push(pathname);
    await route.fulfill({ response: await route.fetch({ url: shop.cdnUrl + pathname }) });
  });
  await page.context().clearCookies();
  await page.goto(shop.page({ delivery: "generic", settings: { configUrl: "https://files.example" } }));
  await expect(banner.dialog).toBeVisible();
  expect(files).toEqual(["/shop/shop-en.payload"]);
  // A file of one configuration reads all others there.
  files.length = 0;
  await page.goto(shop.page({ settings: { ...settings, configUrl: "https://files.example" }, body }));
  await expect(page.getByRole("checkbox", { name: "Terms of sale" })).toBeVisible();
  expect(files).toEqual(["/notices/boxes.json"]);
});

test("useDocumentLang: the page's language decides, whatever is named", async ({ page, shop }) => {
  for (const [useDocumentLang, title] of [[false, "A few cookies, only if you like"], [true, "Quelques cookies, seulement si vous le voulez"]] as const) {
    await page.goto(shop.page({ delivery: "generic", settings: { useDocumentLang }, lang: "fr" }));
    await expect(page.getByRole("heading", { level: 2 })).toHaveText(title);
  }
});

test("a site that names no configuration gets the one in its language, else the default", async ({ page, shop, banner }) => {
  for (const [lang, title] of [["fr-CA", "Quelques cookies, seulement si vous le voulez"], ["de", "Datenschutz in unserem Laden"], ["pt", "A few cookies, only if you like"]]) {
    await page.goto(shop.page({ delivery: "generic", settings: { cookiesVersion: null }, lang }));
    await expect(page.getByRole("heading", { level: 2 })).toHaveText(title ?? "");
  }
});

test("a country counts with its language only: without a match the default is shown", async ({ page, shop }) => {
  const rows = [["shop-en", "en", "", 1], ["shop-fr", "fr", "CH", 0], ["shop-short", "fr", "", 0]];
  await page.route("**/shop/index.json", (route) => route.fulfill({ json: rows, headers: { "Access-Control-Allow-Origin": "*" } }));
  const titles = { "it-CH": "A few cookies, only if you like", "fr-CH": "Quelques cookies, seulement si vous le voulez", "fr-BE": "Quelques cookies, seulement si vous le voulez", it: "A few cookies, only if you like" };
  for (const [lang, title] of Object.entries(titles)) {
    await page.goto(shop.page({ delivery: "generic", settings: { cookiesVersion: null }, lang }));
    await expect(page.getByRole("heading", { level: 2 })).toHaveText(title);
  }
});

for (const delivery of ["bundle", "generic"] as const) {
  test(`a withdrawal on the page of own answers is followed here, and the next page asks again: ${delivery}`, async ({ page, shop, banner }) => {
    const body = `<script type="text/plain" data-requires-vendor-consent="stats">window.ran = true</script>`;
    const url = shop.page({ delivery, body });
    const ran = () => page.evaluate(() => (window as unknown as { ran?: boolean }).ran);
    await page.goto(url);
    await banner.part("accept").click();
    await expect.poll(ran).toBe(true);
    await banner.saved();
    // A link of somebody else takes nothing back.
    const link = async (token: string) => {
      await page.goto("about:blank");
      await page.goto(`${url}#placet-withdraw=${token}`);
      await expect.poll(() => page.evaluate(() => location.hash)).toBe("");
    };
    const token = await page.evaluate(() => (window as unknown as { placetSDK: { settings: { token: string } } }).placetSDK.settings.token);
    // A token begins with the time of the first page.
    for (const guess of ["", "0000000000000000", token.slice(0, 8), token.slice(0, 16)]) await link(guess);
    await expect.poll(ran).toBe(true);
    expect(await banner.events()).not.toContain("clear");
    await link(token.slice(-16));
    await expect.poll(() => banner.events()).toContain("clear");
    expect(await banner.cookies()).toEqual({});
    await page.reload();
    await expect(banner.dialog).toBeVisible();
    expect(await ran()).toBeUndefined();
  });
}
