// Consent boxes and contract boxes in forms of a page.

import { expect, test } from "./support/shop.ts";
import { expectAccessible, expectAccessibleInBoth } from "../support/axe.ts";

const NEWS = "01980000-0000-7000-8000-000000000031";
const TEAM = "01980000-0000-7000-8000-000000000032";
const TERMS = "01980000-0000-7000-8000-000000000041";
const settings = { clientId: "notices", cookiesVersion: "order", token: "visitor-4711" };
const form = (inside: string) => `<form id="order" action="/done" method="get">${inside}<button id="send">Order</button></form>`;
const fields = (page: import("@playwright/test").Page) =>
  page.evaluate(() => Object.fromEntries(new FormData(document.querySelector("#order") as HTMLFormElement) as unknown as Iterable<[string, string]>));

test("a page without boxes loads nothing for them", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings }));
  await expect(banner.dialog).toBeVisible();
  expect(shop.requests.filter((url) => url.includes("boxes"))).toEqual([]);
});

for (const delivery of ["bundle", "generic"] as const) {
  test(`a consent box: answers by button, fields of the form, screens: ${delivery}`, async ({ page, shop }) => {
    await page.goto(shop.page({ settings, delivery, body: form(`<div data-placet-processing="${NEWS}" data-name="news"></div>`) }));
    const box = page.locator("[data-placet-processing]");
    await expect(box.getByText("Our newsletter").first()).toBeVisible();
    expect(await fields(page)).toEqual({ news_token: "visitor-4711", news_consent_id: "" });
    expect(shop.posts).toEqual([]);
    await box.getByRole("button", { name: "Yes, write to me" }).click();
    await expect.poll(() => shop.stored.length).toBe(1);
    const [post] = shop.stored;
    expect(post?.path).toBe(`/v1/app/consents/notices/processings/${NEWS}`);
    expect(post?.body).toMatchObject({ accept: true, token: "visitor-4711", publication: "b".repeat(64), preferences: { config: { identifier: NEWS, language: "en" } } });
    expect(post?.body).not.toHaveProperty("value");
    expect(await fields(page)).toEqual({ news: "true", news_token: "visitor-4711", news_consent_id: post?.body.consentId });
    await expect(box.getByText("We will write to you")).toBeFocused();
    await expect(box.getByRole("status")).toHaveText("Your answer has been stored.");
    await box.getByRole("button", { name: "Change my answer" }).click();
    await expect(box.getByRole("button", { name: "Yes, write to me" })).toHaveAttribute("aria-pressed", "true");
    // A button's own value is stored with the consent.
    await box.getByRole("button", { name: "Only offers" }).click();
    await expect.poll(() => shop.stored[1]?.body).toMatchObject({ accept: true, value: "offers" });
    await box.getByRole("button", { name: "No, thank you" }).click();
    await expect.poll(() => shop.stored[2]?.body).toMatchObject({ accept: false });
    expect(await fields(page)).toEqual({ news_token: "visitor-4711", news_consent_id: shop.stored[2]?.body.consentId });
    await expect(box.getByRole("button", { name: "No, thank you" })).toHaveAttribute("aria-pressed", "true");
  });
}

test("an answer outlives a reset of its form, and a box that comes back gives it once", async ({ page, shop }) => {
  await page.goto(shop.page({ settings, body: form(`<div data-placet-processing="${NEWS}" data-name="news"></div>`) }));
  const box = page.locator("[data-placet-processing]");
  await expect(box.getByText("Our newsletter").first()).toBeVisible();
  await box.evaluate(async (host) => {
    const { parentNode } = host;
    host.remove();
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    await frame();
    await frame();
    parentNode?.append(host);
  });
  await box.getByRole("button", { name: "Yes, write to me" }).click();
  await expect(box.getByRole("status")).toHaveText("Your answer has been stored.");
  expect(shop.posts).toHaveLength(1);
  const given = { news: "true", news_token: "visitor-4711", news_consent_id: shop.stored[0]?.body.consentId };
  expect(await fields(page)).toEqual(given);
  await page.evaluate(() => document.querySelector("form")?.reset());
  await expect.poll(() => fields(page)).toEqual(given);
});

