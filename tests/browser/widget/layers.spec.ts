// The layers of TCF as publishing draws them, with 1,600 partners.

import { type Locator, type Page } from "@playwright/test";
import { expectAccessible } from "../support/axe.ts";
import { read, stub, write } from "./support/iab.ts";
import { expect, test } from "./support/shop.ts";

const settings = { clientId: "news", cookiesVersion: "news-en" };
const heard = `<script>window.heard=[];(window._placet=window._placet||[]).push(()=>__tcfapi("addEventListener",2,(data)=>heard.push(data)))</script>`;
const last = (page: Page): Promise<any> => page.evaluate(() => (window as any).heard.at(-1));

test("each layer shows what the plan has, and a mixture is kept as it was chosen", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings, head: heard }));
  await expect(banner.part("first-layer")).toBeVisible();
  // There is no way out before an answer.
  await expect(banner.part("close")).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(banner.part("first-layer")).toBeVisible();
  await expect(banner.part("partners")).toHaveText(/^Number of partners: 1\d\d\d$/);

  await banner.part("configure").click();
  await expect(banner.part("title")).toHaveText("Purposes");
  const purposes = page.locator('#placet [data-purpose]');
  const all = (await last(page)).purpose.consents;
  expect(await purposes.count()).toBeLessThanOrEqual(Object.keys(all).length);
  for (const one of await purposes.all()) await expect(one).toHaveAttribute("aria-checked", "false");
  // Disclosures that nobody can refuse have no control.
  await expect(banner.part("fixed")).toBeVisible();
  await page.locator('#placet [data-purpose="2"]').click();
  await expect(page.locator('#placet [data-purpose="2"]')).toHaveAttribute("aria-checked", "true");
  await page.locator('#placet [data-feature="1"]').click();

  await banner.part("tab-interests").click();
  await expect(banner.part("stored")).toContainText("euconsent-v2-");
  const interest = page.locator("#placet [data-interest]").first();
  await expect(interest).toHaveAttribute("aria-checked", "true");
  await interest.click();

  await banner.part("tab-partners").click();
  const consents = page.locator("#placet [data-tcf-vendor]");
  await expect.poll(() => consents.count()).toBeGreaterThan(1000);
  const name = (await banner.part("more").nth(7).textContent()) ?? "";
  await banner.part("search").fill(name);
  await expect(banner.part("more").first()).toHaveText(name);
  await banner.part("more").first().click();
  await expect(banner.part("details").first()).toBeVisible();
  await consents.first().click();
  const partner = Number(await consents.first().getAttribute("data-tcf-vendor"));
  // The services of the site that are no partners: the search is for them, too.
  await expect(page.locator("#placet [data-vendor]")).toHaveCount(0);
  await banner.part("search").fill("");
  await expect.poll(() => page.locator("#placet [data-vendor]").evaluateAll((found) => found.map((one) => (one as HTMLElement).dataset.vendor))).toEqual(["stats"]);
  await page.locator('#placet [data-vendor="stats"]').click();
  // They open as partners do.
  const own = page.locator("#placet li", { has: page.locator('[data-vendor="stats"]') });
  await own.getByRole("button", { name: "Northwind Stats", exact: true }).click();
  await expect(own).toContainText("Northwind Ltd, Ireland");
  await expect(own).toContainText("nw_id – 395 days");
  await expect(own.getByRole("link")).toHaveAttribute("href", "https://stats.example/privacy");

  await banner.part("save").click();
  await expect.poll(async () => (await last(page)).eventStatus).toBe("useractioncomplete");
  const chosen = await last(page);
  const model = read(chosen.tcString);
  expect([model.purposes, model.features, model.consents, model.screen]).toEqual([[2], [1], [partner], 4]);
  expect(model.interests).not.toContain(Number(2));
  expect(model.claims.length).toBeGreaterThan(100);
  expect(await page.evaluate(() => (window as any).placetSDK.getChoices())).toEqual({ stats: true, both: false });
  await expect.poll(() => shop.posts.length).toBe(1);
  expect(shop.posts[0]?.body.preferences).toMatchObject({ tcString: chosen.tcString, tcf: { screen: 4, action: "save" } });

  // Later: the choice stands where it was left, and the way out is there.
  await page.reload();
  await banner.part("reopen").click();
  await expect(banner.part("close")).toBeVisible();
  await banner.part("configure").click();
  await expect(page.locator('#placet [data-purpose="2"]')).toHaveAttribute("aria-checked", "true");
  // Accepting all keeps the objection.
  await banner.part("accept").click();
  await expect.poll(async () => (await last(page)).eventStatus).toBe("useractioncomplete");
  const after = read((await last(page)).tcString);
  expect(after.interests).toEqual(model.interests);
  expect(after.consents.length).toBeGreaterThan(1000);
  expect(await page.evaluate(() => (window as any).placetSDK.getChoices())).toEqual({ stats: true, both: true });
});

