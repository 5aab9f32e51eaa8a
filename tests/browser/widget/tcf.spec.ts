// `__tcfapi` and `__gpp` beside the widget, asked as tags and frames ask them.

import { GppModel } from "@iabgpp/cmpapi";
import { type Page } from "@playwright/test";
import { allowed, page as iabPage, payload, read, stub, STRING, write, type Model } from "./support/iab.ts";
import { expect, test, type Banner, type Shop } from "./support/shop.ts";
import { foreignStub } from "./support/tcfapi.ts";

/** A tag that listens from the head on, as Google's and Prebid do. */
const listener = `<script>window.heard=[];window.pongs=[];
  __tcfapi("ping",2,(pong)=>pongs.push(pong));
  __tcfapi("addEventListener",2,(data,ok)=>heard.push({...data,ok}));</script>`;
const heard = (page: Page): Promise<any[]> => page.evaluate(() => (window as any).heard);
const ask = (page: Page, command: string, version: unknown = 2, parameter?: unknown): Promise<any> =>
  page.evaluate(
    ([command, version, parameter]) =>
      new Promise((done) => (window as any).__tcfapi(command, version, (value: unknown, ok: boolean) => done({ value, ok }), parameter)),
    [command, version, parameter] as const,
  );
const gpp = (page: Page, command: string, parameter?: unknown): Promise<any> =>
  page.evaluate(
    ([command, parameter]) => new Promise((done) => (window as any).__gpp(command, (value: unknown) => done(value), parameter)),
    [command, parameter] as const,
  );
const settings = { cookiesVersion: "shop-signals" };
/** In the unit of a string's times. */
const DAY = 864_000;
/** The stored TC string, read. */
const stored = async (banner: Banner): Promise<Model> => read((await banner.tcString()) ?? "");
const store = (page: Page, text: string): Promise<unknown> =>
  page.evaluate((pair) => (document.cookie = `${pair};path=/`), `${STRING}=${text}`);
const choices = (page: Page): Promise<Record<string, boolean> | undefined> =>
  page.evaluate(() => (window as any).placetSDK?.getChoices());
const reopen = (page: Page): Promise<void> => page.evaluate(() => (window as any).placetSDK.openCookies());

test("a listener of the stub hears the layer, the choice and the stored choice, each with a TC string", async ({ page, shop, banner }) => {
  const address = await iabPage(shop, {}, { head: listener, settings });
  await page.goto(address);
  await expect(banner.dialog).toBeVisible();
  const [shown] = await heard(page);
  expect(shown).toMatchObject({
    ok: true, eventStatus: "cmpuishown", cmpStatus: "loaded", gdprApplies: true, cmpId: 31, tcfPolicyVersion: 5,
    publisherCC: "FR", isServiceSpecific: true, useNonStandardTexts: false, purposeOneTreatment: false,
  });
  expect(read(shown.tcString)).toMatchObject({ consents: [], purposes: [], features: [], claims: [2, 12], interests: allowed.interests, disclosed: allowed.disclosed });
  expect(shown.vendor.consents).toEqual({ 2: false, 8: false, 9: false, 12: false, 755: false });
  expect(shown.vendor.disclosedVendors).toEqual({ 2: true, 8: true, 9: true, 12: true, 755: true });
  expect(shown.publisher.restrictions).toEqual({ 7: { 2: 1, 8: 1 } });
  expect(await page.evaluate(() => (window as any).pongs)).toEqual([{ cmpLoaded: false, cmpStatus: "stub", apiVersion: "2" }]);
  expect((await ask(page, "ping")).value).toMatchObject({ cmpLoaded: true, cmpStatus: "loaded", displayStatus: "visible", apiVersion: "2", gvlVersion: 178 });
  expect(await banner.tcString()).toBeUndefined();

  await banner.part("accept").click();
  await expect.poll(async () => (await heard(page)).map((one) => one.eventStatus)).toEqual(["cmpuishown", "useractioncomplete"]);
  const chosen = (await heard(page))[1];
  const model = read(chosen.tcString);
  expect(model).toMatchObject({ ...allowed, screen: 1, created: model.updated, updated: model.created, rules: allowed.rules });
  expect(model.created % 864_000).toBe(0);
  expect(await banner.tcString()).toBe(chosen.tcString);
  expect(chosen.listenerId).toBe(shown.listenerId);
  await banner.saved();
  expect(shop.posts[0]?.body.preferences).toMatchObject({ tcString: chosen.tcString, tcf: { screen: 1, action: "accept" } });

  await page.reload();
  await expect.poll(async () => (await heard(page)).map((one) => [one.eventStatus, one.tcString])).toEqual([["tcloaded", chosen.tcString]]);
  expect((await ask(page, "ping")).value.displayStatus).toBe("disabled");
  await page.evaluate(() => (window as any).placetSDK.openCookies());
  await banner.part("refuse").click();
  await expect.poll(async () => (await heard(page)).map((one) => one.eventStatus)).toEqual(["tcloaded", "cmpuishown", "useractioncomplete"]);
  expect(read((await heard(page))[2].tcString)).toMatchObject({ consents: [], claims: [], interests: [], purposes: [], features: [], disclosed: allowed.disclosed });
});

test("a first visit is answered before the widget is drawn, a later one in one task", async ({ page, shop, banner }) => {
  // Asks in the task after that of the interface's script.
  const head = `<script>{let api=window.__tcfapi;Object.defineProperty(window,"__tcfapi",{configurable:true,get:()=>api,set:(next)=>{api=next;
    setTimeout(()=>{api("ping",2,(pong)=>(window.asked=[pong.cmpLoaded,"placetSDK" in window]));
    api("addEventListener",2,(data)=>(window.heard??=[]).push(data.eventStatus))})}})}</script>`;
  const asked = () => page.evaluate(() => (window as any).asked);
  await page.goto(await iabPage(shop, {}, { head, settings }));
  await expect(banner.dialog).toBeVisible();
  expect(await asked()).toEqual([true, false]);
  // Nothing was disclosed before.
  expect(await page.evaluate(() => (window as any).heard)).toEqual(["cmpuishown"]);
  await banner.part("accept").click();
  await banner.saved();
  await page.reload();
  await expect.poll(asked).toEqual([true, true]);
});

test("commands answer as the interface says, each with an object of its own", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, { stub: false }, { settings }));
  await expect(banner.dialog).toBeVisible();
  for (const version of [2, 0, null]) expect((await ask(page, "getTCData", version)).ok).toBe(true);
  for (const [command, version] of [["getTCData", 1], ["getTCData", 3], ["getInAppTCData", 2], ["toString", 2]] as const)
    expect(await ask(page, command, version)).toEqual({ value: null, ok: false });
  expect(await ask(page, "removeEventListener", 2, 99)).toEqual({ value: false, ok: undefined });
  const asked: string[] = [];
  await page.route("**/tcf/vendor-list-v3.json", (route) => {
    asked.push(route.request().url());
    // As the server answers of a file that it does not have.
    return route.fulfill({ status: 404, contentType: "application/problem+json", headers: { "Access-Control-Allow-Origin": "*" }, body: `{"status":404}` });
  });
  expect(await ask(page, "getVendorList", 2, 3)).toEqual({ value: null, ok: false });
  expect(asked).toHaveLength(1);
  const spoilt = await page.evaluate(
    () =>
      new Promise<boolean>((done) => {
        const api = (window as any).__tcfapi;
        api("addEventListener", 2, (data: any) => (data.vendor.consents[2] = "mine"));
        api("addEventListener", 2, (data: any) => done(data.vendor.consents[2] === "mine"));
      }),
  );
  expect(spoilt).toBe(false);
  expect(await page.evaluate(() => (window as any).frames.__tcfapiLocator !== undefined)).toBe(true);
});