test("the details of a consent open in an overlay", async ({ page, shop }) => {
  await page.goto(shop.page({ settings, body: form(`<div data-placet-processing="${NEWS}"></div>`) }));
  const box = page.locator("[data-placet-processing]");
  await box.getByRole("button", { name: "Details" }).click();
  const dialog = box.getByRole("dialog", { name: "Details" });
  await expect(dialog).toBeVisible();
  for (const text of ["Sending the newsletter", "Letterbox Ltd", "E-mail address", "chosen by what you opened", "dpo@bakery.example", "Click on the link", "24"]) {
    await expect(dialog).toContainText(text);
  }
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(box.getByRole("button", { name: "Details" })).toBeFocused();
  expect(shop.posts).toEqual([]);
});

test("a contract: required, its file in a new tab, its checkbox the form's own", async ({ page, shop }) => {
  await page.goto(shop.page({ settings, body: form(`<div data-placet-contract="${TERMS}"></div>`) }));
  const box = page.locator("[data-placet-contract]");
  const check = page.getByRole("checkbox", { name: "Terms of sale" });
  await expect(check).toHaveAttribute("required");
  await expect(check).toHaveAttribute("name", "terms");
  const link = box.getByRole("link", { name: "Open the document (opens in a new tab)" });
  await expect(link).toHaveAttribute("href", "https://bakery.example/terms.pdf");
  await expect(link).toHaveAttribute("target", "_blank");
  // The browser refuses to submit the form without it.
  await page.evaluate(() => document.querySelector("form")?.addEventListener("submit", (event) => { event.preventDefault(); (window as any).sent = true; }));
  await page.locator("#placet").evaluate((host) => host.remove());
  await page.locator("#send").click();
  expect(await page.evaluate(() => (window as any).sent)).toBeUndefined();
  await expect(check, "in the project's colour of failures").toHaveCSS("outline-color", "rgb(170, 0, 0)");
  await box.locator("span", { hasText: "Terms of sale" }).last().click();
  await expect(check).toBeChecked();
  await expect.poll(() => shop.stored[0]?.body).toMatchObject({ accept: true });
  expect(shop.stored[0]?.path).toBe(`/v1/app/consents/notices/contracts/${TERMS}`);
  await page.locator("#send").click();
  expect(await page.evaluate(() => (window as any).sent)).toBe(true);
  await check.press("Space");
  await expect.poll(() => shop.stored[1]?.body).toMatchObject({ accept: false });
});

test("a known token finds its answer again", async ({ page, shop }) => {
  await page.route("**/v1/app/consent/**", (route) => {
    const { search, pathname } = new URL(route.request().url());
    // Logs have addresses.
    expect(pathname + search).toBe("/v1/app/consent/notices");
    const asked = route.request().postDataJSON();
    const known = asked.identifier === NEWS && asked.service === "processings" && asked.token === "visitor-4711";
    const json = known ? { accept: true, consentId: "earlier", createdAt: "2026-01-01T00:00:00.000Z", preferences: {}, value: "offers" } : { accept: false };
    return route.fulfill({ json, headers: { "Access-Control-Allow-Origin": "*" } });
  });
  await page.goto(shop.page({ settings, body: form(`<div data-placet-processing="${NEWS}" data-name="news"></div><div data-placet-contract="${TERMS}"></div>`) }));
  await expect.poll(() => fields(page)).toMatchObject({ news: "true", news_consent_id: "earlier", terms_consent_id: "" });
  await expect(page.getByRole("button", { name: "Only offers" })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("button", { name: "Yes, write to me" })).toHaveAttribute("aria-pressed", "false");
  // Another visitor answers anew.
  await page.evaluate(() => (window as any).placetSDK.setToken("somebody else"));
  expect(await fields(page)).toEqual({ news_token: "somebody else", news_consent_id: "", terms_token: "somebody else", terms_consent_id: "" });
});

