// Consent boxes and contract boxes: written in the admin UI, answered in a form of a site.

import { type Page } from "@playwright/test";
import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { drawn, picture, terms } from "./files.ts";
import { open, Person, publishes } from "./person.ts";

/** The box inside the live preview. */
const shown = (page: Page) => page.locator(".preview iframe:not(.waiting)").contentFrame();
const saved = (page: Page) => page.locator(".save-state").filter({ hasText: /^Saved$/ });
const idOf = (page: Page): string => new URL(page.url()).pathname.split("/").at(-1) ?? "";

async function begin(page: Page, kind: "consent" | "contract", title: string): Promise<string> {
  await page.getByRole("button", { name: `New ${kind} box` }).first().click();
  const create = page.getByRole("dialog", { name: `New ${kind} box` });
  await create.getByRole("button", { name: "Create box" }).click();
  await expect(create.getByLabel("Title")).toHaveAccessibleDescription(/This field is required\./);
  await create.getByLabel("Title").fill(title);
  await create.getByRole("button", { name: "Create box" }).click();
  await expect(page.getByRole("heading", { name: title, level: 1 })).toBeVisible();
  return idOf(page);
}

async function publish(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Publish", exact: true }).first().click();
  await publishes(page);
}

onOne("postgres", () => {
  test("a consent box from the first word to the proof", async ({ page, placet, site, context, browser }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const { project } = await person.shop(site.origin);
    await open(page, `${placet.url}/projects/${project}/boxes`);
    await expect(page.getByRole("heading", { name: "Ask for consent in your forms" })).toBeVisible();
    const id = await begin(page, "consent", "Our newsletter");

    await page.getByLabel("Line below the title").first().fill("Twice a month");
    const message = page.getByLabel("Message").first();
    await message.fill("News of our shop.");
    await message.focus();
    await page.keyboard.press("Control+Home");
    for (let letter = 0; letter < "News".length; letter++) await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Control+B");
    const choose = page.getByLabel("Picture: Choose a file");
    await choose.setInputFiles(terms);
    await expect(page.getByText("This file is not a supported picture")).toBeVisible();
    // The browser takes the file for a picture, and the server does not.
    await choose.setInputFiles({ ...picture, buffer: Buffer.from("no picture") });
    await expect(page.getByText("This file is not a supported picture")).toBeVisible();
    await choose.setInputFiles(picture);
    await expect(page.getByRole("link", { name: "letter.png" })).toBeVisible();
    await expect.poll(() => drawn(page.locator(".upload-thumbnail"))).toBe(true);
    await expect.poll(() => drawn(shown(page).locator("[part=picture]"))).toBe(true);

    await page.getByRole("button", { name: "Add a button" }).click();
    const button = (n: number) => page.getByRole("group", { name: `Button ${n}`, exact: true });
    await button(1).getByLabel("Label").fill("Yes, write to me");
    await button(2).getByLabel("Label").fill("No, thank you");
    await button(1).getByLabel("Look").selectOption("Filled");
    await expect(page.getByText("Agreeing stands out more than refusing")).toBeVisible();
    await button(2).getByLabel("Look").selectOption("Filled");
    await expect(page.getByText("Agreeing stands out more than refusing")).toBeHidden();
    await page.getByRole("button", { name: "Add a button" }).click();
    await button(3).getByLabel("Label").fill("Only offers");
    await button(3).getByLabel("Value").fill("offers");
    await page.getByRole("button", { name: "Move up: Button 3" }).click();
    await expect(button(2).getByLabel("Label")).toHaveValue("Only offers");
    await page.getByLabel("Name of the field").fill("news");

    await page.getByRole("switch", { name: "After “Yes, write to me”" }).check();
    const screen = page.getByRole("group", { name: "After “Yes, write to me”" });
    await screen.getByLabel("Title").fill("We will write to you");
    await screen.getByLabel("Label of the back button").fill("Change my answer");

    await page.getByLabel("Purpose").fill("Sending the newsletter");
    await page.getByLabel("Personal data").fill("E-mail address\nName\n");
    await page.getByRole("button", { name: "Add a recipient" }).click();
    const recipient = page.getByRole("group", { name: "Recipient 1" });
    await recipient.getByLabel("Name").fill("Letterbox Ltd");
    await recipient.getByLabel("Role").fill("sends letters");
    await recipient.getByLabel("Website").fill("letterbox.example");
    await page.getByLabel("How to withdraw consent").fill("Click on the link in each letter.");
    await page.getByLabel("Storage period").fill("5000");
    await page.getByRole("switch", { name: "Decisions are made automatically" }).check();
    await page.getByLabel("How they are made").fill("By what you opened");
    await page.getByLabel("Contact for questions").fill("dpo@shop.example");
    // A field with an error says so, and nothing is saved until it is corrected.
    await expect(page.getByLabel("Storage period")).toHaveAccessibleDescription(/outside of the allowed range/);
    await expect(recipient.getByLabel("Website")).toHaveAccessibleDescription(/starts with https/);
    await expect(page.locator(".save-state")).toContainText("Not saved");
    await recipient.getByLabel("Website").fill("https://letterbox.example");
    await page.getByLabel("Storage period").fill("24");
    await expect(saved(page)).toBeVisible();
    const { data } = await person.read("processings", id);
    expect(data).toEqual({
      projectId: project,
      title: "Our newsletter",
      subTitle: "Twice a month",
      message: "<b>News</b> of our shop.",
      picture: expect.stringMatching(/^[0-9a-f-]{36}$/),
      buttons: [
        { value: true, text: "Yes, write to me", color: "primary" },
        { value: "offers", text: "Only offers" },
        { value: false, text: "No, thank you", color: "primary" },
      ],
      name: "news",
      confirmations: { true: { title: "We will write to you", backButtonText: "Change my answer" } },
      purpose: "Sending the newsletter",
      personalDataTypes: ["E-mail address", "Name"],
      processors: [{ name: "Letterbox Ltd", role: "sends letters", website: "https://letterbox.example" }],
      consentWithdraw: "Click on the link in each letter.",
      storageDuration: 24,
      automatedDecisions: true,
      automatedDecisionsDetails: "By what you opened",
      automatedDecisionsContact: "dpo@shop.example",
    });
    const preview = shown(page);
    // The newest draft is drawn, and older ones are dropped.
    await expect(preview.locator("dd").filter({ hasText: /^24$/ })).toBeAttached();
    await page.getByRole("button", { name: "Phone" }).click();
    await preview.getByRole("button", { name: "Details" }).click();
    await expect(preview.getByRole("dialog")).toContainText("Letterbox Ltd (opens in a new tab), sends letters");
    await expect(page.getByLabel("Purpose")).toBeFocused();
    await preview.getByRole("dialog").getByRole("button").click();
    await preview.getByRole("button", { name: "Yes, write to me" }).click();
    await expect(preview.getByText("We will write to you")).toBeVisible();
    const line = (await page.getByRole("region", { name: "Snippet" }).textContent()) ?? "";
    expect(line).toBe(`<div data-placet-processing="${id}"></div>`);

    await publish(page);
    site.put("/sent", "<!doctype html><title>Sent</title>");
    const address = site.put("/", `<!doctype html><html lang="en"><title>Shop</title>
      <script async src="${placet.url}/cdn/${project}/en.js"></script><form action="/sent">${line}<button>Send</button></form>`);
    const guest = await (await browser.newContext({ locale: "en-GB" })).newPage();
    await guest.goto(address);
    const box = guest.locator("[data-placet-processing]");
    await expect(box.getByText("Our newsletter").first()).toBeVisible();
    await expect.poll(() => drawn(box.locator("[part=picture]"))).toBe(true);
    await box.getByRole("button", { name: "Yes, write to me" }).click();
    await expect(box.getByText("We will write to you")).toBeVisible();
    await expect(box.getByRole("status")).toHaveText("Your answer has been stored.");
    await guest.getByRole("button", { name: "Send", exact: true }).click();
    await expect(guest).toHaveURL(/\/sent\?news=true&/);
    const proof = new URL(guest.url()).searchParams.get("news_consent_id");
    await guest.context().close();

    await open(page, `${placet.url}/projects/${project}/proofs/${proof}`);
    await expect(page.locator(".facts")).toContainText("Our newsletter");
    // As the visitor saw it.
    await expect(shown(page).getByRole("button", { name: "Only offers" })).toBeVisible();
  });
});