for (const [whose, theirs] of [["ours", stub], ["IAB's", foreignStub]] as const)
  test(`calls and listeners that waited in a stub are answered in their order: ${whose}`, async ({ page, shop, banner }) => {
    const head = `${await theirs()}<script>window.told=[];
      const tell=(name)=>(value,ok)=>told.push([name,value&&value.eventStatus,ok]);
      __tcfapi("first",2,tell("first"));__tcfapi("addEventListener",2,tell("A"));
      __tcfapi("second",2,tell("second"));__tcfapi("addEventListener",2,tell("B"))</script>`;
    await page.goto(await iabPage(shop, { stub: false }, { head, settings }));
    await expect(banner.dialog).toBeVisible();
    expect(await page.evaluate(() => (window as any).told)).toEqual([
      ["first", null, false], ["A", "cmpuishown", true], ["second", null, false], ["B", "cmpuishown", true],
    ]);
  });

test("the cookies of the strings have the attributes of the choice's", async ({ page, context, shop, banner }) => {
  const shape = { userCookiesDuration: 30, userCookiesSameSite: "Strict", userCookiesSecure: true };
  await page.goto(await iabPage(shop, { additional: "7.89" }, { settings: { ...settings, ...shape } }));
  await banner.part("accept").click();
  await banner.saved();
  const cookies = await context.cookies();
  const named = (name: string) => cookies.filter((one) => one.name.startsWith(name));
  const [choice] = named("placet_cookies");
  const strings = [...named("euconsent-v2-"), ...named("addtl_consent-")];
  expect(strings).toHaveLength(2);
  for (const { domain, path, sameSite, secure, expires } of strings) {
    expect({ domain, path, sameSite, secure }).toEqual({ domain: choice?.domain, path: choice?.path, sameSite: "Strict", secure: true });
    expect(Math.abs(expires - (choice?.expires ?? 0))).toBeLessThan(60);
  }
  // Servers read them as they are.
  expect(strings.map(({ value }) => value)).toEqual([await banner.tcString(), "2~7.89~dv."]);
});

test("files of the frameworks come from the address that the site names", async ({ page, shop, banner }) => {
  const asked: string[] = [];
  await page.route("https://files.example/**", (route) => {
    asked.push(new URL(route.request().url()).pathname);
    return route.fulfill({ json: { vendorListVersion: 3 }, headers: { "Access-Control-Allow-Origin": "*" } });
  });
  await page.goto(await iabPage(shop, { stub: false }, { settings: { ...settings, configUrl: "https://files.example" } }));
  await expect(banner.dialog).toBeVisible();
  expect(await ask(page, "getVendorList", 2, 3)).toEqual({ value: { vendorListVersion: 3 }, ok: true });
  expect(asked).toEqual(["/tcf/vendor-list-v3.json"]);
});

test("a frame of another origin is answered in the form in which it asks", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, {}, { settings }));
  await expect(banner.dialog).toBeVisible();
  const answers = await page.evaluate(async () => {
    const frame = document.createElement("iframe");
    frame.sandbox.add("allow-scripts");
    frame.srcdoc = `<script>const put=(one)=>parent.parent.postMessage({test:one},"*");let n=0;
      onmessage=({data})=>{put([typeof data,typeof data=="string"?JSON.parse(data):data])};
      const call={command:"ping",version:2,callId:"a"};parent.postMessage({__tcfapiCall:call},"*");
      parent.postMessage(JSON.stringify({__tcfapiCall:call}),"*");
      parent.postMessage({__gppCall:{command:"ping",version:"1.1",callId:7}},"*");</script>`;
    const seen: any[] = [];
    const all = new Promise<void>((done) =>
      addEventListener("message", ({ data }) => data.test && seen.push(data.test) === 3 && done()),
    );
    document.body.append(frame);
    await all;
    return seen;
  });
  expect(answers).toMatchObject([
    ["object", { __tcfapiReturn: { success: true, callId: "a", returnValue: { cmpLoaded: true } } }],
    ["string", { __tcfapiReturn: { success: true, callId: "a", returnValue: { cmpLoaded: true } } }],
    ["object", { __gppReturn: { success: true, callId: 7, returnValue: { gppVersion: "1.1" } } }],
  ]);
});

for (const [what, change] of [
  ["of another platform", { cmp: 32 }],
  ["that is not for this service alone", { own: 0 }],
  ["from before vendors were disclosed", { disclosed: undefined }],
  ["of 391 days ago", { days: 391 }],
] as const)
  test(`a stored string ${what} asks again`, async ({ page, shop, banner }) => {
    const address = await iabPage(shop, {}, { head: listener, settings });
    await page.goto(address);
    await banner.part("accept").click();
    await banner.saved();
    const { updated, ...model } = await stored(banner);
    const days = "days" in change ? change.days : 0;
    let text = write({ ...model, updated: updated - days * DAY, disclosed: [], ...change, ...("disclosed" in change && { disclosed: [] }) });
    if ("disclosed" in change) text = text.split(".")[0] ?? "";
    await store(page, text);
    await page.reload();
    await expect(banner.dialog).toBeVisible();
    expect((await heard(page)).map((one) => one.eventStatus)).toEqual(["cmpuishown"]);
    expect(await page.evaluate(() => (window as any).placetSDK.getChoices())).toEqual({ stats: false, ads: false });
  });

test("a string of 389 days ago still counts", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, {}, { head: listener, settings: { ...settings, userCookiesDuration: 1000 } }));
  await banner.part("accept").click();
  await banner.saved();
  const { updated, ...model } = await stored(banner);
  await store(page, write({ ...model, updated: updated - 389 * DAY }));
  await page.reload();
  await expect.poll(async () => (await heard(page)).map((one) => one.eventStatus)).toEqual(["tcloaded"]);
});

test("reopened, the layer tells the stored string, and closing it as it was ends the action", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, {}, { head: listener, settings }));
  await banner.part("accept").click();
  await banner.saved();
  const text = await banner.tcString();
  await page.reload();
  await expect.poll(async () => (await heard(page)).length).toBe(1);
  await reopen(page);
  await banner.part("close").click();
  await expect.poll(async () => (await heard(page)).map((one) => [one.eventStatus, one.tcString])).toEqual([
    ["tcloaded", text], ["cmpuishown", text], ["useractioncomplete", text],
  ]);
  expect((await ask(page, "ping")).value.displayStatus).toBe("hidden");
  expect((await gpp(page, "ping")).signalStatus).toBe("ready");
  expect(shop.posts).toHaveLength(1);
});

test("a partner that only a newer list has is disclosed by the next answer, and not before", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, {}, { settings }));
  await banner.part("accept").click();
  await banner.saved();
  const before = await banner.tcString();
  const newer = { disclosed: [...allowed.disclosed, 800], consents: [...allowed.consents, 800], list: 179 };
  await page.goto(await iabPage(shop, { text: write({ ...allowed, ...newer }) }, { head: listener, settings }));
  await expect.poll(async () => (await heard(page)).map((one) => [one.eventStatus, one.tcString, one.vendor.disclosedVendors[800]])).toEqual([
    ["tcloaded", before, undefined],
  ]);
  await reopen(page);
  await banner.part("accept").click();
  await expect.poll(async () => (await heard(page)).at(-1).vendor.disclosedVendors[800]).toBe(true);
  expect(await stored(banner)).toMatchObject(newer);
});

