// Banners that ask by IAB Europe's Transparency and Consent Framework: the operator's list, and the owner's choices.

import { type BrowserContext, type Page } from "@playwright/test";
import { list, VERSION } from "../support/gvl.ts";
import { expect, expectAccessible, type Placet, test } from "../support/test.ts";
import { open, Person, publishes } from "./person.ts";
import { imports, kept } from "./vendor-list.ts";

const file = (content: unknown) => ({
  name: "vendor-list.json",
  mimeType: "application/json",
  buffer: Buffer.from(JSON.stringify(content)),
});

/** Pictures for the eyes of people, if somebody asks for them. */
async function pictures(page: Page, name: string): Promise<void> {
  if (!process.env.PLACET_SHOTS) return;
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(600);
      await page.screenshot({ path: `${process.env.PLACET_SHOTS}/tcf-${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

async function accessible(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "light" });
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
  if (size) await page.setViewportSize(size);
}

const saved = (page: Page) => page.locator(".save-state").first().filter({ hasText: /^Saved$/ });
const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const shown = (page: Page) => page.locator(".preview iframe:not(.waiting)").contentFrame();

async function shop(placet: Placet, context: BrowserContext): Promise<{ person: Person; project: string; configuration: string }> {
  const person = await Person.join(placet);
  await person.enter(context);
  const { project, configuration, vendor } = await person.shop();
  await person.call("PATCH", `/v1/vault/vendors/${vendor}`, { tcfVendorId: 3 });
  return { person, project, configuration };
}

test.use({ viewport: { width: 1440, height: 900 } });

test("the operator imports the list and reads where it comes from", async ({ page, context }) => {
  const { placet, keeper } = await kept();
  try {
    await keeper.enter(context);
    await open(page, `${placet.url}/account`);
    await page.getByRole("link", { name: "Open the vendor list" }).click();
    await expect(page.getByRole("heading", { name: "No list is here yet" })).toBeVisible();
    await expect(page.getByText("This server fetches no list")).toBeVisible();
    await pictures(page, "list-empty");
    const files = page.getByLabel("Files");
    const send = page.getByRole("button", { name: "Import", exact: true });
    await files.setInputFiles({ ...file({}), buffer: Buffer.from("{") });
    await send.click();
    await expect(page.getByRole("alert")).toContainText("vendor-list.json is no JSON");
    await files.setInputFiles(file(list()));
    await send.click();
    await expect(page.getByText(`Imported. The list in use is version ${VERSION}.`)).toBeVisible();
    await expect(page.getByRole("alert")).toHaveCount(0);
    const facts = section(page, "The list in use");
    await expect(facts).toContainText("vendor-list.json");
    await expect(facts).toContainText("Current");
    await expect(facts.getByText(/^[0-9a-f]{64}$/)).toBeVisible();
    await accessible(page);
    await pictures(page, "list");

    // A lower version is taken by a decision alone.
    await files.setInputFiles(file(list(44, 100)));
    await send.click();
    await expect(page.getByRole("alert")).toContainText("Find out which one is true");
    await page.getByLabel("Take it although it contradicts the list that is here").check();
    await send.click();
    await expect(page.getByText("Imported. The list in use is version 100.")).toBeVisible();
    await expect(facts).toContainText("44");

    // The other page of the operator.
    await open(page, `${placet.url}/account`);
    await page.getByRole("link", { name: "Ledger" }).click();
    await expect(page.getByText(/^127\.0\.0\.1:\d+\/ledger\/[0-9a-f]{12}$/)).toBeVisible();
    await expect(page.locator(".tile", { hasText: "Entries that wait" })).toContainText("0");
    await accessible(page);

    const stranger = await Person.join(placet);
    await stranger.enter(context);
    await open(page, `${placet.url}/account`);
    await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Open the vendor list" })).toHaveCount(0);
    const answer = await page.goto(`${placet.url}/account/vendor-list`);
    expect(answer?.status()).toBe(403);
    expect((await page.goto(`${placet.url}/account/ledger`))?.status()).toBe(403);
  } finally {
    await placet.stop();
  }
});

test("the operator reads why the list was not fetched", async ({ page, context }) => {
  // Nobody may call an address of this machine.
  const { placet, keeper } = await kept("http://127.0.0.1:9/v3");
  try {
    await keeper.enter(context);
    const fetching = section(page, "Fetching");
    await expect(async () => {
      await open(page, `${placet.url}/account/vendor-list`);
      await expect(fetching).toContainText("Failed", { timeout: 1_000 });
    }).toPass();
    await expect(page.getByRole("heading", { name: "No list is here yet" })).toBeVisible();
    await expect(fetching).toContainText("http://127.0.0.1:9/v3/vendor-list.json");
    await expect(fetching).toContainText("only --outbound-allow permits");
    await expect(fetching).toContainText("Never");
    await expect(fetching.locator("dd").last()).toHaveText(/\d\d:\d\d:\d\d UTC$/);
    await accessible(page);
    await pictures(page, "fetching");
  } finally {
    await placet.stop();
  }
});

test("a banner asks by TCF, from the layout to what visitors read", async ({ page, context, site }) => {
  const { placet, keeper } = await kept();
  try {
    await imports(placet, keeper);
    const { person, project, configuration } = await shop(placet, context);
    const draft = async () => (await person.read("cookies", configuration)).data;
    const tcf = async () => (await draft()).tcf as Record<string, unknown> | undefined;
    await open(page, `${placet.url}/projects/${project}/widget/${configuration}`);

    await page.getByRole("button", { name: "Add a step" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "IAB TCF" }).click();
    await expect(page).toHaveURL(/at=tcf$/);
    await expect(page.locator(".toast")).toContainText("Steps that cannot stand beside it are removed");
    await expect(page.getByLabel("Parts of the banner").getByRole("link", { name: "Partners and purposes" })).toHaveAttribute("aria-current", "true");
    const state = section(page, "State");
    await expect(state).toContainText("Number 31, registered at IAB Europe");
    await expect(state).toContainText(`Version ${VERSION}, 45 vendors`);
    await expect(page.getByText("Choose at least one partner.")).toBeVisible();
    await expect(page.getByText("Name the country whose law you follow.")).toBeVisible();
    await pictures(page, "begin");

    await page.getByLabel("Country whose law you follow").fill("FR");
    await expect(page.getByText("Name the country whose law you follow.")).toBeHidden();
    const partners = section(page, "Partners");
    await partners.getByRole("button", { name: "Add the partner that your services use" }).click();
    await expect(partners).toContainText("1 partner chosen");
    await expect(page.getByText("Choose at least one partner.")).toBeHidden();

    await expect(partners).toContainText("1–10 of 45");
    await partners.getByRole("button", { name: "Next page" }).click();
    await expect(partners).toContainText("11–20 of 45");
    await partners.getByLabel("Search partners").fill("vendor 02");
    await partners.getByRole("checkbox", { name: "Vendor 02 Ltd" }).check();
    await partners.getByLabel("Search partners").fill("");
    await partners.getByLabel("Purpose", { exact: true }).selectOption({ label: "3 · Purpose 3" });
    await expect(partners.getByRole("checkbox")).toHaveCount(1);
    await partners.getByRole("checkbox", { name: "Vendor 01 Ltd" }).check();
    await partners.getByLabel("Purpose", { exact: true }).selectOption({ label: "Any purpose" });
    await partners.getByLabel("Show").selectOption({ label: "Used by services of this project" });
    await expect(partners.getByRole("checkbox")).toHaveCount(1);
    await partners.getByLabel("Show").selectOption({ label: "Chosen" });
    await expect(partners.getByRole("checkbox")).toHaveCount(3);
    await partners.getByLabel("Search partners").fill("nobody");
    await expect(partners).toContainText("No partner fits.");
    await partners.getByLabel("Search partners").fill("");
    await expect(state).toContainText(/bytes with the banner/);
    await expect.poll(async () => (await tcf())?.vendors).toEqual([3, 2, 1]);

    const purposes = section(page, "Purposes");
    await expect(purposes).toContainText("3 by consent, 0 by legitimate interest");
    await expect(purposes).toContainText("1 by consent, 1 by legitimate interest");
    await expect(purposes).toContainText("No chosen partner declares it");
    const stacks = section(page, "Stacks");
    await expect(stacks.getByRole("checkbox")).toHaveCount(1);
    await stacks.getByLabel("Stack 2").check();
    await expect(stacks).toContainText("The first screen names");
    await expect(stacks.getByRole("listitem").filter({ hasText: /^Stack 2$/ })).toBeVisible();
    await expect(stacks.getByRole("listitem").filter({ hasText: /^Purpose 3$/ })).toBeVisible();

    // A stack that loses a purpose is left out, and the remark mends it.
    await purposes.getByLabel("7 · Purpose 7").uncheck();
    await expect(stacks).toContainText("Stack 2 covers purposes that you do not ask for");
    await purposes.getByLabel("7 · Purpose 7").check();
    await expect(stacks).not.toContainText("covers purposes that you do not ask for");
    await expect.poll(async () => (await tcf())?.purposes).toBeUndefined();

    const rules = section(page, "Restrictions");
    await rules.getByRole("button", { name: "Add a rule" }).click();
    await rules.getByLabel("Purpose", { exact: true }).selectOption({ label: "3 · Purpose 3" });
    await expect(rules).toContainText("1 partner may not use data for “3 · Purpose 3”.");
    await rules.getByLabel("Partners", { exact: true }).selectOption({ label: "Some" });
    await rules.getByRole("searchbox").fill("01");
    await rules.getByRole("button", { name: "Vendor 01 Ltd", exact: true }).click();
    await expect(rules.getByRole("button", { name: "Remove Vendor 01 Ltd" })).toBeVisible();
    await expect(rules).toContainText("No partner whom this rule can apply to fits.");
    await expect(rules).toContainText("1 partner may not use data for “3 · Purpose 3”.");
    await expect(purposes.getByRole("listitem").filter({ hasText: "3 · Purpose 3" })).toContainText("No chosen partner declares it");
    await expect(section(page, "Sentence to publish")).toContainText("identification number 31");

    const preview = shown(page);
    await expect(preview.getByText("Stack 2").first()).toBeVisible();
    await accessible(page);
    await pictures(page, "chosen");
    // A drawing that a newer one replaces takes its layer with it.
    await expect(async () => {
      await preview.getByRole("button", { name: "Let me choose" }).dispatchEvent("click", {}, { timeout: 2_000 });
      await preview.getByRole("tab", { name: "Legitimate interests" }).dispatchEvent("click", {}, { timeout: 2_000 });
      await expect(preview.getByText(/kept in the cookie euconsent-v2-\S+: 180 days/)).toBeVisible({ timeout: 2_000 });
      await preview.getByRole("tab", { name: "Partners" }).dispatchEvent("click", {}, { timeout: 2_000 });
      await expect(preview.getByText("Vendor 02 Ltd")).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await expect(page).toHaveURL(/at=tcf$/);

    await expect(saved(page)).toBeVisible();
    await expect.poll(async () => (await draft()).tcf).toEqual({
      publisherCC: "FR",
      vendors: [3, 2, 1],
      stacks: [2],
      restrictions: [{ purpose: 3, type: "not_allowed", vendors: [1] }],
    });
    await open(page, page.url());
    await expect(section(page, "Partners")).toContainText("3 partners chosen");

    await open(page, `${placet.url}/projects/${project}/publish`);
    await publishes(page);
    const snippet = `<script async src="${placet.url}/cdn/${project}/en.js"></script>`;
    const visitor = await context.browser()?.newPage();
    if (!visitor) throw new Error("no browser");
    await visitor.goto(site.put("/", `<!doctype html><html lang="en"><head>${snippet}</head><body>Shop</body></html>`));
    const dialog = visitor.getByRole("dialog");
    await expect(dialog).toContainText("Stack 2");
    await expect(dialog).toContainText("Number of partners: 3");
    // The rule has taken purpose 3 from its one partner.
    await expect(dialog).not.toContainText("Purpose 3");
    await visitor.close();
  } finally {
    await placet.stop();
  }
});

test("Google's partners are chosen from Google's list, and visitors answer each of them", async ({ page, context, site }) => {
  const { placet, keeper } = await kept();
  try {
    await imports(placet, keeper);
    const { person, project, configuration } = await shop(placet, context);
    const wish = { steps: [{ name: "ask", layout: "iab" }], tcf: { publisherCC: "FR", vendors: [1] } };
    await person.call("PATCH", `/v1/vault/cookies/${configuration}`, wish);
    const draft = async () => (await person.read("cookies", configuration)).data as { tcf: Record<string, unknown>; gpp?: unknown };
    const editor = `${placet.url}/projects/${project}/widget/${configuration}`;
    const card = section(page, "Google’s other partners");
    const many = Array.from({ length: 21 }, (_, at) => at + 1);
    await person.call("PATCH", `/v1/vault/cookies/${configuration}`, { tcf: { ...wish.tcf, vendors: many } });
    await open(page, `${editor}?at=tcf`);
    await expect(card).toContainText("Google’s list is not on this server yet.");
    // From a page that is no longer there, a way leads to the last one.
    const partners = section(page, "Partners");
    await partners.getByLabel("Show").selectOption({ label: "Chosen" });
    await expect(partners).toContainText("1–10 of 21");
    await partners.getByRole("button", { name: "Next page" }).click();
    await expect(partners).toContainText("11–20 of 21");
    await partners.getByRole("button", { name: "Next page" }).click();
    await expect(partners).toContainText("21–21 of 21");
    // The only one of its page, which goes with it.
    await partners.getByRole("checkbox").click();
    await partners.getByRole("button", { name: "This page is empty. Show the last page" }).click();
    await expect(partners).toContainText("11–20 of 20");
    await expect(saved(page)).toBeVisible();
    await person.call("PATCH", `/v1/vault/cookies/${configuration}`, wish);

    const desk = await context.browser()?.newContext();
    if (!desk) throw new Error("no browser");
    await keeper.enter(desk);
    const list = await desk.newPage();
    await open(list, `${placet.url}/account/vendor-list`);
    const facts = section(list, "The list in use");
    await expect(facts).toContainText("No list yet.");
    const csv = "Provider ID,Provider Name,Policy URL,Domains\n7,Sevenfold,,\n89,Measurewell,https://measurewell.example/privacy,\n";
    const chosen = { name: "additional-consent-providers.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
    await list.getByLabel("Files").setInputFiles({ ...chosen, buffer: Buffer.from("1,One\n1,Two") });
    await list.getByRole("button", { name: "Import", exact: true }).click();
    await expect(list.getByRole("alert")).toContainText("provider 1 stands there twice");
    await list.getByLabel("Files").setInputFiles(chosen);
    await list.getByRole("button", { name: "Import", exact: true }).click();
    await expect(list.getByText(`Imported. The list in use is version ${VERSION}.`)).toBeVisible();
    await expect(facts).toContainText("2, imported");
    await accessible(list);
    await desk.close();

    await open(page, `${editor}?at=tcf`);
    await expect(card).toContainText("0 of Google’s partners chosen");
    await expect(card.getByRole("checkbox", { name: "Sevenfold" })).toBeVisible();
    const search = card.getByLabel("Search Google’s partners");
    await search.fill("nobody");
    await expect(card).toContainText("None of Google’s partners fits.");
    await search.fill("89");
    await card.getByRole("checkbox", { name: "Measurewell" }).check();
    await expect(card).toContainText("1 of Google’s partners chosen");
    await expect(card.getByRole("link", { name: "Privacy policy: Measurewell" })).toHaveAttribute("href", "https://measurewell.example/privacy");
    await search.fill("");
    await card.getByLabel("Show chosen ones only").check();
    await expect(card.getByRole("checkbox", { name: "Sevenfold" })).toHaveCount(0);
    await expect.poll(async () => (await draft()).tcf.additionalConsent).toEqual([89]);
    await accessible(page);
    await pictures(page, "providers");

    // One that Google's list does not have is named, and taken out by a click.
    await expect(saved(page)).toBeVisible();
    await person.call("PATCH", `/v1/vault/cookies/${configuration}`, { tcf: { ...wish.tcf, additionalConsent: [89, 500] } });
    await open(page, `${editor}?at=tcf`);
    await expect(card).toContainText("left out: 500.");
    await card.getByRole("button", { name: "Remove from the choice" }).click();
    await expect.poll(async () => (await draft()).tcf.additionalConsent).toEqual([89]);

    // Signals for the United States stand beside those of Google.
    await open(page, `${editor}?at=signals`);
    const states = section(page, "Signals for the United States");
    const on = states.getByRole("switch", { name: "Answer with the national section (usnat)" });
    await on.check();
    await states.getByLabel("Multi-State Privacy Agreement").selectOption({ label: "Signed: opt-out mode" });
    await expect.poll(async () => (await draft()).gpp).toEqual({ sections: ["usnat"], mspa: "opt_out" });
    await accessible(page);
    await pictures(page, "states");

    await open(page, `${placet.url}/projects/${project}/publish`);
    await publishes(page);
    const snippet = `<script async src="${placet.url}/cdn/${project}/en.js"></script>`;
    const visitor = await context.browser()?.newPage();
    if (!visitor) throw new Error("no browser");
    await visitor.goto(site.put("/", `<!doctype html><html lang="en"><head>${snippet}</head><body>Shop</body></html>`));
    await visitor.getByRole("button", { name: "Let me choose" }).click();
    await visitor.getByRole("tab", { name: "Partners" }).click();
    await visitor.getByRole("switch", { name: "Consent: Measurewell" }).click();
    await visitor.getByRole("button", { name: "Save my choices" }).click();
    const answer = () => visitor.evaluate(() => document.cookie.split("; ").find((pair) => pair.startsWith("addtl_consent-"))?.replace(/^.*=/, ""));
    await expect.poll(answer).toBe("2~89~dv.");
    await visitor.close();
    const stored = async () => {
      const found = await person.call("GET", `/v1/app/consents/${project}`);
      return ((await found.json()) as { preferences: { addtlConsent?: string } }[]).map(({ preferences }) => preferences.addtlConsent);
    };
    await expect.poll(stored).toEqual(["2~89~dv."]);
  } finally {
    await placet.stop();
  }
});

test("a server without a platform or a list says what to do", async ({ page, placet, context }) => {
  const { project, configuration, person } = await shop(placet, context);
  await person.call("PATCH", `/v1/vault/cookies/${configuration}`, { steps: [{ name: "ask", layout: "iab" }] });
  await open(page, `${placet.url}/projects/${project}/widget/${configuration}?at=step-1`);
  await page.getByRole("link", { name: "Choose partners and purposes" }).click();
  const state = section(page, "State");
  await expect(state).toContainText("has to name a registered one (--tcf-cmp-id)");
  await expect(state).toContainText("has to import IAB Europe’s list first");
  await expect(section(page, "Partners")).toHaveCount(0);
  await expect(page.getByRole("list", { name: "Warnings" })).toHaveCount(0);
  await accessible(page);
  await pictures(page, "absent");
});