test("a contract box opens its document, and comes back when it was deleted", async ({ page, placet, site, context, browser }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const { project } = await person.shop(site.origin);
  const others = { purpose: "Offers", processors: [{ name: "Shop" }], consentWithdraw: "Write to us." };
  await person.make("processings", { projectId: project, title: "Another box", language: "fr", ...others });
  await open(page, `${placet.url}/projects/${project}/boxes`);
  const id = await begin(page, "contract", "Terms of sale");
  await page.getByLabel("Document: Choose a file").setInputFiles(terms);
  await expect(page.getByRole("link", { name: "terms.pdf" })).toBeVisible();
  await expect(page.getByRole("switch", { name: "Required" })).toBeChecked();
  await expect(shown(page).getByRole("link", { name: /^Open the document/ })).toBeVisible();
  await expect(saved(page)).toBeVisible();
  await publish(page);

  const address = site.put("/", `<!doctype html><html lang="en"><title>Shop</title>
    <script async src="${placet.url}/cdn/${project}/en.js"></script><form><div data-placet-contract="${id}"></div></form>`);
  const guest = await (await browser.newContext({ locale: "en-GB" })).newPage();
  await guest.goto(address);
  const href = await guest.getByRole("link", { name: /^Open the document/ }).getAttribute("href");
  const file = await guest.request.get(href ?? "");
  expect([file.status(), file.headers()["content-type"], (await file.body()).equals(terms.buffer)]).toEqual([200, "application/pdf", true]);
  await expect(guest.getByRole("checkbox", { name: "Terms of sale" })).toHaveAttribute("required");
  await guest.context().close();

  // Without its document the box has nothing to open. The owner removes the document, or names one elsewhere.
  await page.goBack();
  await page.getByRole("button", { name: "Remove: Document" }).click();
  await page.getByRole("textbox", { name: "Document or its address" }).fill("https://shop.example/terms");
  await expect(saved(page)).toBeVisible();
  expect((await person.read("contracts", id)).data.file).toBe("https://shop.example/terms");

  await page.getByLabel("Breadcrumbs").getByRole("link", { name: "Consent forms" }).click();
  const row = page.getByRole("row", { name: /Terms of sale/ });
  await expect(row).toContainText("Changed since published");
  await page.getByRole("searchbox", { name: "Search boxes" }).fill("terms of");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page).toHaveURL(/q=terms/);
  await expect(page.getByText("No box matches your search.")).toBeVisible();
  await row.getByRole("button", { name: "Delete box: Terms of sale" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete box" });
  await expect(dialog).toContainText("Your forms show it until the next publish.");
  await dialog.getByRole("button", { name: "Delete box" }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row).toBeVisible();

  // A box that names no language speaks that of its project.
  await person.call("PATCH", `/v1/vault/projects/${project}`, { language: "he" });
  await page.reload();
  await expect(row).toContainText("עברית");
  await row.getByRole("link", { name: "Terms of sale" }).click();
  await expect(page.getByLabel("Language").locator("option:checked")).toHaveText("As in the settings of the project (עברית)");
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveAttribute("dir", "rtl");
  await page.getByLabel("Language").selectOption("Français");
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveAttribute("lang", "fr");
  await expectAccessible(page);
});

test("a consent box without purpose, recipient and withdrawal waits for them", async ({ page, placet, site, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const { project } = await person.shop(site.origin);
  const empty = { projectId: project, title: "Newsletter", language: "en" };
  const { id } = await person.make("processings", empty);
  await open(page, `${placet.url}/projects/${project}/publish`);
  const row = page.getByRole("listitem").filter({ hasText: "Newsletter" });
  for (const field of ["Purpose", "Who gets the data", "How to withdraw consent"]) {
    await expect(row).toContainText(`“${field}” is needed to publish`);
  }
  await page.getByRole("button", { name: "Publish changes" }).click();
  await expect(page.getByRole("status").getByText("“Newsletter”, /purpose: Needed to publish")).toBeVisible();
  await expectAccessible(page);

  await row.getByRole("link", { name: "Newsletter" }).click();
  const purpose = page.getByRole("textbox", { name: "Purpose needed to publish" });
  await purpose.fill("Sending the newsletter");
  await page.getByRole("textbox", { name: "How to withdraw consent needed to publish" }).fill("Write to us.");
  await expect(page.getByText("Who gets the data needed to publish")).toBeVisible();
  await expect(saved(page)).toBeVisible();
  await expectAccessible(page);

  // The project's controller answers for all boxes.
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await page.getByRole("textbox", { name: "Controller" }).fill("Shop Ltd");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.locator(".toast", { hasText: "Saved" })).toBeVisible();
  await open(page, `${placet.url}/projects/${project}/boxes/consent/${id}`);
  await expect(page.getByText("Visitors also read the controller: Shop Ltd.")).toBeVisible();
  await expect(page.getByText("Who gets the data needed to publish")).toHaveCount(0);
  await expect(shown(page).locator("dd").filter({ hasText: /^Shop Ltd$/ })).toBeAttached();
  await publish(page);
});

test("two editors of one box: the second is told, and nothing unknown is lost", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const { project } = await person.shop();
  const box = { projectId: project, title: "Newsletter", language: "en", own: { kept: [1] } };
  const { id } = await person.make("processings", box);
  await open(page, `${placet.url}/projects/${project}/boxes/consent/${id}`);
  await person.call("PUT", `/v1/vault/processings/${id}`, { ...box, title: "Theirs" });
  await page.getByLabel("Title").first().fill("Mine");
  const dialog = page.getByRole("dialog", { name: "This document has two versions" });
  await expect(dialog.getByRole("row", { name: /^Title / })).toContainText("Theirs");
  await dialog.getByRole("button", { name: "Keep mine" }).click();
  await expect(page.locator(".toast", { hasText: "Saved" })).toBeVisible();
  expect((await person.read("processings", id)).data).toEqual({ ...box, title: "Mine" });

  // A box is only found under its own project and kind.
  for (const path of [`contract/${id}`, `consent/${project}`]) {
    expect((await page.goto(`${placet.url}/projects/${project}/boxes/${path}`))?.status(), path).toBe(404);
  }
});