test("another round asks again", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, {}, { settings }));
  await banner.part("accept").click();
  await banner.saved();
  await page.goto(await iabPage(shop, {}, { settings }));
  await expect.poll(() => page.evaluate(() => (window as any).placetSDK?.getChoices())).toEqual({ stats: true, ads: true });
  expect(await banner.dialog.count()).toBe(0);
  await page.goto(await iabPage(shop, { round: 2 }, { settings }));
  await expect(banner.dialog).toBeVisible();
});

for (const [what, other, names] of [
  ["configurations of a project", { round: 0 }, {}],
  ["projects with cookies of their own", { project: "other" }, { jsonCookieName: "b", authorizedVendorsCookieName: "b_yes", allVendorsCookieName: "b_all" }],
] as const)
  test(`two ${what} each ask once, and neither takes the answer of the other`, async ({ page, shop, banner }) => {
    const identifier = "01980000-0000-7000-8000-00000000abcd";
    const kids: Model = { disclosed: [2, 3, 8, 9, 12, 755], consents: [2, 3, 8, 12, 755], rules: [[3, 0, [[2, 755]]]] };
    const [first, second] = [
      await iabPage(shop, { round: 2 }, { head: listener, settings }, "/main"),
      await iabPage(shop, { round: 2, ...other, identifier, text: write({ ...allowed, ...kids }) }, { head: listener, settings: { ...settings, ...names } }, "/kids"),
    ];
    await page.goto(first);
    await banner.part("accept").click();
    await banner.saved();
    await page.goto(second);
    await expect(banner.dialog).toBeVisible();
    const [shown] = await heard(page);
    expect(shown.eventStatus).toBe("cmpuishown");
    expect(read(shown.tcString)).toMatchObject({ consents: [], disclosed: kids.disclosed, rules: kids.rules });
    await banner.part("refuse").click();
    await expect.poll(() => shop.posts.length).toBe(2);
    for (const [address, consents, disclosed] of [[first, allowed.consents, allowed.disclosed], [second, [], kids.disclosed]]) {
      await page.goto(address);
      await expect.poll(async () => (await heard(page)).map((one) => one.eventStatus)).toEqual(["tcloaded"]);
      expect(read((await heard(page))[0].tcString)).toMatchObject({ consents, disclosed });
      expect(await banner.dialog.count()).toBe(0);
    }
  });

test("the string of another platform goes with the first choice", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, {}, { settings }));
  await page.evaluate(() => (document.cookie = "euconsent-v2=COw;path=/"));
  await banner.part("refuse").click();
  await banner.saved();
  expect(Object.keys(await banner.cookies()).filter((name) => name.startsWith("euconsent"))).toEqual([STRING]);
});

test("of two strings the one of the whole site counts", async ({ page, shop, banner }) => {
  const address = await iabPage(shop, {}, { head: listener, settings }, "/main");
  await page.goto(address);
  await banner.part("accept").click();
  await banner.saved();
  const own = await banner.tcString();
  const { pathname } = new URL(address);
  const other = write({ ...allowed, consents: [], purposes: [] });
  await page.evaluate((pair) => (document.cookie = pair), `${STRING}=${other};path=${pathname}`);
  // Browsers list the longer path first.
  expect(await page.evaluate((name) => document.cookie.split("; ").filter((one) => one.startsWith(name)).length, STRING)).toBe(2);
  await page.goto(address);
  await expect.poll(async () => (await heard(page)).map(({ tcString }) => tcString)).toEqual([own]);
});

test("asked again, objections stay, and what is new may rely on its interest", async ({ page, shop, banner }) => {
  const fewer = { disclosed: [2, 8, 9, 755], consents: [2, 8, 755], claims: [2], interests: [2, 7] };
  await page.goto(await iabPage(shop, { text: write({ ...allowed, ...fewer }) }, { settings }));
  await banner.part("refuse").click();
  await banner.saved();
  await page.goto(await iabPage(shop, { round: 2 }, { head: listener, settings }));
  await expect(banner.dialog).toBeVisible();
  const [{ eventStatus, tcString }] = await heard(page);
  expect(eventStatus).toBe("cmpuishown");
  const objecting = { interests: [8, 9, 10, 11], claims: [12] };
  expect(read(tcString)).toMatchObject({ ...objecting, consents: [], purposes: [] });
  // Accepting all keeps them.
  await banner.part("accept").click();
  await expect.poll(async () => (await stored(banner)).purposes).toEqual(allowed.purposes);
  expect(await stored(banner)).toMatchObject(objecting);
});

test("a catalogue service that is a partner follows its bits, and Google's signals the string", async ({ page, shop, banner }) => {
  const own = ["ads|8|1.3"];
  await page.goto(await iabPage(shop, { own, flags: "tm" }, { settings }));
  await banner.part("accept").click();
  await banner.saved();
  const granted = { ad_storage: "granted", ad_user_data: "granted", ad_personalization: "granted", analytics_storage: "granted" };
  expect(shop.posts[0]?.body.preferences).toMatchObject({ vendors: { stats: true, ads: true } });
  const signals = (await banner.seen()).find(([event]) => event === "consent:signals");
  expect(signals?.[1]).toEqual(granted);
  // Another page of the site has objected to the partner alone.
  await store(page, write({ ...(await stored(banner)), consents: [2, 755] }));
  await page.reload();
  await expect.poll(() => page.evaluate(() => (window as any).placetSDK?.getChoices())).toEqual({ stats: true, ads: false });
});

for (const [bits, granted] of [
  [{ consents: [755], purposes: [1] }, ["ad_storage"]],
  [{ consents: [755], purposes: [1, 7] }, ["ad_storage", "ad_user_data"]],
  [{ consents: [755], purposes: [7] }, []],
  [{ consents: [755], purposes: [3, 4] }, ["ad_personalization"]],
  [{ consents: [755], purposes: [3] }, []],
  [{ consents: [755], purposes: [4] }, []],
  [{ consents: [2, 8], purposes: [1, 3, 4, 7] }, []],
] as const)
  test(`Google's signals follow partners ${bits.consents} and purposes ${bits.purposes}`, async ({ page, shop, banner }) => {
    await page.goto(await iabPage(shop, {}, { head: listener, settings }));
    await banner.part("accept").click();
    await banner.saved();
    await store(page, write({ ...(await stored(banner)), ...bits }));
    await page.reload();
    const signals = Object.fromEntries(
      ["ad_storage", "ad_user_data", "ad_personalization"].map((name) => [name, (granted as readonly string[]).includes(name) ? "granted" : "denied"]),
    );
    await expect.poll(async () => (await banner.seen()).find(([event]) => event === "consent:signals")?.[1]).toMatchObject(signals);
    const updates = await page.evaluate(() => ((window as any).dataLayer as any[]).filter((one) => one[0] === "consent" && one[1] === "update").map((one) => one[2]));
    expect(updates).toEqual([expect.objectContaining(signals)]);
    expect((await heard(page))[0].enableAdvertiserConsentMode).toBe(true);
  });

test("Google is told of consent mode by TCF where it is on alone", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, { without: "m" }, { settings }));
  await expect(banner.dialog).toBeVisible();
  const { value } = await ask(page, "getTCData");
  expect([value.eventStatus, value.enableAdvertiserConsentMode]).toEqual(["cmpuishown", undefined]);
});

