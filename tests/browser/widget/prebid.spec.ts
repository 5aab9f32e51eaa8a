// Prebid beside the widget, as publishers run it: its bidders wait for the visitor's choice and hold to it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Page } from "@playwright/test";
import { auction, prebid } from "../support/prebid.ts";
import { page as iabPage, read, stub } from "./support/iab.ts";
import { expect, folder, test as base, type Banner, type Shop } from "./support/shop.ts";

interface Vendor {
  readonly id: number;
  readonly name: string;
  readonly purposes: number[];
  readonly legIntPurposes: number[];
}

/** Bidders by their codes, with the vendors of the list that they are. */
type Bidders = Readonly<Record<"north" | "south", Vendor>>;

/** A bid request as the site's server received it. */
interface Request {
  readonly bidder: string;
  readonly consent: string;
  readonly gpp: string;
}

const test = base.extend<{}, { prebid: string; bidders: Bidders }>({
  prebid: [
    async ({}, use) => use(await prebid()),
    { scope: "worker" },
  ],
  // Two vendors that ask for consent alone, also to select advertisements (purpose 2).
  bidders: [
    async ({}, use) => {
      const list = JSON.parse(await readFile(join(folder, "cdn/tcf/vendor-list-v200.json"), "utf8")) as { vendors: Record<string, Vendor> };
      const suited = Object.values(list.vendors).filter(
        ({ name, purposes, legIntPurposes }) => /^[\w .]+$/.test(name) && [1, 2].every((id) => purposes.includes(id)) && !legIntPurposes.length,
      );
      const [north, south] = suited as [Vendor, Vendor];
      await use({ north, south });
    },
    { scope: "worker" },
  ],
});

/** Opens a page with an auction. */
const open = async (page: Page, shop: Shop, prebid: string, bidders: Bidders, consent = true): Promise<void> => {
  shop.script("/prebid.js", prebid);
  for (const code of Object.keys(bidders)) shop.script(`/bids/${code}`, "{}");
  const settings = { clientId: "news", cookiesVersion: "news-en" };
  await page.goto(shop.page({ settings, head: `${await stub()}${auction({ north: bidders.north.id, south: bidders.south.id }, consent)}` }));
};
const requests = (shop: Shop): Request[] =>
  shop.requests.flatMap((request) => {
    const { pathname, searchParams } = new URL(request.split(" ")[1] ?? "");
    const [, bidder] = /^\/bids\/(\w+)$/.exec(pathname) ?? [];
    return bidder ? [{ bidder, consent: searchParams.get("consent") ?? "", gpp: searchParams.get("gpp") ?? "" }] : [];
  });
const bidders = (shop: Shop): string[] => requests(shop).map(({ bidder }) => bidder).sort();
/** To each auction that has ended, the bidders that took part. */
const auctions = (page: Page): Promise<string[][]> => page.evaluate(() => (window as any).auctions);
const tcString = async (banner: Banner): Promise<string> => (await banner.tcString()) ?? "";

test("without consent management bids go out before a choice", async ({ page, shop, banner, prebid, bidders: both }) => {
  await open(page, shop, prebid, both, false);
  await expect(banner.part("first-layer")).toBeVisible();
  await expect.poll(() => auctions(page)).toEqual([["north", "south"]]);
  expect(requests(shop).map(({ consent }) => consent)).toEqual(["", ""]);
});

test("bids wait for the choice, and carry both strings after it", async ({ page, shop, banner, prebid, bidders: both }) => {
  await open(page, shop, prebid, both);
  await expect(banner.part("first-layer")).toBeVisible();
  await expect.poll(() => page.evaluate(() => (window as any).hasAsked)).toBe(true);
  const { eventStatus } = await page.evaluate(
    () => new Promise<any>((done) => (window as any).__tcfapi("addEventListener", 2, (data: unknown) => done(data))),
  );
  expect(eventStatus).toBe("cmpuishown");
  // Requests of bidders would be on the way before this one.
  await page.evaluate(() => fetch("/prebid.js").then((answer) => answer.text()));
  expect([bidders(shop), await auctions(page)]).toEqual([[], []]);

  await banner.part("accept").click();
  await expect.poll(() => auctions(page)).toEqual([["north", "south"]]);
  const text = await tcString(banner);
  const { consents, disclosed } = read(text);
  for (const { id } of [both.north, both.south]) expect([consents, disclosed]).toEqual([expect.arrayContaining([id]), expect.arrayContaining([id])]);
  const { gppString } = await page.evaluate(() => new Promise<any>((done) => (window as any).__gpp("ping", done)));
  expect(gppString).toMatch(new RegExp(`^DBACMMA~${text}~CVQq`));
  expect(requests(shop)).toHaveLength(2);
  for (const request of requests(shop)) expect(request).toMatchObject({ consent: text, gpp: gppString });
  expect(await page.evaluate(() => (window as any).pbjs.getConsentMetadata())).toEqual({
    gdpr: { gdprApplies: true, consentStringSize: text.length, generatedAt: expect.any(Number), apiVersion: 2 },
    gpp: { generatedAt: expect.any(Number) },
    usp: undefined,
    coppa: false,
  });

  // The next page asks nobody, and its auction has the same string.
  await banner.saved();
  await page.reload();
  await expect.poll(() => auctions(page)).toEqual([["north", "south"]]);
  expect(new Set(requests(shop).map(({ consent }) => consent))).toEqual(new Set([text]));
  expect(await banner.dialog.count()).toBe(0);
});