test("rows of all partners come in pieces, and a search that another one follows leaves none behind", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings }));
  await banner.part("configure").click();
  await banner.part("tab-partners").waitFor();
  const first = await page.evaluate(() => {
    const root = document.getElementById("placet")!.shadowRoot!;
    root.getElementById("tab-partners")!.click();
    const first = root.querySelectorAll("[part=more]").length;
    const input = root.querySelector("[part=search]") as HTMLInputElement;
    // Before the rows of the search before are all there, or gone.
    for (const query of ["e", "", "zen"]) {
      input.value = query;
      input.dispatchEvent(new Event("input"));
    }
    return first;
  });
  const lists = page.locator("#placet [part=panel] > div:first-of-type > ul");
  const found = async (): Promise<string[]> => (await banner.part("more").allTextContents()).map((name) => name.toLowerCase());
  const said = async (): Promise<number> => Number(/\d+$/.exec((await banner.part("found").textContent()) ?? "")?.[0]);
  await expect(lists).toHaveCount(1);
  await expect.poll(async () => (await banner.part("more").count()) - (await said())).toBe(0);
  expect((await found()).filter((name) => !name.includes("zen"))).toEqual([]);
  await expect(page.locator("#placet [data-vendor]")).toHaveCount(0);

  await banner.part("search").fill("");
  await expect(lists).toHaveCount(1);
  await expect.poll(() => banner.part("more").count()).toBeGreaterThan(1000);
  await expect(page.locator("#placet [data-vendor]")).toBeVisible();
  expect(await banner.part("more").count()).toBe(await said());
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(await said());
});

test("a clock that stands still puts all rows into one task, which the test of the pieces would notice", async ({ page, shop, banner }) => {
  await page.addInitScript(() => (performance.now = () => 0));
  await page.goto(shop.page({ settings }));
  await banner.part("configure").click();
  await banner.part("tab-partners").waitFor();
  const [first, said] = await page.evaluate(() => {
    const root = document.getElementById("placet")!.shadowRoot!;
    root.getElementById("tab-partners")!.click();
    return [root.querySelectorAll("[part=more]").length, Number(/\d+$/.exec(root.querySelector("[part=found]")?.textContent ?? "")?.[0])];
  });
  expect(said).toBeGreaterThan(1000);
  expect(first).toBe(said);
});

test("the keyboard walks the tabs, and leaves them for the first layer", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings }));
  await banner.part("interests").click();
  await expect(banner.part("title")).toBeFocused();
  await banner.part("tab-interests").focus();
  await page.keyboard.press("ArrowRight");
  await expect(banner.part("tab-partners")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(banner.part("tab-purposes")).toBeFocused();
  await page.keyboard.press("End");
  await expect(banner.part("tab-partners")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(banner.part("first-layer")).toBeVisible();
});

test("layers that cannot be loaded leave the first one usable", async ({ page, shop, banner }) => {
  shop.missing.add("/news/news-en.partners.txt");
  await page.goto(shop.page({ settings, head: heard }));
  const failed = page.waitForEvent("console", (line) => line.text().startsWith("Placet:"));
  await banner.part("configure").click();
  expect((await failed).text()).toContain("404");
  await expect(banner.part("first-layer")).toBeVisible();
  await banner.part("refuse").click();
  await expect.poll(async () => (await last(page)).eventStatus).toBe("useractioncomplete");
  // The next click tries again.
  shop.missing.clear();
  await banner.part("reopen").click();
  await banner.part("configure").click();
  await expect(banner.part("tab-purposes")).toBeVisible();
});

const change = (page: Page, pattern: string, of: (text: string) => string) =>
  page.route(pattern, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: of(await response.text()) });
  });