test("another visitor on the same page gets their own answer, and never the previous visitor's", async ({ page, shop }) => {
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  const asked: string[] = [];
  await page.route("**/v1/app/consent/**", async (route) => {
    const { token } = route.request().postDataJSON();
    asked.push(token);
    if (token === "first") await held;
    const json = token === "third" ? { accept: false } : { accept: token === "first", consentId: `of the ${token}`, value: null };
    return route.fulfill({ json, headers: { "Access-Control-Allow-Origin": "*" } });
  });
  await page.goto(shop.page({ settings: { ...settings, token: "first" }, body: form(`<div data-placet-processing="${NEWS}" data-name="news"></div>`) }));
  await expect.poll(() => asked).toEqual(["first"]);
  await page.evaluate(() => (window as any).placetSDK.setToken("second"));
  await expect.poll(() => fields(page)).toEqual({ news_token: "second", news_consent_id: "of the second" });
  await expect(page.getByRole("button", { name: "No, thank you" })).toHaveAttribute("aria-pressed", "true");
  const third = page.waitForResponse((answer) => (answer.request().postData() ?? "").includes("third"));
  await page.evaluate(() => (window as any).placetSDK.setToken("third"));
  await third;
  const first = page.waitForResponse((answer) => (answer.request().postData() ?? "").includes("first"));
  release();
  await (await first).finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  expect(await fields(page)).toEqual({ news_token: "third", news_consent_id: "" });
  expect(asked).toEqual(["first", "second", "third"]);
});

test("a box answered while the banner is open: the answer is found again and can be withdrawn", async ({ page, context, shop, banner }) => {
  await page.route("**/v1/app/consent/**", (route) => {
    const { token } = route.request().postDataJSON();
    const known = shop.stored.findLast(({ body }) => body.token === token);
    const json = known ? { accept: known.body.accept, consentId: known.body.consentId, value: null } : { accept: false };
    return route.fulfill({ json, headers: { "Access-Control-Allow-Origin": "*" } });
  });
  const url = shop.page({ settings: { clientId: "notices", cookiesVersion: "soft" }, body: form(`<div data-placet-contract="${TERMS}"></div>`) });
  await page.goto(url);
  const check = page.getByRole("checkbox", { name: "Terms of sale" });
  await expect(check).not.toBeChecked();
  expect(await context.cookies()).toEqual([]);
  await check.check();
  await banner.saved();
  const token = shop.stored[0]?.body.token;
  expect(await context.cookies()).toEqual([expect.objectContaining({ name: "placet_cookies", path: "/", sameSite: "Lax", domain: "localhost" })]);
  expect(await banner.choice()).toEqual({ $$token: token, $$projectId: "notices" });
  await page.reload();
  await expect(check).toBeChecked();
  // The box's answer does not answer the banner.
  await expect(banner.dialog).toBeVisible();
  expect(await banner.events()).not.toContain("cookies:complete");
  await check.uncheck();
  await expect.poll(() => shop.stored.map(({ body }) => [body.accept, body.token])).toEqual([[true, token], [false, token]]);
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored[2]?.body.token).toBe(token);
  expect(await banner.choice()).toMatchObject({ $$token: token, $$completed: true, stats: false });
});

