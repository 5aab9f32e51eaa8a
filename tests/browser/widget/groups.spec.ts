// Services that fold by their categories: counts, a switch for all of a category, a search, and every answer.

import { type Page } from "@playwright/test";
import { expectAccessible } from "../support/axe.ts";
import { expect, test, type Banner } from "./support/shop.ts";

const settings = { clientId: "folds", cookiesVersion: "long-en" };
const group = (page: Page, title: string) => page.locator("#placet [part=group]").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
const part = (page: Page, title: string, name: string) => group(page, title).locator(`[part="${name}"]`);
const choices = (page: Page): Promise<Record<string, boolean>> => page.evaluate(() => (window as any).placetSDK.getChoices());
const open = async (banner: Banner): Promise<void> => {
  await banner.part("configure").click();
  await expect(banner.part("group-toggle").first()).toBeVisible();
};

test("a category tells how much of it is allowed, and one switch is for all of it", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings }));
  await open(banner);
  const counts = ["Always on", "Analytics", "Advertising", "Video", "Maps", "Customer Support", "Marketing", "Social", "Other services"];
  await expect(page.locator("#placet").getByRole("heading", { level: 3 })).toHaveText(counts.map((title) => new RegExp(title, "i")));
  await expect(part(page, "Always on", "count")).toHaveText("Number of services: 2");
  await expect(part(page, "Analytics", "count")).toHaveText("Allowed: 0 of 4");
  // Each has an icon of its own.
  const icons = await page.locator("#placet summary path").evaluateAll((all) => all.map((one) => one.getAttribute("d")));
  expect(new Set(icons).size).toBe(counts.length);
  await expect(part(page, "Analytics", "icon")).toHaveCSS("width", "24px");
  // Folded by itself, and opened by keyboard.
  await expect(banner.toggle("stats")).toBeHidden();
  await group(page, "Analytics").locator("summary").press("Enter");
  await expect(banner.toggle("stats")).toBeVisible();
  await banner.toggle("heat").click();
  await expect(part(page, "Analytics", "count")).toHaveText("Allowed: 1 of 4");
  const all = page.getByRole("checkbox", { name: "Allow Analytics" });
  await expect(all).toHaveAttribute("aria-checked", "mixed");
  await all.press("Space");
  await expect(all).toHaveAttribute("aria-checked", "true");
  await expect(part(page, "Analytics", "count")).toHaveText("Allowed: 4 of 4");
  await page.getByRole("checkbox", { name: "Allow Advertising" }).click();
  await banner.toggle("stats").click();
  await expect(all).toHaveAttribute("aria-checked", "mixed");
  await banner.part("next").click();
  const chosen = await choices(page);
  expect(Object.keys(chosen).filter((name) => chosen[name])).toEqual(["heat", "ab", "logs", "ads", "pixel", "retarget"]);
  await expect.poll(() => shop.stored.length).toBe(1);
  expect(shop.stored[0]?.body.preferences.vendors).toEqual(chosen);

  // Later it shows what is in force, and all of a category goes as it came.
  await page.reload();
  await banner.part("reopen").click();
  await open(banner);
  await expect(part(page, "Analytics", "count")).toHaveText("Allowed: 3 of 4");
  const advertising = page.getByRole("checkbox", { name: "Allow Advertising" });
  await expect(advertising).toHaveAttribute("aria-checked", "true");
  await advertising.click();
  await banner.part("back").click();
  await open(banner);
  await expect(advertising).toHaveAttribute("aria-checked", "false");
  await banner.part("next").click();
  expect(await choices(page)).toEqual({ ...chosen, ads: false, pixel: false, retarget: false });
});

for (const [answer, allowed] of [["accept", true], ["refuse", false]] as const)
  test(`the layer has every answer: ${answer}`, async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings }));
    await open(banner);
    await banner.part(answer).click();
    expect(new Set(Object.values(await choices(page)))).toEqual(new Set([allowed]));
  });

test("more than twelve services can be searched", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings }));
  await open(banner);
  const search = page.getByRole("searchbox", { name: "Search services" });
  await search.fill("  LINE ");
  // By title and by what a row says.
  await expect(page.locator("#placet [part=toggle]:visible")).toHaveCount(2);
  await expect(banner.toggle("heat")).toBeVisible();
  await expect(banner.toggle("video")).toBeVisible();
  await expect(page.locator("#placet").getByRole("status")).toHaveText("Number of services: 2");
  await expect(group(page, "Advertising")).toBeHidden();
  // All of a category are then those that are seen.
  await page.getByRole("checkbox", { name: "Allow Analytics" }).click();
  await expect(banner.toggle("heat")).toHaveAttribute("aria-checked", "true");
  await search.fill("");
  await expect(group(page, "Advertising")).toBeVisible();
  await expect(banner.toggle("heat")).toBeHidden();
  await expect(part(page, "Analytics", "count")).toHaveText("Allowed: 1 of 4");
});

test("a few services of one category are unfolded, without a search and a way back", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: { ...settings, cookiesVersion: "alone-en" } }));
  await expect(banner.toggle("stats")).toBeVisible();
  await page.getByRole("checkbox", { name: "Allow Analytics" }).click();
  await expect(banner.toggle("heat")).toHaveAttribute("aria-checked", "true");
  await expect(banner.part("search")).toHaveCount(0);
  await expect(banner.part("back")).toHaveCount(0);
  await banner.part("next").click();
  expect(await choices(page)).toEqual({ stats: true, heat: true });
});

test("without its script the list folds, and each service has its switch", async ({ page, shop, banner }) => {
  await page.route("**/fold-part.*.js", (route) => route.abort());
  await page.goto(shop.page({ settings }));
  await banner.part("configure").click();
  await group(page, "Maps").locator("summary").click();
  await banner.toggle("map").click();
  await expect(part(page, "Maps", "count")).toHaveText("Number of services: 1");
  await expect(banner.part("group-toggle").first()).toBeHidden();
  await banner.part("next").click();
  expect((await choices(page)).map).toBe(true);
});

for (const [language, scheme, width] of [["en", "light", 1440], ["en", "dark", 390], ["ar", "light", 390], ["de", "light", 1440]] as const)
  test(`axe finds nothing, and nothing is cut off: ${language}, ${scheme}, ${width} px`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 844 });
    await page.goto(shop.page({ settings: { ...settings, cookiesVersion: `long-${language}` } }));
    await open(banner);
    const look = async (name: string): Promise<void> => {
      // At its end no row is behind the buttons.
      await banner.dialog.evaluate((dialog) => dialog.scrollTo(0, dialog.scrollHeight));
      if (process.env.PLACET_PICTURES) await page.screenshot({ path: `${process.env.PLACET_PICTURES}/folds-${language}-${scheme}-${name}.png` });
      await expectAccessible(page, "#placet");
      const [wide, room] = await banner.dialog.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
      expect(wide).toBeLessThanOrEqual(room ?? 0);
    };
    await look("folded");
    await banner.part("group-toggle").first().click();
    for (const at of [1, 0]) await page.locator("#placet summary").nth(at).click();
    await look("unfolded");
  });