for (const [days, told] of [[30, "30 days"], [1000, "390 days"]] as const)
  test(`a site that keeps choices for ${days} days says so: ${told}`, async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: { ...settings, cookiesVersion: "news-few", userCookiesDuration: days } }));
    await banner.part("interests").click();
    await expect(banner.part("stored")).toHaveText(new RegExp(`^Your choice is kept in the cookie euconsent-v2-\\S+: ${told}\\.$`));
  });

test("a string that is too long for a cookie says where it is kept", async ({ page, shop, banner }) => {
  // The string is the last value of the payload: many ranges make it long.
  await change(page, "**/news-few.js", (body) =>
    body.replace(/(?<=\\n)C[\w-]{50,}\.[\w-]+(?=["'])/, (text) => {
      const rules = [[7, 1, Array.from({ length: 900 }, (_, at) => [3 * at + 1, 3 * at + 2])]];
      return write({ ...read(text), rules });
    }),
  );
  await page.goto(shop.page({ settings: { ...settings, cookiesVersion: "news-few" } }));
  await banner.part("interests").click();
  await expect(banner.part("stored")).toHaveText(/^Your choice is kept in the local storage of your browser as euconsent-v2-\S+: 180 days\.$/);
});

test("features are explained, too, where the list has no sentence for it", async ({ page, shop, banner }) => {
  await change(page, "**/en.txt", (text) => text.replace(/\ntfeatures\t[^\n]*/, ""));
  await page.goto(shop.page({ settings: { ...settings, cookiesVersion: "news-few" } }));
  await banner.part("configure").click();
  await expect(banner.part("panel")).toContainText("Features are ways of processing data for one or more of the purposes.");
});

test("the largest id of a list is shown, too", async ({ page, shop, banner }) => {
  // A mask is a number of 32 bits: the last one is the sign where a script shifts it.
  await change(page, "**/news-few.partners.txt", (text) => {
    const lines = text.split("\n");
    lines[7] = (lines[7] ?? "").replace(/^[^\t]*/, "80000000");
    return lines.join("\n");
  });
  await change(page, "**/en.txt", (text) => `${text}\nc32\tThe last category\tIts description`);
  await page.goto(shop.page({ settings: { ...settings, cookiesVersion: "news-few" } }));
  await banner.part("configure").click();
  await expect(banner.part("panel")).toContainText("The last category");
});

for (const [how, near] of [["pointer", (button: Locator) => button.hover()], ["focus", (button: Locator) => button.focus()]] as const)
  test(`files of the layers come when the ${how} is near, and no sooner`, async ({ page, shop, banner }) => {
    const files = () => shop.requests.map((request) => /[^/]*$/.exec(request)?.[0] ?? "").filter((name) => /^layers\.|partners|^en\.txt|later/.test(name));
    await page.goto(shop.page({ settings: { ...settings, cookiesVersion: "news-few" } }));
    await expect(banner.part("title")).toBeFocused();
    await banner.part("message").or(banner.part("title")).first().hover();
    expect(files()).toEqual([]);
    await near(banner.part("configure"));
    await expect.poll(() => files().map((name) => name.replace(/^layers\.\w+/, "layers")).sort()).toEqual(["en.txt", "layers.js", "news-few.later.json", "news-few.partners.txt"]);
    await expect(banner.part("first-layer")).toBeVisible();
  });

test("the SDK for every configuration asks by TCF as well", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ delivery: "generic", settings: { ...settings, cookiesVersion: "news-few" }, head: heard }));
  await banner.part("configure").click();
  await page.locator('#placet [data-purpose="1"]').click();
  await banner.part("save").click();
  await expect.poll(async () => (await last(page)).eventStatus).toBe("useractioncomplete");
  const { tcString } = await last(page);
  expect(read(tcString)).toMatchObject({ purposes: [1], consents: [], screen: 2 });
  await expect.poll(() => shop.posts.length).toBe(1);
  expect(shop.posts[0]?.body.preferences).toMatchObject({ tcString, tcf: { screen: 2, action: "save" } });
  await page.reload();
  await expect.poll(async () => (await last(page))?.eventStatus).toBe("tcloaded");
  expect((await last(page)).tcString).toBe(tcString);
  expect(shop.requests.filter((request) => /iab-part\.\w+\.js$/.test(request)).length).toBeGreaterThan(0);
});

