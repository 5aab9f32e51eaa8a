// The overview of a project follows what visitors answer.

import { readFile } from "node:fs/promises";
import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { hold, open, Person } from "./person.ts";

const PHONE = "Mozilla/5.0 (Android 16; Mobile; rv:146.0) Gecko/146.0 Firefox/146.0";

onOne("sqlite", () => {
  test("consents appear by themselves, and what is open stays open", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    const live = (await (await fetch(`${placet.url}/cdn/${shop.project}.json`)).json()) as { publications: Record<string, string> };
    const publication = live.publications[shop.configuration];
    const answer = async (token: string, language?: string): Promise<string> => {
      const path = `/v1/app/consents/${shop.project}/cookies/${shop.configuration}`;
      const given = await fetch(placet.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", origin: "https://shop.example", "user-agent": PHONE },
        body: JSON.stringify({ accept: true, token, publication, preferences: { vendors: { our_chat: true }, ...(language && { config: { language } }) } }),
      });
      expect(given.status).toBe(201);
      return ((await given.json()) as { consentId: string }).consentId;
    };
    const project = `${placet.url}/projects/${shop.project}`;
    await open(page, project);
    const today = page.locator(".tile", { hasText: "Consents today" });
    await expect(today).toContainText("0");
    await expect(page.getByRole("heading", { name: "Consents per day" })).toHaveCount(0);
    const steps = page.getByRole("heading", { name: "Steps to your first proof" });
    await expect(steps).toBeVisible();
    // Nothing that is read late closes what somebody opens.
    const go = await hold(page, "**/ui/projects/overview");
    const consent = await answer("visitor-1");
    await expect(today).toContainText("1");
    await expect(page.getByRole("heading", { name: "Consents per day" })).toBeVisible();
    const last = page.getByRole("region", { name: "Last proofs" }).getByRole("listitem");
    await expect(last).toHaveCount(1);
    await expect(last).toContainText("shop.example, phone, Firefox");
    await page.getByText("Show as a table").click();
    go();
    await expect(steps).toHaveCount(0);
    await answer("visitor-2");
    await expect(last).toHaveCount(2);
    await expect(page.getByRole("row").nth(1)).toContainText("2");
    // A share is one of answers and says so, wherever it stands.
    await expect(page.locator(".tile", { hasText: "Accepted, 30 days" })).toContainText("of 2 answers");
    await expect(page.getByRole("columnheader").last()).toHaveText("Accepted, of those who answered");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download as CSV" }).click();
    const csv = (await readFile(await (await download).path(), "utf8")).trim().split("\r\n");
    expect([csv[0], csv.length, csv.at(-1)?.slice(10)]).toEqual(["day,accepted,partial,refused", 31, ",2,0,0"]);
    await expect(page.getByRole("link", { name: "By language and country" })).toHaveAttribute("href", /\/proofs\/report$/);

    // Languages are counted when somebody asks for them.
    const languages = page.getByText("Languages, 30 days");
    await languages.click();
    await expect(page.getByText("No answer of these days is kept with the language of its banner.")).toBeVisible();
    await languages.click();
    await answer("visitor-3", "fr");
    await languages.click();
    const rows = page.getByRole("region", { name: "Languages, 30 days" }).getByRole("row");
    await expect(rows.nth(1)).toHaveText(/^not known\s*2\s*0\s*0\s*100/);
    await expect(rows.nth(2)).toHaveText(/^Français\s*1\s*0\s*0\s*100/);
    await expectAccessible(page);

    await page.goto(`${project}/proofs`);
    await expect(page.locator("tbody tr").first()).toContainText("phone, Firefox");
    await open(page, placet.url);
    await expect(page.locator(".project-card")).toContainText("100% of those who answered accepted");
    await open(page, project);
    await last.last().getByRole("link").click();
    await expect(page).toHaveURL(`${project}/proofs/${consent}`);
    await expect(page.locator(".facts").first()).toContainText("phone, Firefox");
    // The replay begins with what a phone shows.
    await expect(page.getByRole("button", { name: "Phone" })).toHaveAttribute("aria-pressed", "true");
    await expect(page.getByText("The browser was that of a phone, so this begins at the width of one.")).toBeVisible();
  });

  test("the figures of another project never stand under this one", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const [first, second] = [await person.shop(), await person.shop()];
    await person.call("PATCH", `/v1/vault/projects/${second.project}`, { title: "Second shop" });
    for (const [shop, visitors] of [[first, ["a"]], [second, ["b", "c"]]] as const) {
      await person.publish(shop.project);
      for (const visitor of visitors) await person.consent(shop, `visitor-${visitor}`, { our_chat: true });
    }
    await open(page, `${placet.url}/projects/${first.project}`);
    const today = page.locator(".tile", { hasText: "Consents today" }).locator("dd").first();
    await expect(today).toHaveText("1");
    // The figures of the other project come, and its overview does not.
    const go = await hold(page, "**/ui/projects/overview");
    await page.locator(".switcher summary").click();
    await page.locator(`.switcher a[href="/projects/${second.project}"]`).first().click();
    await expect(today).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Corner shop");
    go();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Second shop");
    await expect(today).toHaveText("2");
    await expect(page.getByRole("link", { name: "Show proofs" })).toHaveAttribute("href", `/projects/${second.project}/proofs`);
  });

  test("a service that two configurations name counts once", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const steps = [
      { name: "welcome", layout: "welcome", title: "Bonjour" },
      { name: "services", layout: "category", title: "Nos services", vendors: [shop.vendor] },
    ];
    await person.make("cookies", { projectId: shop.project, name: "fr", title: "Français", language: "fr", steps });
    await open(page, `${placet.url}/projects/${shop.project}`);
    await expect(page.locator(".tile", { hasText: "2 configurations" }).locator("dd").first()).toHaveText("1");
  });
});
