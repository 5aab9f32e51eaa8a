// `__tcfapi` of three platforms, asked by one probe: IAB's own, ours behind our stub, ours behind IAB's stub. Spoilt ones
// must fail.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Page } from "@playwright/test";
import { GVL, TCModel, TCString } from "@iabtechlabtcf/core";
import { build } from "esbuild";
import { stub } from "./support/iab.ts";
import { expect, folder, test, type Shop } from "./support/shop.ts";
import { ask, early, failing, foreignStub, heard } from "./support/tcfapi.ts";

/** Walks through a visit: the layer, everything accepted, the next page. */
const visit = async (page: Page, address: string, accept: () => Promise<void>): Promise<string[]> => {
  await page.goto(address);
  await expect.poll(() => heard(page)).toContain("cmpuishown");
  const shown = await ask(page);
  await accept();
  await expect.poll(() => heard(page)).toContain("useractioncomplete");
  const chosen = await ask(page);
  await page.reload();
  await expect.poll(() => heard(page)).toContain("tcloaded");
  return failing({ shown, chosen, loaded: await ask(page) });
};
const settings = { clientId: "news", cookiesVersion: "news-few" };
const ours = (page: Page, shop: Shop, head: string) =>
  visit(page, shop.page({ settings, head: head + early }), async () => {
    await page.locator('#placet [part="accept"]').click();
    await expect.poll(() => shop.stored.length).toBe(1);
  });

test("IAB's own platform passes", async ({ page, shop }) => {
  const list = JSON.parse(await readFile(`${folder}/cdn/tcf/vendor-list-v200.json`, "utf8"));
  const model = new TCModel(new GVL(list));
  Object.assign(model, { cmpId: 31, cmpVersion: 1, isServiceSpecific: true, publisherCountryCode: "FR", created: new Date(), lastUpdated: new Date() });
  model.created.setUTCHours(0, 0, 0, 0);
  model.lastUpdated.setUTCHours(0, 0, 0, 0);
  model.setAllVendorsDisclosed();
  const shown = TCString.encode(model);
  model.setAllVendorConsents();
  model.setAllPurposeConsents();
  const chosen = TCString.encode(model);
  const { outputFiles } = await build({
    stdin: {
      contents: `import { CmpApi } from "@iabtechlabtcf/cmpapi";
        const api = new CmpApi(31, 1, true);
        window.accept = () => { sessionStorage.hasChosen = true; api.update("${chosen}", false); };
        if (sessionStorage.hasChosen) api.update("${chosen}", false); else api.update("${shown}", true);`,
      resolveDir: fileURLToPath(new URL("..", import.meta.url)),
    },
    bundle: true, write: false, format: "iife", logLevel: "error",
  });
  shop.script("/platform.js", outputFiles[0]?.text ?? "");
  const head = `${await foreignStub()}${early}<script defer src="/platform.js"></script>`;
  const address = shop.page({ delivery: "none", head });
  expect(await visit(page, address, () => page.evaluate(() => (window as any).accept()))).toEqual([]);
});

test("ours passes", async ({ page, shop }) => {
  expect(await ours(page, shop, await stub())).toEqual([]);
});

test("ours passes behind IAB's stub", async ({ page, shop }) => {
  expect(await ours(page, shop, await foreignStub())).toEqual([]);
});

/** Stands before the platform and spoils answers: `spoil(command, value, ok, version)` gives others. */
const spoilt = (spoil: string): string => `<script>{
  let real = window.__tcfapi;
  const spoil = ${spoil};
  const api = (...call) => {
    if (!call.length) return real();
    const [command, version, callback, parameter] = call;
    return real(command, version, (value, ok) => { const [a, b] = spoil(command, value, ok, version); callback(a, b); }, parameter);
  };
  Object.defineProperty(window, "__tcfapi", { get: () => api, set: (next) => (real = next) });
}</script>`;

for (const [what, spoil, found] of [
  ["tells nobody who was disclosed", "(command, value, ok) => (delete value?.vendor?.disclosedVendors, [value, ok])", "so do data"],
  ["leaves a segment out of its string", "(command, value, ok) => [value?.tcString ? { ...value, tcString: value.tcString.split('.')[0] } : value, ok]", "strings say who was disclosed"],
  ["consents before a choice", "(command, value, ok) => (value?.eventStatus === 'cmpuishown' && (value.purpose.consents[1] = true), [value, ok])", "there is no consent before a choice"],
  ["takes every version", "(command, value, ok, version) => (version === 1 ? [{}, true] : [value, ok])", "other versions are refused"],
  ["hands out one object", "(() => { let one; return (command, value, ok) => (command === 'getTCData' && value?.eventStatus === 'cmpuishown' ? [(one ||= value), ok] : [value, ok]); })()", "nobody's answer is another's object"],
  ["gives no ids to listeners", "(command, value, ok) => (value?.listenerId && delete value.listenerId, [value, ok])", "a listener keeps its id"],
  ["says that it is a stub", "(command, value, ok) => [value?.cmpStatus ? { ...value, cmpStatus: 'stub' } : value, ok]", "ping has its fields"],
  ["knows every command", "(command, value, ok) => (command === 'noSuchCommand' ? [{}, true] : [value, ok])", "unknown commands are refused"],
] as const)
  test(`a platform fails that ${what}`, async ({ page, shop }) => {
    expect(await ours(page, shop, (await stub()) + spoilt(spoil))).toContain(found);
  });
