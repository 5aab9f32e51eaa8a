// Prebid as publishers run it: one place for advertisements, and a bidder for each vendor.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Prebid itself, with its consent management and without bidders. */
export const prebid = (): Promise<string> => readFile(fileURLToPath(new URL("../widget/prebid/prebid.js", import.meta.url)), "utf8");

/** Ids of bidders in the Global Vendor List, by their codes. */
export type Bidders = Readonly<Record<string, number>>;

/**
 * The site's own script: bidders for one place, asked at once, who call `/bids/<code>` of the site with the strings.
 * `window.auctions` has the bidders of each auction that has ended. `consent: false` is a site that asks nobody.
 */
export const auction = (bidders: Bidders, consent = true): string => `<script>
  window.pbjs = window.pbjs || {}; pbjs.que = pbjs.que || []; window.auctions = [];
  const adapter = (code, gvlid) => ({
    code, gvlid, supportedMediaTypes: ["banner"], isBidRequestValid: () => true,
    buildRequests: (bids, { gdprConsent, gppConsent }) => bids.map(({ bidId }) => ({
      method: "GET", url: "/bids/" + code, data: { bidId, consent: gdprConsent?.consentString || "", gpp: gppConsent?.gppString || "" },
    })),
    interpretResponse: (answer, { data }) => [{
      requestId: data.bidId, cpm: 1, currency: "USD", width: 300, height: 250, creativeId: code, ttl: 60, netRevenue: true, ad: "<p>Ad</p>",
    }],
  });
  const bidders = ${JSON.stringify(bidders)};
  window.auction = () => pbjs.requestBids({
    adUnits: [{ code: "place", mediaTypes: { banner: { sizes: [[300, 250]] } }, bids: Object.keys(bidders).map((bidder) => ({ bidder, params: {} })) }],
    // Longer than a test: no result may come from a bidder that is too late.
    timeout: 100_000,
    bidsBackHandler: (bids) => auctions.push((bids?.place?.bids || []).map(({ bidder }) => bidder).sort()),
  });
  pbjs.que.push(() => {
    for (const code in bidders) pbjs.registerBidAdapter(null, code, adapter(code, bidders[code]));
    if (${consent}) pbjs.setConfig({ consentManagement: { gdpr: { cmpApi: "iab", timeout: 100_000 }, gpp: { cmpApi: "iab", timeout: 100_000 } } });
    auction();
    window.hasAsked = true;
  });
</script><script async src="/prebid.js"></script>`;