test("an answer that the API refuses for good does not stay in the form", async ({ page, shop }) => {
  shop.api = 422;
  await page.goto(shop.page({ settings, body: form(`<div data-placet-processing="${NEWS}" data-name="news"></div>`) }));
  const box = page.locator("[data-placet-processing]");
  const yes = box.getByRole("button", { name: "Yes, write to me" });
  await yes.click();
  await expect(box.getByRole("status")).toHaveText("Your answer could not be stored. Please try again.");
  expect(await fields(page)).toEqual({ news_token: "visitor-4711", news_consent_id: "" });
  await expect(yes).toHaveAttribute("aria-pressed", "false");
  await expect(box.getByText("We will write to you")).toBeHidden();
  shop.api = 201;
  await yes.click();
  await expect(box.getByRole("status")).toHaveText("Your answer has been stored.");
  expect(await fields(page)).toEqual({ news: "true", news_token: "visitor-4711", news_consent_id: shop.stored[0]?.body.consentId });
});

test("Tab stops only at visible elements, and a form with a missing answer leads there", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings, body: form(`<div data-placet-processing="${NEWS}" data-name="news" data-required></div>`) }));
  const box = page.locator("[data-placet-processing]");
  await expect(box.getByRole("checkbox")).toHaveAttribute("required");
  await banner.part("close").click();
  await page.locator("#search").focus();
  const stops: string[] = [];
  for (let press = 0; press < 9 && stops.at(-1) !== "send"; press++) {
    await page.keyboard.press("Tab");
    stops.push(await page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.getAttribute("part") ?? at?.id ?? at?.localName ?? "";
    }));
  }
  expect(stops).toEqual(["answer", "answer", "answer", "details", "send"]);
  await page.locator("#send").click();
  expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe("news");
  expect(page.url()).not.toContain("/done");
  // After the answer the form is sent with its proof.
  shop.page({}, "/done");
  await box.getByRole("button", { name: "Yes, write to me" }).click();
  await expect(box.getByRole("status")).toHaveText("Your answer has been stored.");
  await page.locator("#send").click();
  await page.waitForURL("**/done?**");
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ news: "true", news_token: "visitor-4711", news_consent_id: shop.stored[0]?.body.consentId });
});

test("nothing of the page leaks into a box", async ({ page, shop, banner }) => {
  const hostile = `<style>*{color:red!important;text-transform:uppercase!important;letter-spacing:9px!important;text-indent:4em!important;font-style:italic!important;white-space:pre!important;visibility:visible;line-height:3!important}
    button{font-size:60px!important}p{display:none!important}section{opacity:.1!important}</style>`;
  await page.goto(shop.page({ settings, head: hostile, body: form(`<div data-placet-processing="${NEWS}"></div>`) }));
  const look = (one: import("@playwright/test").Locator) =>
    one.evaluate((element) => {
      const { color, textTransform, letterSpacing, textIndent, fontStyle, whiteSpace, fontSize } = getComputedStyle(element);
      return { color: color === "rgb(255, 0, 0)", textTransform, letterSpacing, textIndent, fontStyle, whiteSpace, fontSize };
    });
  const plain = { color: false, textTransform: "none", letterSpacing: "normal", textIndent: "0px", fontStyle: "normal", whiteSpace: "normal" };
  const box = page.locator("[data-placet-processing]");
  expect(await look(box.getByRole("button", { name: "Yes, write to me" }))).toEqual({ ...plain, fontSize: "15px" });
  expect(await look(box.locator("[part=title]"))).toEqual({ ...plain, fontSize: "16.95px" });
  await expect(box.locator("[part=title]")).toBeVisible();
  await banner.part("close").click();
  await box.getByRole("button", { name: "Details" }).click();
  expect(await look(box.getByRole("dialog").locator("dt").first())).toEqual({ ...plain, fontSize: "15px" });
});

