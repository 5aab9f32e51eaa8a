// The preview is a sheet, which a button opens, if it has no room beside the form.

import { type Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/test.ts";
import { open, Person, type Shop } from "./person.ts";

const phone = { width: 390, height: 844 };

const sheet = (page: Page) => page.getByRole("dialog", { name: "Live preview" });
const opener = (page: Page) => page.getByRole("button", { name: "Preview", exact: true });
/** The widget in the sheet. */
const shown = (page: Page) => sheet(page).locator("iframe:not(.waiting)").contentFrame();
const scrolled = (page: Page): Promise<number> => page.evaluate(() => window.scrollY);

async function enter(page: Page, person: Person): Promise<Shop> {
  await person.enter(page.context());
  return person.shop();
}

test.describe("on a phone", () => {
  test.use({ viewport: phone });

  test("the preview opens from anywhere in the form, and closing returns there", async ({ page, placet }) => {
    const shop = await enter(page, await Person.join(placet));
    let drawings = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/ui/widget/preview")) drawings += 1;
    });
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`);
    await expect(page.getByRole("region", { name: "Live preview" })).toBeHidden();
    await page.getByLabel("Title", { exact: true }).fill("Before you go on");
    await expect(page.locator(".save-state").first()).toHaveText("Saved");
    expect(drawings, "what is not seen is not drawn").toBe(0);

    await page.getByRole("textbox", { name: "Name" }).scrollIntoViewIfNeeded();
    await expect(opener(page)).toBeInViewport({ ratio: 1 });
    const before = await scrolled(page);
    expect(before).toBeGreaterThan(0);
    await opener(page).click();
    await expect(sheet(page)).toBeInViewport({ ratio: 1 });
    await expect(sheet(page).getByRole("button", { name: "Phone" })).toHaveAttribute("aria-pressed", "true");
    await expect(shown(page).getByRole("dialog", { name: "Before you go on" })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(sheet(page)).toBeHidden();
    await expect(opener(page)).toBeFocused();
    expect(await scrolled(page)).toBe(before);

    await page.keyboard.press("Enter");
    await sheet(page).getByRole("button", { name: "Dark" }).click();
    await expect(shown(page).locator("html[data-scheme=dark]")).toBeAttached();
    await sheet(page).getByRole("button", { name: "Close" }).click();
    await expect(sheet(page)).toBeHidden();
    await expect(opener(page)).toBeFocused();
    expect(await scrolled(page)).toBe(before);

    // A click in the preview leads to the field, which is below the sheet.
    await opener(page).click();
    await shown(page).getByRole("heading", { name: "Before you go on" }).click();
    await expect(sheet(page)).toBeHidden();
    await expect(page.getByLabel("Title", { exact: true })).toBeFocused();
  });

  test("boxes and the design have it, too", async ({ page, placet }) => {
    const person = await Person.join(placet);
    const shop = await enter(page, person);
    const { id } = await person.make("processings", {
      projectId: shop.project,
      title: "Our newsletter",
      language: "en",
      message: "Twice a month.",
    });
    await open(page, `${placet.url}/projects/${shop.project}/boxes/consent/${id}`);
    await opener(page).click();
    await expectAccessible(page);
    await shown(page).getByText("Twice a month.").click();
    await expect(sheet(page)).toBeHidden();
    await expect(page.getByLabel("Message").first()).toBeFocused();

    await open(page, `${placet.url}/projects/${shop.project}/design`);
    await page.getByRole("textbox", { name: "Buttons and switches", exact: true }).fill("#aa0000");
    await opener(page).click();
    await expect(shown(page).getByText("You decide.")).toHaveCSS("--ac", /^#a00$|^#aa0000$/);
    await expectAccessible(page);
  });

  test("without motion it appears at once", async ({ page, placet }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const shop = await enter(page, await Person.join(placet));
    await open(page, `${placet.url}/projects/${shop.project}/design`);
    await opener(page).click();
    await expect(sheet(page)).toHaveCSS("animation-duration", "0s");
  });
});

test("with room for it, the preview stands beside the form", async ({ page, placet }) => {
  const shop = await enter(page, await Person.join(placet));
  await page.setViewportSize(phone);
  await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`);
  const beside = page.getByRole("region", { name: "Live preview" });
  for (const width of [1180, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(opener(page)).toBeHidden();
    await expect(beside).toBeInViewport();
    await expect(beside.locator("iframe:not(.waiting)").contentFrame().getByText("You decide.")).toBeVisible();
  }
  // It begins in the scheme of the page.
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, page.url());
  await expect(beside.getByRole("button", { name: "Dark" })).toHaveAttribute("aria-pressed", "true");
  await expect(beside.locator("iframe:not(.waiting)").contentFrame().locator("html[data-scheme=dark]")).toBeAttached();
});