test("in a frame of a page with another platform nothing is shown", async ({ page, shop }) => {
  const address = await iabPage(shop, { stub: false }, { settings }, "/inner");
  shop.page({ document: `<!doctype html><title>Around</title><iframe name="__tcfapiLocator"></iframe><iframe title="Inner" src="${address}"></iframe>` }, "/around");
  const said: string[] = [];
  page.on("console", (line) => said.push(line.text()));
  await page.goto(`${shop.site}/around`);
  await expect.poll(() => said.join()).toContain("another consent platform");
  const inner = page.frames().find((frame) => frame.url() === address);
  expect(await inner?.evaluate(() => [typeof (window as any).__tcfapi, document.getElementById("placet")])).toEqual(["undefined", null]);
});

for (const name of ["__tcfapi", "__gpp"])
  test(`below the locator of another platform the stub claims nothing: ${name}`, async ({ page, shop }) => {
    // Only calls to the stub: the other interface shows that it has run.
    const other = name === "__tcfapi" ? "__gpp" : "__tcfapi";
    const inner = shop.page({ document: `<!doctype html><title>Inner</title>${await stub()}<body>Inner` }, "/below");
    shop.page({ document: `<!doctype html><title>Around</title><iframe name="${name}Locator"></iframe><iframe title="Inner" src="${inner}"></iframe>` }, "/around");
    await page.goto(`${shop.site}/around`);
    const frame = page.frames().find((one) => one.url() === inner);
    const claims = () => frame?.evaluate((names) => names.map((one) => [typeof (window as any)[one], document.querySelectorAll(`iframe[name=${one}Locator]`).length]), [name, other]);
    await expect.poll(claims).toEqual([["undefined", 0], ["function", 1]]);
  });

test("a form of the page around that has the locator's name is no platform", async ({ page, shop }) => {
  const inner = await iabPage(shop, {}, { settings }, "/inner");
  // Its fields stand for what a window has.
  const form = (name: string) => `<form name="${name}Locator"><input name="window"><input name="postMessage"></form>`;
  shop.page({ document: `<!doctype html><title>Around</title>${form("__tcfapi")}${form("__gpp")}<iframe title="Inner" src="${inner}"></iframe>` }, "/around");
  await page.goto(`${shop.site}/around`);
  await expect(page.frameLocator("iframe[title=Inner]").locator("#placet").getByRole("dialog")).toBeVisible();
  const frame = page.frames().find((one) => one.url() === inner);
  const claims = await frame?.evaluate(() => ["__tcfapi", "__gpp"].map((name) => [typeof (window as any)[name], document.querySelectorAll(`iframe[name=${name}Locator]`).length]));
  expect(claims).toEqual([["function", 1], ["function", 1]]);
});

test("below the locator of another platform of the Global Privacy Platform its interface alone stays away", async ({ page, shop }) => {
  const address = await iabPage(shop, { stub: false, flags: "u", mspa: "CA" }, { settings }, "/inner");
  shop.page({ document: `<!doctype html><title>Around</title><iframe name="__gppLocator"></iframe><iframe title="Inner" src="${address}"></iframe>` }, "/around");
  const said: string[] = [];
  page.on("console", (line) => said.push(line.text()));
  await page.goto(`${shop.site}/around`);
  const inner = page.frameLocator("iframe[title=Inner]");
  await expect(inner.locator("#placet").getByRole("dialog")).toBeVisible();
  expect(said.join()).toContain("__gpp stays");
  const frame = page.frames().find((one) => one.url() === address);
  expect(await frame?.evaluate(() => [typeof (window as any).__gpp, document.querySelector("iframe[name=__gppLocator]")])).toEqual(["undefined", null]);
});

test("beside another platform nothing is shown", async ({ page, shop, banner }) => {
  const foreign = `<script>window.__tcfapi=(command,version,answer)=>answer({cmpLoaded:true,cmpId:99},true)</script>`;
  const said: string[] = [];
  page.on("console", (line) => said.push(line.text()));
  await page.goto(await iabPage(shop, { stub: false }, { head: foreign, settings }));
  await expect.poll(() => said.join()).toContain("another consent platform");
  expect(await banner.dialog.count()).toBe(0);
  expect((await ask(page, "ping")).value.cmpId).toBe(99);
});

for (const flags of ["u", "tu"])
  test(`beside another platform of the Global Privacy Platform its interface stays: ${flags}`, async ({ page, shop, banner }) => {
    const foreign = `<script>window.asked=[];window.__gpp=(command,answer)=>{asked.push(command);answer({cmpStatus:"loaded",cmpId:99},true)};
      __gpp.queue=[["ping",()=>asked.push("taken")]];__gpp.events=[{id:1,callback:()=>asked.push("told")}]</script>`;
    const said: string[] = [];
    page.on("console", (line) => said.push(line.text()));
    await page.goto(await iabPage(shop, { stub: false, flags, mspa: "CA" }, { head: foreign, settings }));
    await expect(banner.dialog).toBeVisible();
    expect(said.join()).toContain("__gpp stays");
    await banner.part("accept").click();
    await banner.saved();
    expect(await page.evaluate(() => (window as any).asked)).toEqual(["ping"]);
    expect((await gpp(page, "ping")).cmpId).toBe(99);
    // The choice is proven all the same.
    expect((shop.posts[0]?.body.preferences as any).gppString).toEqual(flags === "u" ? undefined : expect.stringMatching(/~CVQqAAAAAACA\.QA$/));
  });

test("where the rules do not apply four fields are told and nothing is asked; until then nobody is called", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, { applies: "s" }, { head: listener, settings }));
  await expect.poll(async () => (await ask(page, "ping")).value.cmpLoaded).toBe(true);
  expect(await heard(page)).toEqual([]);
  await page.evaluate(() => ((window as any).placetSettings.gdprApplies = false));
  await expect.poll(async () => (await heard(page)).length).toBe(1);
  const { listenerId, ok, ...fields } = (await heard(page))[0];
  expect(fields).toEqual({ gdprApplies: false, tcfPolicyVersion: 5, cmpId: 31, cmpVersion: 1 });
  await expect.poll(() => choices(page)).toEqual({ stats: false, ads: false });
  expect(await banner.dialog.count()).toBe(0);
  expect(await gpp(page, "ping")).toMatchObject({ gppString: "DBAA", sectionList: [], applicableSections: [-1], signalStatus: "ready" });
});

test("where the page says later that the rules apply, both interfaces follow", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, { applies: "s" }, { head: listener, settings }));
  await expect.poll(async () => (await ask(page, "ping")).value.cmpLoaded).toBe(true);
  expect(await banner.dialog.count()).toBe(0);
  await page.evaluate(() => ((window as any).placetSettings.gdprApplies = true));
  await expect(banner.dialog).toBeVisible();
  await expect.poll(async () => (await heard(page)).map((one) => [one.eventStatus, one.gdprApplies])).toEqual([["cmpuishown", true]]);
  expect(await gpp(page, "ping")).toMatchObject({ sectionList: [2], applicableSections: [2], signalStatus: "not ready" });
  await banner.part("accept").click();
  await banner.saved();
  expect((await ask(page, "getTCData")).value).toMatchObject({ gdprApplies: true, eventStatus: "useractioncomplete" });
  expect((await gpp(page, "ping")).gppString).toBe(`DBABMA~${await banner.tcString()}`);
});

