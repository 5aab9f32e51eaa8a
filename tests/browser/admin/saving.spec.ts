// Editors save by themselves: also when an answer is lost, and when somebody leaves in the middle.

import { type Page, type Request, type Route } from "@playwright/test";
import { expect, onOne, test } from "../support/test.ts";
import { hold, open, Person, type Shop } from "./person.ts";

const saves = "**/ui/documents/save";
const status = (page: Page) => page.locator(".save-state");
const title = (page: Page) => page.getByLabel("Title", { exact: true });

/** Opens the editor of a shop from the list, so that going back stays within the app. */
async function edit(page: Page, person: Person): Promise<Shop> {
  const shop = await person.shop();
  await open(page, `${person.placet.url}/projects/${shop.project}/widget`);
  await enter(page);
  return shop;
}

async function enter(page: Page): Promise<void> {
  await page.getByRole("main").getByRole("link", { name: "English", exact: true }).click();
  await expect(title(page)).not.toHaveValue("");
}

async function back(page: Page): Promise<void> {
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Banner", level: 1 })).toBeVisible();
}

/** The next save that comes to nothing. */
function lost(page: Page): Promise<Request> {
  return page.waitForEvent("requestfailed", (request) => request.url().endsWith("/ui/documents/save"));
}

onOne("sqlite", () => {
  test("a save whose answer is lost is nobody else’s, and the next words follow it", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await edit(page, person);
    const stored = async () => JSON.stringify((await person.read("cookies", shop.configuration)).data);
    /** Types words that the server stores and does not answer; `then` runs before the page knows. */
    const losing = async (words: string, then?: () => Promise<unknown>): Promise<void> => {
      const lose = async (route: Route): Promise<void> => {
        await route.fetch();
        await then?.();
        await route.abort();
      };
      await page.route(saves, lose, { times: 1 });
      const failed = lost(page);
      await title(page).fill(words);
      await failed;
      expect(await stored()).toContain(words);
    };
    await losing("First words");
    await title(page).fill("Second words");
    await expect(status(page)).toHaveText("Saved");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(await stored()).toContain("Second words");
    // The same without other words.
    await losing("Third words");
    await expect(status(page)).toHaveText("Saved");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    // A change of another person after the lost one is told.
    await losing("Fourth words", () => person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { country: "FR" }));
    await expect(page.getByRole("dialog", { name: "This document has two versions" })).toBeVisible();
  });

  test("a save that fails for a moment is tried again, and a link waits for it", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await edit(page, person);
    const stored = async () => JSON.stringify((await person.read("cookies", shop.configuration)).data);
    let failures = 2;
    await page.route(saves, (route) => (failures-- > 0 ? route.abort() : route.continue()));
    await title(page).fill("Tried again");
    await expect(status(page)).toHaveText("Saved");
    expect(await stored()).toContain("Tried again");

    failures = 1;
    await title(page).fill("Left at once");
    await page.getByRole("main").getByRole("link", { name: "Publish", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Publish", level: 1 })).toBeVisible();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(await stored()).toContain("Left at once");

    // A server that stays away keeps nobody from leaving.
    await page.goBack();
    await expect(title(page)).toHaveValue("Left at once");
    failures = Infinity;
    await title(page).fill("Never saved");
    await page.getByRole("main").getByRole("link", { name: "Publish", exact: true }).click();
    await page.getByRole("dialog", { name: "Leave this page?" }).getByRole("button", { name: "Leave without saving" }).click();
    await expect(page.getByRole("heading", { name: "Publish", level: 1 })).toBeVisible();
  });

  test("going back loses no words: not during a save, and not after one that failed", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await edit(page, person);
    const stored = async () => JSON.stringify((await person.read("cookies", shop.configuration)).data);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    const go = await hold(page, saves);
    const asked = page.waitForRequest(saves);
    await title(page).fill("First words");
    await asked;
    await title(page).fill("Last words");
    await back(page);
    go();
    await expect.poll(stored).toContain("Last words");

    await enter(page);
    await page.route(saves, (route) => route.abort(), { times: 1 });
    const failed = lost(page);
    await title(page).fill("After a failure");
    await failed;
    await back(page);
    await expect.poll(stored).toContain("After a failure");
    await expect(page.locator(".toast")).toHaveCount(0);
    expect(errors).toEqual([]);
  });

  test("a toast tells of changes that could not be saved when somebody goes back", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await edit(page, person);
    const toast = page.locator(".toast", { hasText: "Your last changes on the page that you left were not saved." });
    const told = async (): Promise<void> => {
      await back(page);
      await expect(toast).toBeVisible();
      await toast.getByRole("button", { name: "Dismiss" }).click();
      await expect(toast).toHaveCount(0);
    };
    // Two steps may not have the same name.
    await page.getByLabel("Name", { exact: true }).fill("services");
    await expect(status(page)).toContainText("Not saved");
    await told();

    await enter(page);
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { country: "FR" });
    await title(page).fill("My words");
    const dialog = page.getByRole("dialog", { name: "This document has two versions" });
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await told();

    await enter(page);
    await page.route(saves, (route) => route.abort());
    await title(page).fill("Nobody hears this");
    await told();
  });

  test("the head of an editor tells the worst of the documents that it saves", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const { project, configuration } = await person.shop();
    await open(page, `${placet.url}/projects/${project}/widget/${configuration}?at=look`);
    await page.route(saves, (route) => (route.request().postDataJSON().collection === "projects" ? route.abort() : route.continue()));
    await page.getByLabel("Inner spacing").fill("19");
    await expect(status(page)).toContainText("The server cannot be reached.");
    // The look is another document than the texts, which are saved meanwhile.
    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Texts", exact: true }).click();
    await page.getByLabel("Accept all").fill("Sure");
    const texts = async () => (await person.read("cookies", configuration)).data.strings;
    await expect.poll(texts).toEqual({ acceptAll: "Sure" });
    await expect(status(page)).toContainText("The server cannot be reached.");
    await page.unroute(saves);
    await expect(status(page)).toHaveText("Saved");
    expect((await person.read("projects", project)).data.widgetStyle).toEqual({ padding: 19 });
  });
});
