// The main job by TCF: an owner from sign-up to the shop, where a visitor refuses one vendor and Prebid asks its bidders.
// String, proof and decoding say the same.

import { imports, kept } from "./vendor-list.ts";
import { open, Person, publishes } from "./person.ts";
import { auction, prebid } from "../support/prebid.ts";
import { expect, expectAccessible, test } from "../support/test.ts";

test.use({ viewport: { width: 1440, height: 900 } });

test("what a visitor refuses is absent from the string, the bids, the proof and what the string decodes to", async ({ page, context, site }) => {
  const { placet, keeper } = await kept();
  try {
    await imports(placet, keeper);
    const owner = await Person.signUp(placet, page);
    const { project, configuration, vendor } = await owner.shop(site.origin);
    await owner.call("PATCH", `/v1/vault/vendors/${vendor}`, { tcfVendorId: 3 });

    await open(page, `${placet.url}/projects/${project}/widget/${configuration}`);
    await page.getByRole("button", { name: "Add a step" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "IAB TCF" }).click();
    const parts = page.getByLabel("Parts of the banner");
    await parts.getByRole("link", { name: "IAB TCF" }).click();
    await page.getByRole("button", { name: "Add services" }).click();
    const picker = page.getByRole("dialog", { name: "Add services" });
    await picker.getByRole("button", { name: "Add: Our chat", exact: true }).click();
    await picker.getByRole("button", { name: "Done" }).click();
    await parts.getByRole("link", { name: "Partners and purposes" }).click();
    await page.getByLabel("Country whose law you follow").fill("FR");
    const partners = page.getByRole("region", { name: "Partners", exact: true });
    await partners.getByRole("button", { name: "Add the partner that your services use" }).click();
    await partners.getByLabel("Search partners").fill("vendor 02");
    await partners.getByRole("checkbox", { name: "Vendor 02 Ltd" }).check();
    await expect(partners).toContainText("2 partners chosen");
    const asked = async () => ((await owner.read("cookies", configuration)).data.tcf as { vendors?: number[] } | undefined)?.vendors;
    await expect.poll(asked).toEqual([3, 2]);
    await page.getByRole("link", { name: "Publish", exact: true }).first().click();
    await publishes(page);
    await page.getByRole("link", { name: "Install" }).first().click();
    const snippet = (await page.getByRole("region", { name: "Snippet" }).textContent()) ?? "";
    const strict = "Strict content security policy";
    await page.getByText(strict, { exact: true }).click();
    const stubFile = (await page.getByRole("region", { name: strict }).textContent()) ?? "";

    // A page that takes no inline script has the stub from its file, and then the widget.
    const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${placet.url}; connect-src ${placet.url}`;
    site.put("/early.js", "__tcfapi('ping', 2, (pong) => (window.early = pong.cmpStatus))");
    const strictHead = `<title>Shop</title>${stubFile}<script src="/early.js"></script>${snippet.slice(snippet.lastIndexOf("<script"))}`;
    const strictPage = { html: `<!doctype html><html lang="en"><head>${strictHead}</head><body>Shop</body></html>`, headers: { "content-security-policy": policy } };
    const reader = await context.browser()?.newPage();
    if (!reader) throw new Error("no browser");
    await reader.goto(site.put("/strict", strictPage));
    await expect(reader.getByRole("button", { name: "Let me choose" })).toBeVisible();
    expect(await reader.evaluate(() => (window as any).early)).toBe("stub");
    await reader.close();

    // The shop: vendor 2 and vendor 3 bid, once there is an answer.
    site.put("/prebid.js", await prebid());
    for (const code of ["second", "third"]) site.put(`/bids/${code}`, "{}");
    const head = `<title>Shop</title>${snippet}${auction({ second: 2, third: 3 })}`;
    const guest = await context.browser()?.newPage();
    if (!guest) throw new Error("no browser");
    const bids: [string, string | null][] = [];
    guest.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.startsWith("/bids/")) bids.push([pathname, searchParams.get("consent")]);
    });
    await guest.goto(site.put("/", `<!doctype html><html lang="en"><head>${head}</head><body>Shop</body></html>`));
    await guest.getByRole("button", { name: "Let me choose" }).click();
    for (const id of [1, 2]) await guest.getByRole("switch", { name: `Purpose ${id}`, exact: true }).click();
    await guest.getByRole("tab", { name: "Partners" }).click();
    await guest.getByRole("switch", { name: "Consent: Vendor 02 Ltd" }).click();
    await expect(guest.getByRole("switch", { name: "Consent: Vendor 03 Ltd" })).not.toBeChecked();
    expect(bids).toEqual([]);
    await guest.getByRole("button", { name: "Save my choices" }).click();
    await expect.poll(() => guest.evaluate(() => (window as any).auctions)).toEqual([["second"]]);
    const cookie = await guest.evaluate(() => document.cookie.split("; ").find((pair) => pair.startsWith("euconsent-v2-")));
    const tcString = cookie?.replace(/^.*=/, "") ?? "";
    expect(bids).toEqual([["/bids/second", tcString]]);

    // The string, by the route that reads it.
    const decoded = await owner.call("GET", `/v1/app/tcf/decode?tc=${tcString}`);
    expect(await decoded.json()).toMatchObject({
      cmpId: 31, vendorListVersion: 200, publisherCountryCode: "FR", purposeConsents: [1, 2], vendorConsents: [2], disclosedVendors: [2, 3],
    });

    // The stored consent.
    const stored = async () => {
      const found = await owner.call("GET", `/v1/app/consents/${project}`);
      return (await found.json()) as { consentId: string; token: string; preferences: { tcString: string } }[];
    };
    await expect.poll(async () => (await stored()).map(({ preferences }) => preferences.tcString)).toEqual([tcString]);
    const [{ consentId, token } = { consentId: "", token: "" }] = await stored();
    const proof = await (await owner.call("GET", `/v1/app/consents/${project}/${consentId}`)).json();
    expect(proof).toMatchObject({ tcfVerified: true, publicationVerified: true, preferences: { vendors: { our_chat: false }, tcString } });

    // The visitor reads the answers by their names.
    await guest.goto(`${placet.url}/me/${project}#${token}`);
    await guest.getByText("Purposes, Partners").click();
    const answers = guest.getByRole("article").getByRole("listitem");
    await expect(answers.filter({ hasText: /^Purpose 1\D/ })).toHaveText(/allowed/);
    await expect(answers.filter({ hasText: /^Purpose 7\D/ })).toHaveText(/refused/);
    await expect(answers.filter({ hasText: "Vendor 02 Ltd" })).toContainText("allowed");
    await expect(answers.filter({ hasText: "Vendor 03 Ltd" })).toContainText("refused");
    await expectAccessible(guest);

    // Its proof, as the owner reads it.
    await page.getByRole("link", { name: "Proofs" }).first().click();
    await expect(page.locator("tbody tr")).toHaveCount(1);
    await page.locator("tbody a").first().click();
    await expect(page.getByRole("heading", { name: "Proof of consent" })).toBeVisible();
    await expect(page.locator(".facts")).toContainText(tcString);
    await expect(page.locator(".facts")).toContainText("Fits what was shown");
    await expect(page.getByRole("row", { name: /Our chat/ })).toContainText("Refused");
    // The choices of the string, by their names.
    const choices = page.getByRole("region", { name: "Choices by TCF" });
    await expect(choices.getByRole("row", { name: /^Purpose 1 / })).toContainText("Accepted");
    await expect(choices.getByRole("row", { name: /^Purpose 7 / })).toContainText("Refused");
    await expect(choices.getByRole("row", { name: /^Vendor 02 Ltd/ })).toContainText("Accepted");
    await expect(choices.getByRole("row", { name: /^Vendor 03 Ltd/ })).toContainText("Refused");
    // Its banner is shown again, with the layers behind the first one, and told on paper in its words.
    const again = page.locator("iframe:not(.waiting)").contentFrame();
    // The frame is drawn smaller than it is, where a pointer does not find every place of it.
    await again.getByRole("button", { name: "Let me choose" }).dispatchEvent("click");
    await expect(again.getByRole("switch", { name: "Purpose 1", exact: true })).toBeVisible();
    await again.getByRole("tab", { name: "Partners" }).dispatchEvent("click");
    await expect(again.getByRole("switch", { name: "Consent: Vendor 02 Ltd" })).toBeVisible();
    await expect(page.locator(".print-only").filter({ hasText: "Accept all" })).toContainText("Purpose 1");
    await guest.close();
  } finally {
    await placet.stop();
  }
});