for (const applies of ["a", "s"] as const)
  test(`a damaged payload grants nothing and says so to all who ask: ${applies}`, async ({ page, shop, banner }) => {
    const head = `${listener}<script>window.pong=0;__gpp("hasSection",(has)=>(pong=[has]),"tcfeuv2")</script>`;
    await page.goto(await iabPage(shop, { text: "COw", flags: "tu", mspa: "CA", applies }, { head, settings }));
    await expect.poll(async () => (await ask(page, "ping")).value.cmpStatus).toBe("error");
    expect(await heard(page)).toMatchObject([{ ok: true, cmpStatus: "error", listenerId: expect.any(Number), vendor: { consents: {}, disclosedVendors: {} } }]);
    const { value, ok } = await ask(page, "getTCData");
    expect([ok, value.cmpStatus, Object.values(value.purpose.consents).some(Boolean)]).toEqual([true, "error", false]);
    expect(await page.evaluate(() => (window as any).pong)).toEqual([false]);
    expect(await gpp(page, "ping")).toMatchObject({ cmpStatus: "error", signalStatus: "not ready", gppString: "DBAA", applicableSections: [-1] });
    expect(await banner.dialog.count()).toBe(0);
  });

test("a global privacy string has the TC string, and waits for the choice", async ({ page, shop, banner }) => {
  const head = `<script>window.events=[];__gpp("addEventListener",(one)=>events.push([one.eventName,one.data,one.pingData.signalStatus]))</script>`;
  await page.goto(await iabPage(shop, {}, { head, settings }));
  await expect(banner.dialog).toBeVisible();
  expect(await gpp(page, "ping")).toMatchObject({ cmpStatus: "loaded", cmpDisplayStatus: "visible", signalStatus: "not ready", sectionList: [2], applicableSections: [2] });
  await banner.part("accept").click();
  await banner.saved();
  const pong = await gpp(page, "ping");
  expect(pong).toMatchObject({ signalStatus: "ready", gppString: `DBABMA~${await banner.tcString()}` });
  expect(pong.parsedSections.tcfeuv2[0]).toMatchObject({ CmpId: 31, VendorConsents: allowed.consents });
  expect((await page.evaluate(() => (window as any).events)).slice(1)).toEqual([
    ["cmpDisplayStatus", "visible", "not ready"], ["signalStatus", "not ready", "not ready"],
    ["cmpDisplayStatus", "hidden", "not ready"], ["sectionChange", "tcfeuv2", "not ready"], ["signalStatus", "ready", "ready"],
  ]);
});

/** The stub of IAB, version 1.1, in its words where they count: it answers some calls, and keeps listeners and all others. */
const foreignGppStub = `<script>window.__gpp=function(){
  var b=arguments;__gpp.queue=__gpp.queue||[];__gpp.events=__gpp.events||[];
  if(!b.length||(b.length==1&&b[0]=="queue"))return __gpp.queue;
  if(b.length==1&&b[0]=="events")return __gpp.events;
  var cmd=b[0],clb=b.length>1?b[1]:null,par=b.length>2?b[2]:null;
  var pong={gppVersion:"1.1",cmpStatus:"stub",cmpDisplayStatus:"hidden",signalStatus:"not ready",supportedAPIs:["2:tcfeuv2","7:usnat"],cmpId:0,sectionList:[],applicableSections:[],gppString:"",parsedSections:{}};
  if(cmd==="ping")clb(pong,true);
  else if(cmd==="addEventListener"){
    if(!("lastId" in __gpp))__gpp.lastId=0;
    __gpp.lastId++;var lnr=__gpp.lastId;__gpp.events.push({id:lnr,callback:clb,parameter:par});
    clb({eventName:"listenerRegistered",listenerId:lnr,data:true,pingData:pong},true);
  }else if(cmd==="removeEventListener"){
    var success=false;
    for(var i=0;i<__gpp.events.length;i++)if(__gpp.events[i].id==par){__gpp.events.splice(i,1);success=true;break;}
    clb({eventName:"listenerRemoved",listenerId:par,data:success,pingData:pong},true);
  }else if(cmd==="hasSection")clb(false,true);
  else if(cmd==="getSection"||cmd==="getField")clb(null,true);
  else __gpp.queue.push([].slice.apply(b));
};</script>`;

test("listeners and calls that waited in IAB's stub are taken over, first in, first out", async ({ page, shop, banner }) => {
  const head = `${foreignGppStub}<script>window.told=[];
    for(const name of ["A","B"])__gpp("addEventListener",(one)=>told.push([name,one.eventName,one.listenerId,one.pingData.cmpStatus]));
    for(const name of ["first","second"])__gpp(name,(value,ok)=>told.push([name,value,ok]));</script>`;
  await page.goto(await iabPage(shop, { stub: false, flags: "u", mspa: "CA" }, { head, settings }));
  await expect(banner.dialog).toBeVisible();
  expect(await page.evaluate(() => (window as any).told)).toEqual([
    ["A", "listenerRegistered", 1, "stub"], ["B", "listenerRegistered", 2, "stub"],
    ["first", null, false], ["second", null, false],
    ["A", "signalStatus", 1, "loaded"], ["B", "signalStatus", 2, "loaded"],
  ]);
  // Frames of other origins cannot guess an id, and remove nobody else's listener.
  const later = await page.evaluate(() => {
    const seen: unknown[] = [];
    (window as any).__gpp("addEventListener", (one: any) => seen.push(one.listenerId));
    (window as any).__gpp("removeEventListener", (one: any) => seen.push(one.data), 1);
    return seen;
  });
  expect(later).toEqual([expect.any(Number), true]);
  expect(later[0]).toBeGreaterThan(1_000);
});

test("the global platform's commands answer, and IAB's library reads its string", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, { flags: "tu", mspa: "CA" }, { settings }));
  await banner.part("accept").click();
  await banner.saved();
  const answers = await page.evaluate(() => {
    const api = (window as any).__gpp;
    const ask = (command: string, parameter?: unknown) => {
      let answer: unknown[] = [];
      api(command, (...values: unknown[]) => (answer = values), parameter);
      return answer;
    };
    const events: unknown[] = [];
    let id = 0;
    api("addEventListener", (one: any) => (events.push(one.eventName), (id = one.listenerId)));
    const removed = [ask("removeEventListener", id), ask("removeEventListener", id)] as any[];
    (window as any).placetSDK.openCookies();
    return {
      events, removed: removed.map(([one, ok]) => [one.eventName, one.data, one.listenerId === id, ok]),
      section: ask("getSection", "usnat"), none: ask("getSection", "usca"), unknown: ask("noSuchCommand"), inherited: ask("toString"),
      field: ask("getField", "usnat.Gpc"), noField: ask("getField", "usnat.None"),
    };
  });
  expect(answers).toMatchObject({
    // The events that follow are for those who still listen.
    events: ["listenerRegistered"],
    removed: [["listenerRemoved", true, true, true], ["listenerRemoved", false, true, false]],
    section: [[{ Version: 2, SaleOptOut: 2, MspaCoveredTransaction: 2 }, { SubsectionType: 1, Gpc: false }], true],
    none: [null, true], unknown: [null, false], inherited: [null, false], field: [false, true], noField: [null, true],
  });
  const { gppString, cmpId, sectionList, applicableSections } = await gpp(page, "ping");
  expect([cmpId, sectionList, applicableSections]).toEqual([31, [2, 7], [2, 7]]);
  const model = new GppModel(gppString);
  expect(model.getSectionIds()).toEqual([2, 7]);
  expect(model.getFieldValue("usnat", "SaleOptOut")).toBe(2);
  expect(model.getFieldValue("usnat", "Gpc")).toBe(false);
  expect(model.getFieldValue("tcfeuv2", "PurposeConsents").slice(0, 12)).toEqual([...Array(11).fill(true), false]);
  expect(model.getFieldValue("tcfeuv2", "VendorConsents")).toEqual(allowed.consents);
});