test("the SDK for every configuration has the part for TCF come beside the payload where the page has the stub", async ({ page, shop, banner }) => {
  const part = page.waitForRequest(/iab-part\.\w+\.js$/);
  await page.route("**/news-few.payload", async (route) => {
    await part;
    await route.continue();
  });
  await page.goto(shop.page({ delivery: "generic", settings: { ...settings, cookiesVersion: "news-few" }, head: await stub() }));
  await expect(banner.part("first-layer")).toBeVisible();
  expect(await page.evaluate(() => new Promise((done) => (window as any).__tcfapi("ping", 2, ({ cmpLoaded }: any) => done(cmpLoaded))))).toBe(true);
});

test("a partner's description of its storage is asked for when somebody opens it, and by this site's server", async ({ page, shop, banner }) => {
  const asked: string[] = [];
  let isThere = false;
  // The answers of the API, which its own tests check.
  await page.route("**/v1/app/tcf/vendors/*/storage", (route) => {
    asked.push(new URL(route.request().url()).pathname);
    const headers = { "access-control-allow-origin": "*" };
    if (!isThere) return route.fulfill({ status: 503, headers, json: { code: "unavailable" } });
    const nothing = { purposes: [], specialPurposes: [] };
    return route.fulfill({
      headers,
      json: {
        disclosures: [
          {
            identifier: "retarget-*", type: "cookie", maxAgeSeconds: 2_592_000, cookieRefresh: true, domains: ["*.ads.example"],
            purposes: [1, 3], specialPurposes: [], description: "<b>Shows</b> what was looked at", optOut: false,
          },
          { identifier: "seen", type: "web", maxAgeSeconds: null, cookieRefresh: false, domains: [], ...nothing, description: null, optOut: false },
        ],
        domains: [{ domain: "*.ads.example", use: "Ad server", ...nothing, specialPurposes: [2] }],
      },
    });
  });
  await page.goto(shop.page({ settings: { ...settings, cookiesVersion: "news-few" } }));
  await banner.part("configure").click();
  await banner.part("tab-partners").click();
  const described = banner.part("described").first();
  const rows = banner.part("more");
  for (let at = 0; !(await described.isVisible()); at++) await rows.nth(at).click();
  expect(asked).toEqual([]);
  await described.getByText("Storage on your device (Details)").click();
  await expect(described.getByRole("status")).toHaveText("The details cannot be loaded right now.");
  isThere = true;
  for (let click = 0; click < 2; click++) await described.getByText("Storage on your device (Details)").click();
  const items = described.getByRole("listitem");
  await expect(items).toHaveText([
    "retarget-* · cookie · 30 days · renewed at each visit · *.ads.example · Purpose 1 · Purpose 3<b>Shows</b> what was looked at",
    "seen · web",
    "*.ads.example · Special purpose 2Ad server",
  ]);
  expect(asked).toHaveLength(2);
  expect(new Set(asked).size).toBe(1);
  await expectAccessible(page, "#placet");
});