test("a bidder that a visitor refuses is not called, and the other one is", async ({ page, shop, banner, prebid, bidders: both }) => {
  await open(page, shop, prebid, both);
  await banner.part("accept").click();
  await expect.poll(() => auctions(page)).toEqual([["north", "south"]]);
  await banner.part("reopen").click();
  await banner.part("partners").click();
  await banner.part("search").fill(both.north.name);
  // The rows of before are hidden at once, and go in pieces.
  await page.locator(`#placet [data-tcf-vendor="${both.north.id}"]`).filter({ visible: true }).click();
  await banner.part("save").click();
  await expect.poll(async () => read(await tcString(banner)).consents).not.toContain(both.north.id);
  // Tags are told in the task that sends the choice.
  await banner.saved();
  // On the same page, then on the next one.
  await page.evaluate(() => (window as any).auction());
  await expect.poll(() => auctions(page)).toEqual([["north", "south"], ["south"]]);
  await page.reload();
  await expect.poll(() => auctions(page)).toEqual([["south"]]);
  expect(bidders(shop)).toEqual(["north", "south", "south", "south"]);
  const text = await tcString(banner);
  expect(requests(shop).slice(2).map(({ consent }) => consent)).toEqual([text, text]);
});

test("nobody is called after a refusal", async ({ page, shop, banner, prebid, bidders: both }) => {
  await open(page, shop, prebid, both);
  await banner.part("refuse").click();
  await expect.poll(() => auctions(page)).toEqual([[]]);
  await banner.saved();
  await page.reload();
  await expect.poll(() => auctions(page)).toEqual([[]]);
  expect(bidders(shop)).toEqual([]);
  const { gdpr } = await page.evaluate(() => (window as any).pbjs.getConsentMetadata());
  expect(gdpr).toMatchObject({ gdprApplies: true, consentStringSize: (await tcString(banner)).length });
});

/** A bidder who is given what the site knows of its visitor, unless Prebid's control by the section of the states forbids it. */
const states = (consent: boolean) => `<script>
  window.pbjs = window.pbjs || {}; pbjs.que = pbjs.que || [];
  pbjs.que.push(() => {
    pbjs.registerBidAdapter(null, "north", {
      code: "north", supportedMediaTypes: ["banner"], isBidRequestValid: () => true, interpretResponse: () => [],
      buildRequests: (bids, { ortb2, gppConsent }) => [{
        method: "GET", url: "/bids/north", data: { gpp: gppConsent?.gppString || "", known: (ortb2.user?.data || []).map(({ name }) => name).join() },
      }],
    });
    pbjs.setConfig({ ortb2: { user: { data: [{ name: "interests", segment: [{ id: "1" }] }] } } });
    if (${consent}) pbjs.setConfig({ consentManagement: { gpp: { cmpApi: "iab", timeout: 100_000 } } });
    pbjs.requestBids({
      adUnits: [{ code: "place", mediaTypes: { banner: { sizes: [[300, 250]] } }, bids: [{ bidder: "north", params: {} }] }],
      timeout: 100_000,
    });
  });
</script><script async src="/prebid.js"></script>`;

for (const [what, signal, consent, told] of [
  ["a browser's signal", true, true, ["DBABLA~CVQVAAAAAACA.YA", ""]],
  ["no signal", false, true, ["DBABLA~CVQqAAAAAACA.QA", "interests"]],
  ["a signal that nobody asks for", true, false, ["", "interests"]],
] as const)
  test(`bidders learn of a visitor of the states what the section allows: ${what}`, async ({ page, shop, prebid }) => {
    if (signal) await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
    shop.script("/prebid.js", prebid);
    shop.script("/bids/north", "{}");
    await page.goto(await iabPage(shop, { flags: "u", without: "g", mspa: "CA" }, { head: states(consent), settings: { cookiesVersion: "shop-signals" } }));
    const bids = () => shop.requests.flatMap((request) => {
      const { pathname, searchParams } = new URL(request.split(" ")[1] ?? "");
      return pathname === "/bids/north" ? [[searchParams.get("gpp"), searchParams.get("known")]] : [];
    });
    await expect.poll(bids).toEqual([told]);
  });