test("a browser's signal opts out of the states, and a later acceptance beats it", async ({ browser, shop }) => {
  const context = await browser.newContext();
  await context.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
  const page = await context.newPage();
  await page.goto(await iabPage(shop, { flags: "u", without: "g", mspa: "CA" }, { settings }));
  await expect.poll(async () => (await gpp(page, "ping")).cmpStatus).toBe("loaded");
  expect(await gpp(page, "ping")).toMatchObject({
    gppString: "DBABLA~CVQVAAAAAACA.YA", signalStatus: "ready", cmpDisplayStatus: null, sectionList: [7], applicableSections: [7],
    // Without TCF there is no registration, which this number stands for.
    cmpId: 1,
  });
  expect(await gpp(page, "getField", "usnat.SaleOptOut")).toBe(1);
  expect(await gpp(page, "hasSection", "usnat")).toBe(true);
  expect(await gpp(page, "hasSection", "tcfeuv2")).toBe(false);
  await page.locator('#placet [part="accept"]').click();
  await expect.poll(async () => (await gpp(page, "ping")).gppString).toBe("DBABLA~CVQqAAAAAACA.YA");
  expect(await page.evaluate(() => typeof (window as any).__tcfapi("ping", 2, () => {}))).toBe("undefined");
  await context.close();
});

for (const delivery of ["bundle", "generic"] as const)
  for (const flags of ["u", "tu"])
    test(`the section of the states is told on a later page when the stored refusal is known, not before: ${delivery}, ${flags}`, async ({ page, shop, banner }) => {
      const head = `<script>window.told=[];__gpp("addEventListener",(one)=>told.push([one.pingData.signalStatus,one.pingData.gppString.split("~").pop()]))</script>`;
      const iab = { flags, mspa: "CA" };
      // The generic SDK has the part for the frameworks on its way beside the module, in either order.
      const text = (await payload(iab)).replaceAll("http://api.placet.invalid", shop.apiUrl);
      await page.route("**/shop-signals.payload", (route) => route.fulfill({ body: text, headers: { "access-control-allow-origin": "*" } }));
      const address = delivery === "bundle"
        ? await iabPage(shop, iab, { head, settings })
        : shop.page({ delivery, head: (await stub()) + head, settings });
      await page.goto(address);
      await banner.part("refuse").click();
      await banner.saved();
      await page.goto(address);
      const told = () => page.evaluate(() => (window as any).told);
      await expect.poll(async () => (await told()).at(-1)?.[0]).toBe("ready");
      const ready = (await told()).filter(([status]: [string]) => status === "ready");
      expect(ready).toEqual([["ready", "CVQVAAAAAACA.QA"]]);
      expect((await gpp(page, "ping")).gppString).toMatch(/CVQVAAAAAACA\.QA$/);
      // Nothing is refused any more.
      await page.evaluate(() => (window as any).placetSDK.clear());
      await expect.poll(async () => (await told()).at(-1)).toEqual(["ready", "CVQqAAAAAACA.QA"]);
    });

for (const flags of ["u", "tu"])
  test(`a browser's signal that came after an acceptance opts out of the states: ${flags}`, async ({ page, shop, banner }) => {
    await page.goto(await iabPage(shop, { flags, without: "g", mspa: "CA" }, { settings }));
    await banner.part("accept").click();
    await banner.saved();
    expect((await gpp(page, "ping")).gppString).toMatch(/CVQqAAAAAACA\.QA$/);
    await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
    await page.reload();
    await expect.poll(async () => (await gpp(page, "ping")).signalStatus).toBe("ready");
    expect((await gpp(page, "ping")).gppString).toMatch(/CVQVAAAAAACA\.YA$/);
    // Accepted again, in spite of it.
    await reopen(page);
    await banner.part("accept").click();
    await expect.poll(async () => (await gpp(page, "ping")).gppString).toMatch(/CVQqAAAAAACA\.YA$/);
    await page.reload();
    await expect.poll(async () => (await gpp(page, "ping")).signalStatus).toBe("ready");
    expect((await gpp(page, "ping")).gppString).toMatch(/CVQqAAAAAACA\.YA$/);
  });

test("a prerendered page tells no answer of before", async ({ page, shop, banner }) => {
  const address = await iabPage(shop, {}, { head: listener, settings });
  await page.goto(address);
  await banner.part("accept").click();
  await banner.saved();
  const accepted = await banner.tcString();
  const other = await page.context().newPage();
  await other.addInitScript(() => {
    let ahead = true;
    Object.defineProperty(document, "prerendering", { configurable: true, get: () => ahead });
    (window as any).look = () => ((ahead = false), document.dispatchEvent(new Event("prerenderingchange")));
  });
  await other.goto(address, { waitUntil: "networkidle" });
  expect((await ask(other, "ping")).value).toMatchObject({ cmpLoaded: true, cmpStatus: "loading" });
  expect(await heard(other)).toEqual([]);
  await reopen(page);
  await banner.part("refuse").click();
  await expect.poll(() => banner.tcString()).not.toBe(accepted);
  await other.evaluate(() => (window as any).look());
  await expect.poll(async () => (await heard(other)).map((one) => [one.eventStatus, one.tcString])).toEqual([["tcloaded", await banner.tcString()]]);
  await other.close();
});

test("where cookies are refused the TC string is kept elsewhere", async ({ page, shop, banner }) => {
  await page.addInitScript(() => {
    Object.defineProperty(document, "cookie", { get: () => "", set: () => {} });
    Object.defineProperty(navigator, "cookieEnabled", { get: () => false });
  });
  await page.goto(await iabPage(shop, {}, { head: listener, settings }));
  await banner.part("accept").click();
  await banner.saved();
  const { tcString } = (await heard(page)).at(-1);
  await page.reload();
  await expect.poll(async () => (await heard(page)).map((one) => [one.eventStatus, one.tcString])).toEqual([["tcloaded", tcString]]);
  await page.evaluate(() => (window as any).placetSDK.clear());
  await page.reload();
  await expect(banner.dialog).toBeVisible();
  expect(await page.evaluate((name) => localStorage.getItem(name), STRING)).toBeNull();
});

test("the browser's signal is acknowledged where only the section of the states follows it", async ({ page, shop, banner }) => {
  // Pages of the fixture have the sentence, since their configuration respects the signal: here nothing but the section does.
  const iab = { flags: "u", without: "g", mspa: "CA" };
  await page.goto(await iabPage(shop, iab, { settings }));
  await expect(banner.dialog).toBeVisible();
  await expect(banner.part("gpc")).toBeHidden();
  await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
  await page.reload();
  await expect(banner.part("gpc")).toBeVisible();
});

for (const [what, answer, then, out] of [
  ["a partner that only a newer list has", {}, { disclosed: [2, 8, 9, 12, 20, 755], consents: [2, 8, 12, 20, 755] }, false],
  ["a refused partner, where the owner has taken another one out", { consents: [2, 12, 755] }, { disclosed: [2, 8, 9, 755], consents: [2, 8, 755], claims: [2] }, true],
  ["objections to partners that ask no consent", { consents: [], claims: [] }, { consents: [], purposes: [] }, true],
] as const)
  test(`opting out of the states: ${what} ${out ? "does" : "does not"}`, async ({ page, shop, banner }) => {
    await page.goto(await iabPage(shop, { flags: "tu", mspa: "CA" }, { settings }));
    await banner.part("accept").click();
    await banner.saved();
    await store(page, write({ ...(await stored(banner)), ...answer }));
    await page.goto(await iabPage(shop, { flags: "tu", mspa: "CA", text: write({ ...allowed, ...then }) }, { settings }));
    // No service outside of the framework decides it.
    await expect.poll(() => choices(page)).toEqual({ stats: true, ads: true });
    expect((await gpp(page, "ping")).gppString).toMatch(out ? /~CVQVAAAAAACA\.QA$/ : /~CVQqAAAAAACA\.QA$/);
  });