test("Google's providers are asked one by one, and a string of their own keeps each answer", async ({ page, shop, banner }) => {
  const providers = { ...settings, cookiesVersion: "news-google" };
  await page.goto(shop.page({ settings: providers, head: heard }));
  await expect(banner.part("first-layer")).toBeVisible();
  const answered = async (answer: () => Promise<void>): Promise<string> => {
    await answer();
    await expect.poll(async () => (await last(page)).eventStatus).toBe("useractioncomplete");
    return (await last(page)).addtlConsent as string;
  };
  const switches = page.locator("#placet [data-provider]");
  const partners = async (): Promise<void> => {
    await banner.part("configure").click();
    await banner.part("tab-partners").click();
    // They are shown when the rows of all partners are there.
    await switches.first().waitFor();
  };
  expect((await last(page)).addtlConsent).toBe("2~~dv.7.89.3000");
  await partners();
  // One that Google's list does not have is nowhere.
  await expect(switches).toHaveCount(3);
  await expect(page.getByRole("switch", { name: "Consent: Measurewell" })).toHaveAttribute("aria-checked", "false");
  await expect(page.getByRole("link", { name: "Privacy policy: Measurewell (opens in a new tab)" })).toHaveAttribute(
    "href",
    "https://provider-89.example/privacy",
  );
  // A search finds them as it finds partners.
  await banner.part("search").fill("measurew");
  await expect(switches).toHaveCount(1);
  await switches.click();
  await banner.part("search").fill("");
  await switches.first().waitFor();
  await expect(page.getByRole("switch", { name: "Consent: Measurewell" })).toHaveAttribute("aria-checked", "true");
  expect(await answered(() => banner.part("save").click())).toBe("2~89~dv.7.3000");
  await expect.poll(() => shop.posts.length).toBe(1);
  expect(shop.posts[0]?.body.preferences).toMatchObject({ addtlConsent: "2~89~dv.7.3000" });
  const kept = await page.context().cookies();
  expect(kept.find(({ name }) => name.startsWith("addtl_consent-"))?.value).toBe("2~89~dv.7.3000");

  // The next page knows the answer, and taking back one of all leaves the others.
  await page.reload();
  await expect.poll(async () => (await last(page)).addtlConsent).toBe("2~89~dv.7.3000");
  await banner.part("reopen").click();
  expect(await answered(() => banner.part("accept").click())).toBe("2~7.89.3000~dv.");
  await page.reload();
  await banner.part("reopen").click();
  await partners();
  await page.getByRole("switch", { name: "Consent: Sevenfold" }).click();
  expect(await answered(() => banner.part("save").click())).toBe("2~89.3000~dv.7");
  await page.reload();
  await banner.part("reopen").click();
  expect(await answered(() => banner.part("refuse").click())).toBe("2~~dv.7.89.3000");
});

test("the switches below a long list stand still, while it comes and when somebody jumps to them", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: { ...settings, cookiesVersion: "news-google" } }));
  await banner.part("configure").click();
  await banner.part("tab-partners").waitFor();
  const { seen, jumped } = await page.evaluate(async () => {
    const root = document.getElementById("placet")!.shadowRoot!;
    const layer = root.querySelector(".w")!;
    const frame = () => new Promise(requestAnimationFrame);
    // The switch's place in the list, and nothing while nobody can see it.
    const top = () => {
      const { top, height } = root.querySelector("[data-provider]")!.getBoundingClientRect();
      return height && Math.round(top + layer.scrollTop);
    };
    root.getElementById("tab-partners")!.click();
    const seen = new Set([top()]);
    for (let before = 0, now = -1, frames = 0; frames < 5; frames = now === before ? frames + 1 : 0) {
      before = now;
      await frame();
      now = root.querySelectorAll("[part=panel] > div > ul > li").length;
      seen.add(top());
    }
    root.querySelector("[data-provider]")!.scrollIntoView({ block: "center" });
    const place = () => root.querySelector("[data-provider]")!.getBoundingClientRect().top;
    const jumped = [place()];
    for (let frames = 0; frames < 5; frames++) {
      await frame();
      jumped.push(place());
    }
    return { seen: [...seen], jumped: [...new Set(jumped)] };
  });
  expect(seen).toEqual([0, expect.any(Number)]);
  expect(jumped).toHaveLength(1);
});

for (const [language, scheme, width] of [["en", "light", 1440], ["en", "dark", 320], ["ar", "light", 390]] as const)
  test(`every layer has names and contrast: ${language}, ${scheme}, ${width} px`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 844 });
    await page.goto(shop.page({ settings: { ...settings, cookiesVersion: `news-${language}` } }));
    await expect(banner.part("first-layer")).toBeVisible();
    const look = async (name: string) => {
      if (process.env.PLACET_PICTURES) await page.screenshot({ path: `${process.env.PLACET_PICTURES}/${language}-${scheme}-${name}.png` });
      await expectAccessible(page, "#placet");
      const wide = await page.evaluate(() => document.getElementById("placet")!.shadowRoot!.querySelector(".w")!.scrollWidth <= document.getElementById("placet")!.shadowRoot!.querySelector(".w")!.clientWidth);
      expect(wide).toBe(true);
    };
    await look("first");
    await banner.part("configure").click();
    await expect(banner.part("panel")).toBeVisible();
    await look("purposes");
    await banner.part("tab-interests").click();
    await look("interests");
    await banner.part("tab-partners").click();
    await banner.part("search").fill("viewtorsel");
    await banner.part("more").first().click();
    await look("partners");
  });