test("several boxes, one that comes later, and a page that renders anew", async ({ page, shop }) => {
  await page.goto(shop.page({ settings, body: form(`<div id="root"><div data-placet-processing="${TEAM}" data-name="team" data-required></div><div data-placet-contract="${TERMS}"></div></div>`) }));
  const team = page.getByRole("checkbox", { name: "J’accepte que mon message soit lu par toute l’équipe" });
  await expect(team).toHaveAttribute("required");
  await team.check();
  await expect.poll(() => shop.stored.length).toBe(1);
  await page.evaluate((id) => document.querySelector("#root")?.insertAdjacentHTML("beforeend", `<div data-placet-processing="${id}" data-name="news"></div>`), NEWS);
  await expect(page.getByText("Our newsletter").first()).toBeVisible();
  // A framework removes elements that it did not render.
  await page.evaluate(() => document.querySelectorAll("#root > div").forEach((div) => div.replaceChildren()));
  await expect(team).toBeChecked();
  await page.evaluate(() => {
    const root = document.querySelector("#root") as HTMLElement;
    root.innerHTML = String(root.innerHTML);
  });
  await expect(team).toBeChecked();
  expect(Object.keys(await fields(page)).sort()).toEqual(["news_consent_id", "news_token", "team", "team_consent_id", "team_token", "terms_consent_id", "terms_token"]);
  expect(shop.posts).toHaveLength(1);
});

test("openContract resolves when the proof is stored, and with nothing when it is closed", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings }));
  const open = () => page.evaluate((id) => void ((window as any).answer = undefined, (window as any).placetSDK.openContract(id).then((answer: unknown) => ((window as any).answer = answer))), TERMS);
  const answer = () => page.evaluate(() => (window as any).answer);
  await open();
  const dialog = page.getByRole("dialog", { name: "Terms of sale" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect.poll(answer).toBeNull();
  await open();
  await dialog.getByRole("button", { name: "Close without choosing" }).click();
  await expect.poll(answer).toBeNull();
  await expect(dialog).toHaveCount(0);
  shop.api = "down";
  await open();
  const failed = banner.failed();
  await dialog.getByRole("checkbox").check();
  await failed;
  expect(shop.posts.length).toBeGreaterThan(0);
  expect(await answer()).toBeUndefined();
  // Later in this page view another answer is sent, and the waiting proof goes first.
  shop.api = 201;
  await page.keyboard.press("Escape");
  await open();
  await expect(dialog.getByRole("checkbox")).toBeChecked();
  await dialog.getByRole("checkbox").click();
  await expect.poll(() => shop.stored.map(({ body }) => body.accept)).toEqual([true, false]);
  await expect.poll(answer).toMatchObject({ accept: false, consentId: shop.stored[1]?.body.consentId });
  await expect(dialog).toHaveCount(0);
  expect(await page.evaluate(() => (window as any).placetSDK.openContract("unknown").catch((error: Error) => error.message))).toContain("not published");
});

test("openContract resolves with an answer that is stored after the box was closed", async ({ page, shop }) => {
  await page.goto(shop.page({ settings }));
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route("**/v1/app/consents/**", async (route) => (await held, route.continue()));
  await page.evaluate((id) => void (window as any).placetSDK.openContract(id).then((answer: unknown) => ((window as any).answer = answer)), TERMS);
  const dialog = page.getByRole("dialog", { name: "Terms of sale" });
  const asked = page.waitForRequest("**/v1/app/consents/**");
  await dialog.getByRole("checkbox").check();
  await asked;
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  expect(await page.evaluate(() => (window as any).answer)).toBeUndefined();
  release();
  await expect.poll(() => page.evaluate(() => (window as any).answer)).toMatchObject({ accept: true, consentId: expect.any(String) });
});

test("an answer given offline reaches the server on the next page, once", async ({ page, shop }) => {
  shop.api = "down";
  const url = shop.page({ settings, body: form(`<div data-placet-contract="${TERMS}"></div>`) });
  await page.goto(url);
  await page.getByRole("checkbox", { name: "Terms of sale" }).check();
  await expect.poll(() => shop.posts.length).toBeGreaterThan(0);
  shop.api = 201;
  await page.reload();
  await expect.poll(() => shop.stored.map(({ body }) => body.accept)).toEqual([true]);
  expect(new Set(shop.posts.map(({ body }) => body.consentId)).size).toBe(1);
});

