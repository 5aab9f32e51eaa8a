// Pages are shown before their script is loaded, and nothing that people do meanwhile is lost.

import { type Page } from "@playwright/test";
import { expect, test } from "../support/test.ts";
import { alive, open, Person } from "./person.ts";

/**
 * Opens a page and holds its script back. The returned function releases it and waits until the page is
 * alive.
 */
async function asleep(page: Page, url: string): Promise<() => Promise<void>> {
  let come!: () => void;
  const held = new Promise<void>((resolve) => (come = resolve));
  await page.route(/\.wasm$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(url, { waitUntil: "domcontentloaded" });
  await expect(page.locator("html[data-alive]")).toHaveCount(0);
  return async () => {
    come();
    await alive(page);
  };
}

test("what is typed before the page wakes up is there and is saved", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const project = await person.make("projects", {
    title: "Shop",
    websiteURL: "https://a.example",
    domains: ["a.example"],
  });
  const wake = await asleep(page, `${placet.url}/projects/${project.id}/settings`);
  const title = page.getByLabel("Title");
  const sites = page.getByLabel("Allowed sites");
  const address = page.getByLabel("IP addresses");
  await sites.fill("a.example\nb.example");
  await address.selectOption("Keyed hash");
  await title.focus();
  await page.keyboard.press("Home");
  await page.keyboard.type("My ");
  await wake();
  await expect(title).toHaveValue("My Shop");
  // The caret keeps its place, too.
  await page.keyboard.type("own ");
  await expect(title).toHaveValue("My own Shop");
  await expect(sites).toHaveValue("a.example\nb.example");
  await expect(address).toHaveValue("hash");
  await expect(page.locator(".save-state")).toHaveText("Unsaved changes");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.locator(".save-state")).toHaveText("Saved");
  expect((await person.read("projects", project.id)).data).toMatchObject({
    title: "My own Shop",
    domains: ["a.example", "b.example"],
    retention: { ipMode: "hash" },
  });
});

test("an editor saves by itself what was typed and switched before its script arrived", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const shop = await person.shop();
  const editor = `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=step-2`;
  const wake = await asleep(page, editor);
  const message = page.getByLabel("Message");
  const all = page.getByRole("switch").first();
  await all.check();
  await page.locator("label.choice", { hasText: "Notice" }).click();
  await message.fill("You");
  await wake();
  // The text area gave way to a field that shows what visitors see, and the caret stands behind the text.
  await expect(message).toHaveAttribute("contenteditable", "true");
  await expect(message).toBeFocused();
  await page.keyboard.type(" choose.");
  await expect(message).toHaveText("You choose.");
  await expect(all).toBeChecked();
  await expect(page.getByRole("radio", { name: "Notice" })).toBeChecked();
  await expect(page.locator(".save-state")).toHaveText("Saved");
  const { steps } = (await person.read("cookies", shop.configuration)).data as { steps: unknown[] };
  expect(steps[1]).toMatchObject({ message: "You choose.", showToggleAllSwitch: true, layout: "info" });
});

test("details opened before the script arrived are filled", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const shop = await person.shop();
  const step = `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=step-1`;
  const wake = await asleep(page, step);
  const words = page.locator("details", { hasText: "Texts of this step" });
  await words.locator("summary").click();
  await wake();
  await expect(words.getByRole("textbox").first()).toBeVisible();
});

test("forms that only the program can send wait for it", async ({ page, placet, context }) => {
  await (await Person.join(placet)).enter(context);
  const wake = await asleep(page, `${placet.url}/projects/new`);
  await page.getByLabel("Title").fill("Corner shop");
  await page.getByLabel("Site address").fill("shop.example");
  await page.keyboard.press("Enter");
  await wake();
  await expect(page.getByRole("heading", { name: "Corner shop", level: 1 })).toBeVisible();
});

test("a form typed before sign-in is sent", async ({ page, placet }) => {
  const person = await Person.join(placet);
  const wake = await asleep(page, `${placet.url}/sign-in`);
  await page.getByLabel("Username or e-mail").fill(person.username);
  await page.getByLabel("Password").fill(person.password);
  await wake();
  await expect(page.getByLabel("Password")).toHaveValue(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
});

test("values that the browser restores do not count as typed", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const data = { title: "Shop", websiteURL: "https://a.example" };
  const project = await person.make("projects", data);
  const settings = `${placet.url}/projects/${project.id}/settings`;
  await open(page, settings);
  await page.getByLabel("IP addresses").selectOption("Keyed hash");
  await page.getByLabel("Allowed sites").fill("old.example");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.locator(".save-state")).toHaveText("Saved");
  await page.goto(`${placet.url}/nowhere`);
  await person.call("PUT", `/v1/vault/projects/${project.id}`, { ...data, domains: ["new.example"] });
  await page.goBack();
  await alive(page);
  await expect(page.getByLabel("IP addresses")).toHaveValue("truncated");
  await expect(page.getByLabel("Allowed sites")).toHaveValue("new.example");
  await expect(page.locator(".save-state")).toHaveText("Saved");
});
