// Every page in both colour schemes, for keyboards, screen readers, large letters and phones.

import { type Page } from "@playwright/test";
import { expect, expectAccessibleInBoth, test } from "../support/test.ts";
import { pages } from "./pages.ts";
import { alive, open, Person } from "./person.ts";

/** True if the page scrolls sideways. */
const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

/** Errors of a page, with the words of those in the program. */
const errorsOf = (page: Page): string[] => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (said) => {
    if (said.text().startsWith("panicked")) errors.push(said.text());
  });
  return errors;
};

test("every page wakes up, is accessible and fits a phone", async ({ page, placet, context }) => {
  const errors = errorsOf(page);
  const person = await Person.join(placet);
  await person.enter(context);
  for (const [name, path] of Object.entries((await pages(person)).paths)) {
    await test.step(name, async () => {
      await page.setViewportSize({ width: 1280, height: 860 });
      await open(page, placet.url + path);
      await expectAccessibleInBoth(page);
      expect(await overflows(page), "wide").toBe(false);
      await page.setViewportSize({ width: 320, height: 700 });
      expect(await overflows(page), "narrow").toBe(false);
      expect(errors).toEqual([]);
    });
  }
});

test("pages before sign-in wake up, are accessible and fit a phone", async ({ page, placet }) => {
  const errors = errorsOf(page);
  const paths = [
    "/sign-in?login=login_refused",
    "/sign-up",
    "/forgot-password",
    "/forgot-password?sent=1",
    "/reset-password?token=ended",
    "/verify-email?token=ended",
    "/verify-email?done=1",
    "/invitation?token=ended",
  ];
  for (const path of paths) {
    await test.step(path, async () => {
      await page.setViewportSize({ width: 1280, height: 860 });
      await open(page, placet.url + path);
      await expectAccessibleInBoth(page);
      await page.setViewportSize({ width: 320, height: 700 });
      expect(await overflows(page), "narrow").toBe(false);
      expect(errors).toEqual([]);
    });
  }
});

test("dialogs, menus and gates are accessible", async ({ page, placet, context }) => {
  await open(page, `${placet.url}/sign-up`);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByLabel("Username")).toHaveAccessibleDescription("This field is required.");
  await expectAccessibleInBoth(page);
  await open(page, `${placet.url}/sign-in`);
  await expectAccessibleInBoth(page);

  const person = await Person.join(placet);
  await person.enter(context);
  await open(page, placet.url);
  await expectAccessibleInBoth(page);
  const shop = await person.shop();
  await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=step-2`);
  await page.locator("summary", { hasText: "Corner shop" }).click();
  await expect(page.locator("details.menu[open]")).toBeVisible();
  await expectAccessibleInBoth(page);
  await page.keyboard.press("Escape");
  await page.locator("summary", { hasText: "Ada" }).click();
  await expect(page.locator("details.menu-up[open]")).toBeVisible();
  await expectAccessibleInBoth(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Add services" }).click();
  await expect(page.getByRole("dialog").locator(".vendor").first()).toBeVisible();
  await expectAccessibleInBoth(page);
  await page.getByRole("dialog").getByRole("button", { name: "New custom service" }).click();
  await expect(page.getByRole("dialog").getByLabel("Name", { exact: true })).toBeVisible();
  await expectAccessibleInBoth(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Add a step" }).click();
  await expect(page.getByRole("dialog", { name: "Add a step" })).toBeVisible();
  await expectAccessibleInBoth(page);
  await page.keyboard.press("Escape");

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Open the menu" }).click();
  await expect(page.getByRole("link", { name: "Overview" })).toBeVisible();
  await expectAccessibleInBoth(page);
  await page.getByRole("link", { name: "Overview" }).click();
  await expect(page.getByRole("link", { name: "Banner" })).toBeHidden();
});

test("the whole way by keyboard: skip link, rail, content", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  await page.goto(placet.url);
  await alive(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("main").getByRole("link", { name: "New project" }).first()).toBeFocused();
});