// Policies with origins or nonces, with and without WebAssembly: a box works as elsewhere.
for (const [name, scripts] of [["origins", "'self' {cdn} {api}"], ["nonces alone", "'nonce-n1'"]] as const) {
  for (const [how, more] of [["WebAssembly", "'wasm-unsafe-eval'"], ["no WebAssembly", ""]] as const) {
    for (const delivery of ["bundle", "generic"] as const) {
      test(`Trusted Types and a strict policy of ${name}, with ${how}: ${delivery}`, async ({ page, shop }) => {
        const violations: string[] = [];
        await page.exposeFunction("violated", (text: string) => /favicon/.test(text) || violations.push(text));
        await page.addInitScript(() =>
          document.addEventListener("securitypolicyviolation", (event) => (window as any).violated(`${event.violatedDirective} ${event.blockedURI}`)),
        );
        const policy = `default-src 'none'; script-src ${scripts} ${more}; style-src 'none'; connect-src {api} {cdn}; require-trusted-types-for 'script'; trusted-types placet`;
        const src = delivery === "bundle" ? `${shop.cdnUrl}/notices/order.js` : `${shop.apiUrl}/sdk.js`;
        const head = `<script nonce="n1" src="/settings.js"></script><script nonce="n1" async src="${src}"></script>`;
        const body = form(`<div data-placet-processing="${NEWS}" data-name="news"></div>`);
        await page.goto(shop.page({ settings, delivery: "none", head, body, headers: { "Content-Security-Policy": policy } }));
        const box = page.locator("[data-placet-processing]");
        const yes = box.getByRole("button", { name: "Yes, write to me" });
        await expect(yes).toHaveCSS("font-weight", "600");
        await page.locator("#placet [part=close]").click();
        await yes.click();
        await expect(box.getByRole("status")).toHaveText("Your answer has been stored.");
        expect(await fields(page)).toEqual({ news: "true", news_token: "visitor-4711", news_consent_id: shop.stored[0]?.body.consentId });
        await box.getByRole("button", { name: "Change my answer" }).click();
        await box.getByRole("button", { name: "Details" }).click();
        await expect(box.getByRole("dialog")).toContainText("Letterbox Ltd");
        await page.keyboard.press("Escape");
        await page.evaluate((id) => void (window as any).placetSDK.openContract(id).then((answer: unknown) => ((window as any).answer = answer)), TERMS);
        const dialog = page.getByRole("dialog", { name: "Terms of sale" });
        expect(await dialog.evaluate((one) => getComputedStyle(one).paddingTop)).toBe("20px");
        await dialog.getByRole("checkbox").click();
        await expect.poll(() => shop.stored.length).toBe(2);
        await expect.poll(() => page.evaluate(() => (window as any).answer)).toMatchObject({ accept: true, consentId: shop.stored[1]?.body.consentId });
        expect(violations.filter((text) => !text.includes("wasm"))).toEqual([]);
        expect(violations.some((text) => text.includes("wasm"))).toBe(more === "");
        expect(shop.requests.some((one) => /\/sdk\/core\.[0-9a-f]+\.js$/.test(one))).toBe(more === "");
      });
    }
  }
}

test("axe finds nothing", async ({ page, shop, banner }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 1000 });
    await page.goto(shop.page({ settings, body: form(`<div data-placet-processing="${NEWS}"></div><p></p><div data-placet-processing="${TEAM}"></div><p></p><div data-placet-contract="${TERMS}"></div>`) }));
    await expect(page.getByRole("checkbox")).toHaveCount(3);
    await banner.part("close").click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await expectAccessibleInBoth(page, async (scheme) => {
      if (process.env.PLACET_SHOTS) await page.screenshot({ path: `${process.env.PLACET_SHOTS}/boxes-${scheme}-${width}.png` });
    });
  }
});
