// The main job as people do it: a site owner from sign-up to the snippet on the site, a visitor who decides,
// returns and changes the choice, and the proof in every place that shows it.

import { type Browser, type Page } from "@playwright/test";
import { expect, expectAccessible, onBoth, test, type Placet, type Site } from "../support/test.ts";
import { alive, Person, publishes } from "./person.ts";

/** Events that the site's own script has received, in order: `[event, detail?]`. */
const heard = (page: Page): Promise<[string, Record<string, boolean>?][]> =>
  page.evaluate(() => (window as unknown as { heard: [string, Record<string, boolean>?][] }).heard);

/** The cookies of the page, decoded. */
async function cookies(page: Page): Promise<Record<string, string>> {
  const pairs = (await page.evaluate(() => document.cookie)).split("; ").filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      return [name, decodeURIComponent(value)];
    }),
  );
}

/** Signs up, writes a widget with a catalogue service and a custom one, and publishes. */
async function siteOwner(page: Page, placet: Placet, site: Site): Promise<{ project: string; snippet: string }> {
  await Person.signUp(placet, page);
  await page.getByRole("main").getByRole("link", { name: "New project" }).first().click();
  await page.getByLabel("Title").fill("Corner shop");
  await page.getByLabel("Site address").fill(site.origin);
  await page.getByRole("button", { name: "Create project" }).click();
  await expect(page.getByRole("heading", { name: "Corner shop", level: 1 })).toBeVisible();
  const project = new URL(page.url()).pathname.split("/")[2] ?? "";

  await page.getByRole("link", { name: "Banner" }).click();
  await page.getByRole("button", { name: "New configuration" }).last().click();
  const create = page.getByRole("dialog", { name: "New configuration" });
  await create.getByLabel("Title").fill("English");
  await create.getByLabel("Name in the snippet").fill("shop-en");
  await create.getByRole("button", { name: "Create configuration" }).click();

  const parts = page.getByLabel("Parts of the banner");
  await parts.getByRole("link", { name: "Our services" }).click();
  await page.getByRole("button", { name: "Add services" }).click();
  const picker = page.getByRole("dialog", { name: "Add services" });
  await picker.getByRole("searchbox").fill("youtube");
  await picker.getByRole("button", { name: "Add: YouTube", exact: true }).click();
  await picker.getByRole("button", { name: "New custom service" }).click();
  await picker.getByLabel("Title").fill("Our statistics");
  await picker.getByLabel("Name", { exact: true }).fill("our_stats");
  await picker.getByLabel("Short description").fill("Counts visits, on our own server.");
  await picker.getByLabel("Analytics", { exact: true }).check();
  await picker.getByRole("button", { name: "Create and add" }).click();
  await picker.getByRole("button", { name: "Done" }).click();
  await expect(page.locator("main .vendor")).toHaveCount(2);
  // The banner writes its first step, except for the address of the policy.
  const warnings = page.getByRole("list", { name: "Warnings" }).getByRole("listitem");
  await expect(warnings).toHaveText(/links to no privacy policy/);
  await parts.getByRole("link", { name: "Name and language" }).click();
  await page.getByLabel("Privacy policy").fill("https://shop.example/privacy");
  await expect(warnings).toHaveCount(0);
  await expect(page.locator(".save-state").first()).toHaveText("Saved");

  await page.getByRole("link", { name: "Publish", exact: true }).first().click();
  await publishes(page);
  await page.getByRole("link", { name: "Install" }).first().click();
  const snippet = (await page.getByRole("region", { name: "Snippet" }).textContent()) ?? "";
  return { project, snippet };
}

/** The shop's page: the snippet, a waiting script and frame, and a listening script. */
function shop(site: Site, snippet: string): string {
  site.put("/listen.js", `
    window.heard = [];
    (window._placet = window._placet || []).push((sdk) => {
      for (const name of ["ready", "cookies:complete", "consent:saved"])
        sdk.on(name, (detail) => heard.push([name, name === "cookies:complete" ? detail : undefined]));
    });`);
  site.put("/stats.js", "document.documentElement.dataset.counted = 'yes';");
  site.put("/film", "<!doctype html><title>Film</title>");
  return site.put("/", {
    html: `<!doctype html><html lang="en"><head><title>Shop</title>
      <script src="/listen.js"></script>${snippet}
      <script type="text/plain" data-requires-vendor-consent="our_stats" src="/stats.js"></script></head>
      <body><h1>Shop</h1><iframe title="Film" data-requires-vendor-consent="youtube" data-src="/film"></iframe></body></html>`,
  });
}

async function visitor(browser: Browser): Promise<Page> {
  return (await browser.newContext({ locale: "en-GB" })).newPage();
}