for (const answer of ["save", "accept"] as const)
  test(`what is not asked any more gets no bit, ${answer === "save" ? "saved again" : "accepted again"}`, async ({ page, shop, banner }) => {
    await page.goto(await iabPage(shop, {}, { settings }));
    await banner.part("accept").click();
    await banner.saved();
    expect((await stored(banner)).consents).toEqual(allowed.consents);
    // The owner takes out a partner, a purpose and a special feature, and asks nobody again.
    const fewer: Model = {
      disclosed: [2, 8, 9, 755], consents: [2, 8, 755], claims: [2], features: [1],
      purposes: allowed.purposes.slice(0, -1), interests: allowed.interests.slice(0, -1),
    };
    await page.goto(await iabPage(shop, { text: write({ ...allowed, ...fewer }) }, { settings }));
    await expect.poll(() => choices(page)).toEqual({ stats: true, ads: true });
    await reopen(page);
    if (answer === "save") await banner.part("configure").click();
    await banner.part(answer === "save" ? "next" : answer).click();
    await expect.poll(async () => (await stored(banner)).disclosed).toEqual(fewer.disclosed);
    expect(await stored(banner)).toMatchObject(fewer);
  });

test("saving is no acceptance, though every own service is on", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, {}, { settings }));
  await banner.part("accept").click();
  await banner.saved();
  expect(shop.posts[0]?.body.accept).toBe(true);
  await store(page, write({ ...(await stored(banner)), features: [], purposes: [], interests: [], consents: [], claims: [] }));
  await page.reload();
  await reopen(page);
  await banner.part("configure").click();
  await banner.part("next").click();
  await expect.poll(() => shop.posts.length).toBe(2);
  expect(shop.posts[1]?.body).toMatchObject({ accept: false, preferences: { vendors: { stats: true, ads: true }, tcf: { screen: 1, action: "save" } } });
});

test("the button of a placeholder whose service is no partner leaves the string in the proof", async ({ page, shop, banner }) => {
  const body = `<iframe title="Film" data-requires-vendor-consent="ads" data-src="/film" width="560" height="315"></iframe>`;
  shop.page({ delivery: "none", body: "A film" }, "/film");
  await page.goto(await iabPage(shop, {}, { settings, body }));
  await banner.part("refuse").click();
  await banner.saved();
  await page.getByRole("button", { name: "Allow AdHarbour" }).click();
  await expect.poll(() => shop.posts.length).toBe(2);
  const tcString = await banner.tcString();
  expect(shop.posts[1]?.body).toMatchObject({ accept: false, preferences: { vendors: { stats: false, ads: true }, tcString, tcf: { screen: 5, action: "save", kept: true } } });
});

