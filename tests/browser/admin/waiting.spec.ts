// A publish that waits: for the approval of a second person, for its time, or for both.

import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

/** A moment as a field for date and time has it, in the zone of the tests. */
function local(moment: Date): string {
  const parts = new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Paris", dateStyle: "short", timeStyle: "short" });
  return parts.format(moment).replace(" ", "T");
}

onOne("postgres", () => {
  test("one person asks, another approves, and what was asked for is live", async ({ page, placet, context }) => {
    const [owner, editor] = [await Person.join(placet), await Person.join(placet)];
    const shop = await owner.shop();
    const { id } = (await (await editor.call("GET", "/v1/auth/me")).json()) as { id: string };
    const members = `/v1/vault/projects/${shop.project}/users`;
    expect((await owner.call("POST", members, { userId: id, role: "editor" })).status).toBe(201);
    const box = { title: "Newsletter", purpose: "News by e-mail", processors: [{ name: "Shop" }], consentWithdraw: "Write to us." };
    await owner.make("processings", { projectId: shop.project, ...box });
    const project = `${placet.url}/projects/${shop.project}`;
    const heading = page.getByRole("heading", { name: "A publish is waiting" });

    await owner.enter(context);
    await open(page, `${project}/settings`);
    await page.getByRole("switch", { name: "A second person approves what is published" }).click();
    await page.getByRole("button", { name: "Save" }).first().click();
    await expect(page.getByText("Saved").first()).toBeVisible();

    // An editor cannot lift the rule, and asks.
    await editor.enter(context);
    await open(page, `${project}/settings`);
    await expect(page.getByRole("switch", { name: /A second person/ })).toHaveCount(0);
    await open(page, `${project}/publish`);
    await page.getByLabel("Note").fill("The autumn look");
    await page.getByRole("button", { name: "Ask for approval" }).click();
    await expect(heading).toBeVisible();
    await expect(page.getByText("Somebody else must approve it: you asked for it.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Approve" })).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Ask for approval" })).toHaveCount(0);
    await expect(page.getByRole("row").filter({ hasText: "waits" })).toHaveCount(1);

    await owner.enter(context);
    await open(page, project);
    const concerns = page.getByRole("region", { name: "Needs attention" });
    await expect(concerns.getByRole("listitem")).toHaveText(/^A publish is waiting for approval, since/);
    await expectAccessible(page);
    await open(page, placet.url);
    await expect(page.getByRole("article").filter({ hasText: "Needs attention" })).toHaveCount(1);
    await open(page, project);
    await concerns.getByRole("link", { name: "See the publish" }).click();
    const card = page.getByRole("region", { name: "A publish is waiting" });
    await expect(card).toContainText("Ada Lovelace asked for it");
    await expect(card).toContainText("Note: The autumn look");
    await expect(card.getByRole("listitem").filter({ hasText: "comes" }).first()).toBeVisible();
    await expectAccessible(page);
    // It shows the content that waits, and no later edit.
    await owner.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, {
      steps: [{ name: "welcome", layout: "welcome", title: "Edited since", message: "You can change your mind at any time." }],
    });
    await card.getByRole("button", { name: "See “English”" }).click();
    const seen = page.getByRole("dialog", { name: "As visitors would see it" });
    const banner = seen.locator("iframe:not(.waiting)").contentFrame();
    await expect(banner.getByRole("heading", { name: "Your privacy" })).toBeVisible();
    await seen.getByRole("button", { name: "Close" }).first().click();
    await expect(seen).toBeHidden();
    await card.getByRole("button", { name: "See “Newsletter”" }).click();
    await expect(banner.getByText("Newsletter").first()).toBeVisible();
    await seen.getByRole("button", { name: "Close" }).first().click();
    await expect(seen).toBeHidden();
    await card.getByRole("button", { name: "Approve" }).click();
    await expect(page.getByText("Published. Pages with the snippet now show it.")).toBeVisible();
    await expect(heading).toHaveCount(0);
    await open(page, project);
    await expect(page.getByText("Consents today")).toBeVisible();
    await expect(concerns).toHaveCount(0);
    expect((await fetch(`${placet.url}/cdn/${shop.project}.json`)).status).toBe(200);
  });

  test("every change is shown before it is published, and before it goes live", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const box = { projectId: shop.project, language: "en", purpose: "News", processors: [{ name: "We" }], consentWithdraw: "By e-mail" };
    for (let at = 0; at < 102; at += 6)
      await Promise.all(Array.from({ length: 6 }, (_, more) => person.make("processings", { ...box, title: `Box ${at + more}` })));
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    // With the project and its configuration.
    const drafts = page.getByRole("region", { name: "104 unpublished changes" });
    const rows = drafts.locator(".card-rows > li");
    await expect(rows).toHaveCount(100);
    await expect(drafts.getByText("and 4 more")).toBeVisible();
    await drafts.getByRole("button", { name: "Show more" }).click();
    await expect(rows).toHaveCount(104);
    await expect(drafts.getByRole("button", { name: "Show more" })).toHaveCount(0);

    await page.getByLabel("Goes live").fill(local(new Date(Date.now() + 3 * 86_400_000)));
    await page.getByRole("button", { name: "Schedule" }).click();
    const card = page.getByRole("region", { name: "A publish is waiting" });
    const changes = card.locator(".card-rows > li");
    await expect(changes).toHaveCount(100);
    await card.getByRole("button", { name: "Show more" }).click();
    await expect(changes).toHaveCount(104);
    await expect(card.getByText(/^and \d+ more$/)).toHaveCount(0);
  });

  test("a time of which parts are missing publishes nothing", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    const at = page.getByLabel("Goes live");
    const begin = page.getByRole("button", { name: "Publish changes" });
    // Day and month without a year.
    await at.focus();
    await page.keyboard.type("1207");
    await begin.click();
    await expect(at).toHaveAccessibleDescription(/Enter the whole date and time\./);
    await expect(at).toBeFocused();
    await expectAccessible(page);
    // With warnings nobody is asked for the reason before the time is right.
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { settings: { reopenButton: false } });
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    await at.focus();
    await page.keyboard.type("1207");
    await begin.click();
    await expect(at).toHaveAccessibleDescription(/Enter the whole date and time\./);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    const jobs = await person.call("GET", `/v1/publish/jobs/${shop.project}`);
    expect(await jobs.json()).toEqual([]);
    await at.fill(local(new Date(Date.now() + 3 * 86_400_000)));
    await expect(at).not.toHaveAttribute("aria-invalid");
    await page.getByRole("button", { name: "Schedule" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish anyway" });
    await dialog.getByLabel("Reason").fill("Our footer opens the widget.");
    await dialog.getByRole("button", { name: "Publish anyway" }).click();
    await expect(page.getByRole("region", { name: "A publish is waiting" })).toBeVisible();
  });

  test("a publish is scheduled in the zone of the person, and cancelled", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    const at = page.getByLabel("Goes live");
    await at.fill(local(new Date(Date.now() - 86_400_000)));
    await page.getByRole("button", { name: "Schedule" }).click();
    // The fault stands at the field, and nothing is lost.
    await expect(at).toHaveAttribute("aria-invalid", "true");
    const later = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 3 * 86_400_000);
    await at.fill(local(later));
    await page.getByRole("button", { name: "Schedule" }).click();
    const card = page.getByRole("region", { name: "A publish is waiting" });
    await expect(card.getByText("It goes live on")).toBeVisible();
    await expect(card.locator("li time")).toHaveAttribute("datetime", later.toISOString());
    await expectAccessible(page);
    await card.getByRole("button", { name: "Cancel the publish" }).click();
    await expect(card).toHaveCount(0);
    await expect(page.getByRole("row").filter({ hasText: "Cancelled." })).toHaveCount(1);
    expect((await fetch(`${placet.url}/cdn/${shop.project}.json`)).status).toBe(404);
  });
});