onBoth(() => {
  test("from sign-up to the proof", async ({ page, placet, site, browser }) => {
    const { project, snippet } = await siteOwner(page, placet, site);
    const address = shop(site, snippet);

    // A visitor refuses one of the two services.
    const guest = await visitor(browser);
    await guest.goto(address);
    const banner = guest.getByRole("dialog", { name: "Your privacy, your choice" });
    await expect(banner).toBeVisible();
    expect(await cookies(guest)).toEqual({});
    await expectAccessible(guest, "#placet");
    const [accept, refuse] = await Promise.all(
      ["Accept all", "Refuse all"].map((name) => banner.getByRole("button", { name }).boundingBox()),
    );
    expect([refuse?.width, refuse?.height]).toEqual([accept?.width, accept?.height]);
    await banner.getByRole("button", { name: "Let me choose" }).click();
    const services = guest.getByRole("dialog", { name: "Our services" });
    // The services fold by their categories, and every answer stands below them.
    await expect(services.getByRole("switch", { name: "YouTube" })).toBeHidden();
    for (const [category, service] of [["Video", "YouTube"], ["Analytics", "Our statistics"]] as const) {
      await services.locator("summary").filter({ hasText: category }).click();
      await expect(services.getByRole("switch", { name: service })).toBeVisible();
    }
    for (const name of ["Refuse all", "Accept all", "Save my choices"]) await expect(services.getByRole("button", { name })).toBeVisible();
    await services.getByRole("switch", { name: "YouTube" }).click();
    await expect(services.getByRole("switch", { name: "Our statistics" })).not.toBeChecked();
    await expectAccessible(guest, "#placet");
    await services.getByRole("button", { name: "Save my choices" }).click();
    await expect.poll(async () => (await heard(guest)).map(([event]) => event)).toContain("consent:saved");

    const choices = { youtube: true, our_stats: false };
    const told = (await heard(guest)).find(([event]) => event === "cookies:complete")?.[1];
    expect(told).toEqual(choices);
    const stored = await cookies(guest);
    expect(stored.placet_authorized_vendors).toBe(",youtube,");
    const { $$token: token, ...choice } = JSON.parse(stored.placet_cookies ?? "{}") as Record<string, unknown>;
    expect(choice).toMatchObject({ ...choices, $$completed: true });
    await expect.poll(() => site.asked).toContain("/film");
    expect(site.asked).not.toContain("/stats.js");

    // The owner finds it: in the admin UI …
    await page.getByRole("link", { name: "Proofs" }).first().click();
    await expect(page.locator("tbody tr")).toHaveCount(1);
    await page.locator("tbody a").first().click();
    await expect(page.getByRole("heading", { name: "Proof of consent" })).toBeVisible();
    await expect(page.locator(".facts")).toContainText(String(token));
    await expect(page.locator(".facts")).toContainText("In the banner’s own form");
    await expect(page.getByRole("row", { name: /YouTube/ })).toContainText("Accepted");
    await expect(page.getByRole("row", { name: /Our statistics/ })).toContainText("Refused");

    // … by the API …
    const [session] = (await page.context().cookies(placet.url)).filter(({ name }) => name === "placet_session");
    const read = (path: string): Promise<Response> =>
      fetch(placet.url + path, { headers: { authorization: `Bearer ${session?.value}` } });
    interface Consents {
      state: { collection: string; name: string; accept: boolean | null; preferences: { vendors: unknown } }[];
      history: { accept: boolean; preferences: { vendors: unknown } }[];
    }
    const consents = async (): Promise<Consents> =>
      (await (await read(`/v1/client/${project}/consents/${String(token)}`)).json()) as Consents;
    const first = await consents();
    expect(first.state.find(({ collection }) => collection === "cookies")).toMatchObject({ accept: false, preferences: { vendors: choices } });
    expect(first.history).toHaveLength(1);

    // … and in the export.
    const csv = await (await read(`/v1/app/exports/${project}.csv`)).text();
    const rows = csv.trim().split("\r\n");
    expect(rows).toHaveLength(2);
    expect(rows[1]).toContain(String(token));
    expect(rows[1]).toContain('""our_stats"":false');

    // The second visit: the widget asks nothing and tells the site the choice.
    await guest.reload();
    await expect(guest.getByRole("button", { name: "Privacy choices" })).toBeVisible();
    await expect(guest.getByRole("dialog")).toHaveCount(0);
    expect((await heard(guest)).map(([event]) => event)).toEqual(["ready", "cookies:complete"]);
    expect((await heard(guest))[1]?.[1]).toEqual(choices);
    await expectAccessible(guest, "#placet");

    // A changed choice is a new consent, and as easy as the first.
    await guest.getByRole("button", { name: "Privacy choices" }).click();
    await guest.getByRole("button", { name: "Refuse all" }).click();
    await expect.poll(async () => (await heard(guest)).map(([event]) => event)).toContain("consent:saved");
    expect((await cookies(guest)).placet_authorized_vendors).toBe(",");
    const second = await consents();
    expect(second.history).toHaveLength(2);
    expect(second.state.find(({ collection }) => collection === "cookies")).toMatchObject({
      accept: false,
      preferences: { vendors: { youtube: false, our_stats: false } },
    });
    await page.goBack();
    await page.reload();
    await alive(page);
    await expect(page.locator("tbody tr")).toHaveCount(2);
    await guest.context().close();
  });
});