test.describe("the button of a placeholder whose service is a partner", () => {
  const own = ["ads|8|1.3"];
  const body = `<iframe title="Film" data-requires-vendor-consent="ads" data-src="/film" width="560" height="315"></iframe>`;
  const allow = (page: Page) => page.getByRole("button", { name: "Allow AdHarbour" });
  const film = (page: Page): Promise<string> => page.locator("iframe[title=Film]").evaluate((frame: HTMLIFrameElement) => frame.src.replace(/^.*\//, "/"));

  test("gives the partner its bits, tells and stores them", async ({ page, shop, banner }) => {
    shop.page({ delivery: "none", body: "A film" }, "/film");
    await page.goto(await iabPage(shop, { own }, { head: listener, settings, body }));
    await banner.part("refuse").click();
    await banner.saved();
    await allow(page).click();
    await expect.poll(() => film(page)).toBe("/film");
    await expect.poll(async () => (await heard(page)).map((one) => one.eventStatus)).toEqual(["cmpuishown", "useractioncomplete", "useractioncomplete"]);
    const { tcString } = (await heard(page)).at(-1);
    expect(read(tcString)).toMatchObject({ consents: [8], purposes: [1, 3], claims: [], interests: [], features: [], screen: 5 });
    expect(await banner.tcString()).toBe(tcString);
    expect((await banner.seen()).filter(([event]) => event === "cookies:complete").at(-1)).toEqual(["cookies:complete", { stats: false, ads: true }]);
    await expect.poll(() => shop.posts.length).toBe(2);
    expect(shop.posts[1]?.body.preferences).toMatchObject({ vendors: { stats: false, ads: true }, tcString, tcf: { screen: 5, action: "save" } });
    await page.reload();
    await expect.poll(() => film(page)).toBe("/film");
    expect(await choices(page)).toEqual({ stats: false, ads: true });
  });

  test("shows the purposes first where other partners would get them, too", async ({ page, shop, banner }) => {
    await page.goto(await iabPage(shop, { own }, { settings, body }));
    await banner.part("accept").click();
    await banner.saved();
    await store(page, write({ ...(await stored(banner)), consents: [2], purposes: [1] }));
    await page.reload();
    await allow(page).click();
    await expect(banner.dialog).toBeVisible();
    expect(await stored(banner)).toMatchObject({ consents: [2], purposes: [1] });
    await banner.part("configure").click();
    await banner.part("next").click();
    await expect.poll(async () => (await stored(banner)).consents).toEqual([2, 8]);
    expect((await stored(banner)).purposes).toEqual([1, 3]);
    expect(await choices(page)).toEqual({ stats: true, ads: true });
  });
});

test("where the rules do not apply the button of a placeholder allows its service, on the next page, too", async ({ page, shop, banner }) => {
  shop.page({ delivery: "none", body: "A film" }, "/film");
  const frames = ["ads", "stats"].map((name) => `<iframe title="${name}" data-requires-vendor-consent="${name}" data-src="/film"></iframe>`);
  const visit = async (gdprApplies: boolean) =>
    page.goto(await iabPage(shop, { applies: "s", own: ["ads|8|1.3"] }, { settings: { ...settings, gdprApplies }, body: frames.join("") }));
  const films = () => page.locator("iframe[src$='/film']").evaluateAll((found) => found.map((frame) => (frame as HTMLIFrameElement).title));
  // Answers to the layer say nothing there.
  await visit(true);
  await banner.part("accept").click();
  await banner.saved();
  const { tcString } = shop.posts[0]?.body.preferences as unknown as { tcString: string };
  await visit(false);
  await expect.poll(() => choices(page)).toEqual({ stats: false, ads: false });

  await page.getByRole("button", { name: "Allow AdHarbour" }).click();
  await expect.poll(films).toEqual(["ads"]);
  await expect.poll(() => shop.posts.length).toBe(2);
  expect(shop.posts[1]?.body.preferences.vendors).toEqual({ stats: false, ads: true });
  expect(shop.posts[1]?.body.preferences).not.toHaveProperty("tcString");
  expect(await banner.tcString()).toBe(tcString);
  await page.reload();
  await expect.poll(films).toEqual(["ads"]);
  expect(await choices(page)).toEqual({ stats: false, ads: true });
  expect((await ask(page, "getTCData")).value).toMatchObject({ gdprApplies: false });

  // It is no answer to the layer of a page to which they apply.
  await visit(true);
  await expect(banner.dialog).toBeVisible();
  expect(await choices(page)).toEqual({ stats: false, ads: false });
});

test.describe("a service that is a partner without a question for consent", () => {
  const visit = async (page: Page, shop: Shop, banner: Banner, answer: "accept" | "refuse" | "save", own: string, change: Model = {}) => {
    const address = await iabPage(shop, { own: [own], text: write({ ...allowed, consents: [2, 755], ...change }) }, { settings });
    await page.goto(address);
    if (answer === "save") await banner.part("configure").click();
    await banner.part(answer === "save" ? "next" : answer).click();
    await banner.saved();
    const now = await choices(page);
    expect(shop.posts.at(-1)?.body.preferences.vendors).toEqual(now);
    await page.reload();
    await expect.poll(() => choices(page)).toEqual(now);
    return now?.ads;
  };

  test("is allowed until a visitor objects to its interest", async ({ page, shop, banner }) => {
    const own = "ads|12|7.9|i";
    expect(await visit(page, shop, banner, "accept", own)).toBe(true);
    // Accepting all keeps the objection, and the service with it.
    const objecting = write({ ...(await stored(banner)), claims: [2] });
    await store(page, objecting);
    await page.reload();
    await expect.poll(() => choices(page)).toEqual({ stats: true, ads: false });
    await reopen(page);
    await banner.part("accept").click();
    await expect.poll(() => shop.posts.length).toBe(2);
    expect(shop.posts[1]?.body.preferences.vendors).toEqual({ stats: true, ads: false });
    expect((await stored(banner)).claims).toEqual([2]);
    expect(await choices(page)).toEqual({ stats: true, ads: false });
  });

  for (const [name, own] of [["legitimate interests", "ads|12|7.9|i"], ["special purposes alone", "ads|9|"]] as const)
    for (const [answer, isAllowed] of [["accept", true], ["save", true], ["refuse", false]] as const)
      test(`is on this page as on the next one: ${name}, ${answer}`, async ({ page, shop, banner }) => {
        expect(await visit(page, shop, banner, answer, own)).toBe(isAllowed);
      });
});

test.describe("the browser's signal, which the owner respects", () => {
  const own = ["ads|8|1.3"];
  const signal = (page: Page) => page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));

  test("objects to legitimate interests before an answer", async ({ page, shop, banner }) => {
    await signal(page);
    await page.goto(await iabPage(shop, { flags: "tu", mspa: "CA", own }, { head: listener, settings }));
    await expect(banner.dialog).toBeVisible();
    expect(read((await heard(page))[0].tcString)).toMatchObject({ interests: [], claims: [], consents: [], purposes: [] });
    // Accepting all keeps that objection.
    await banner.part("accept").click();
    await banner.saved();
    expect(await stored(banner)).toMatchObject({ interests: [], claims: [], consents: allowed.consents });
  });

  test("is beaten by a later acceptance, for partners on each page", async ({ page, shop, banner }) => {
    await signal(page);
    await page.goto(await iabPage(shop, { flags: "tu", mspa: "CA", own }, { settings }));
    await banner.part("accept").click();
    await banner.saved();
    const isAccepted = async () => {
      expect(await choices(page)).toEqual({ stats: true, ads: true });
      expect((await gpp(page, "ping")).gppString).toMatch(/~CVQqAAAAAACA\.YA$/);
    };
    await isAccepted();
    expect(shop.posts[0]?.body.preferences.vendors).toEqual({ stats: true, ads: true });
    await page.reload();
    await expect.poll(() => choices(page)).toBeDefined();
    await isAccepted();
  });

  test("still keeps services outside of the framework off when all is accepted", async ({ page, shop, banner }) => {
    await signal(page);
    await page.goto(await iabPage(shop, { flags: "tu", mspa: "CA" }, { settings }));
    await banner.part("accept").click();
    await banner.saved();
    expect(await choices(page)).toEqual({ stats: true, ads: false });
    expect((await gpp(page, "ping")).gppString).toMatch(/~CVQVAAAAAACA\.YA$/);
    await page.reload();
    await expect.poll(() => choices(page)).toEqual({ stats: true, ads: false });
  });

  test("takes a partner back that was allowed before it, for good", async ({ page, shop, banner }) => {
    await page.goto(await iabPage(shop, { flags: "tu", mspa: "CA", own }, { settings }));
    await banner.part("accept").click();
    await banner.saved();
    await signal(page);
    for (let visit = 0; visit < 2; visit++) {
      await page.reload();
      await expect.poll(() => choices(page)).toEqual({ stats: true, ads: false });
      expect((await gpp(page, "ping")).gppString).toMatch(/~CVQVAAAAAACA\.YA$/);
    }
    await reopen(page);
    await banner.part("accept").click();
    await expect.poll(() => choices(page)).toEqual({ stats: true, ads: true });
    await page.reload();
    await expect.poll(() => choices(page)).toEqual({ stats: true, ads: true });
  });
});

test("a string that is too long for a cookie is found again, and cleared", async ({ page, shop, banner }) => {
  const rules = [[7, 1, Array.from({ length: 900 }, (_, at) => [3 * at + 1, 3 * at + 2])]];
  await page.goto(await iabPage(shop, { text: write({ ...allowed, rules }) }, { head: listener, settings }));
  await banner.part("accept").click();
  await banner.saved();
  const { tcString } = (await heard(page)).at(-1);
  expect(tcString.length).toBeGreaterThan(3800);
  // Of 9 and 12 no run tells anything.
  expect((await ask(page, "getTCData")).value.publisher.restrictions).toEqual({ 7: { 2: 1, 8: 1, 755: 1 } });
  const kept = () => page.evaluate((name) => [document.cookie.includes(name), localStorage.getItem(name)], STRING);
  expect(await kept()).toEqual([false, tcString]);
  await page.reload();
  await expect.poll(async () => (await heard(page)).map((one) => [one.eventStatus, one.tcString])).toEqual([["tcloaded", tcString]]);
  expect(await banner.dialog.count()).toBe(0);
  await page.evaluate(() => (window as any).placetSDK.clear());
  expect(await kept()).toEqual([false, null]);
});

test("a choice that is cleared under an open layer is no ground for the next one", async ({ page, shop, banner }) => {
  await page.goto(await iabPage(shop, { own: ["ads|8|1.3"] }, { settings }));
  await banner.part("accept").click();
  await banner.saved();
  await reopen(page);
  await page.evaluate(() => (window as any).placetSDK.clear());
  expect(await choices(page)).toEqual({ stats: false, ads: false });
  await banner.part("accept").click();
  await expect.poll(() => shop.posts.length).toBe(2);
  expect(shop.posts[1]?.body.preferences.vendors).toEqual({ stats: true, ads: true });
  expect(await choices(page)).toEqual({ stats: true, ads: true });
});

test("an answer on another page of the site counts on this one", async ({ page, shop, banner }) => {
  const address = await iabPage(shop, { own: ["ads|8|1.3"] }, { head: listener, settings });
  await page.goto(address);
  await expect(banner.dialog).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(address);
  await other.locator('#placet [part="accept"]').click();
  await expect.poll(async () => (await heard(page)).map((one) => one.eventStatus)).toEqual(["cmpuishown", "useractioncomplete"]);
  expect((await heard(page))[1].tcString).toBe(await banner.tcString());
  await expect.poll(() => choices(page)).toEqual({ stats: true, ads: true });
  await expect(banner.dialog).toHaveCount(0);
});
