// Facts that a visitor needs on the layers with services, and that load only there.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, folder, test } from "./support/shop.ts";
import { all } from "../support/all.ts";
import { expectAccessible } from "../support/axe.ts";

const LATER = "/shop/shop-en.later.json";

test("details of a service load with the second layer: provider, country, cookies with their lives, policy", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await expect(banner.dialog).toBeVisible();
  expect(shop.requests.filter((one) => /later|more/.test(one))).toEqual([]);
  await banner.part("configure").click();
  await expect.poll(() => shop.requests.filter((one) => one.endsWith(LATER))).toHaveLength(1);
  const more = page.getByRole("button", { name: "Read more Northwind Stats" });
  await expect(more).toHaveAttribute("aria-expanded", "false");
  await more.click();
  await expect(more).toHaveAttribute("aria-expanded", "true");
  await expect(banner.part("details")).toHaveText(
    "Northwind Stats records which pages are opened, how long they stay open and which site a visit came from. Reports are kept for thirteen months." +
      "Provider: Northwind Ltd, Ireland" +
      "Cookies and how long they stay:nw_id – 395 daysnw_session – until the browser closesnw_* – time not known" +
      "Privacy policy",
  );
  await expect(page.getByRole("link", { name: "Privacy policy: Northwind Stats (opens in a new tab)" })).toHaveAttribute("href", "https://stats.example/privacy");
  await expect(banner.toggle("stats")).toHaveAttribute("aria-checked", "false");
  await more.click();
  await expect(more).toHaveAttribute("aria-expanded", "false");
  await expect(banner.part("details")).toBeHidden();
  expect(shop.requests.filter((one) => one.endsWith(LATER))).toHaveLength(1);
});

test("details are in the language of the widget, and a policy of the site allows them", async ({ page, shop, banner }) => {
  const policy = "default-src 'none'; script-src 'self' 'unsafe-inline' {api} {cdn} 'wasm-unsafe-eval'; connect-src {api} {cdn}; style-src 'none'; require-trusted-types-for 'script'";
  await page.goto(shop.page({ settings: { cookiesVersion: "shop-fr" }, headers: { "Content-Security-Policy": policy } }));
  await banner.part("configure").click();
  await banner.part("more").first().click();
  await expect(banner.part("details")).toContainText("Fournisseur: Northwind Ltd, Irlande");
  await expect(banner.part("details")).toContainText("nw_id – 395 jours");
  expect(await banner.part("details").evaluate((box) => getComputedStyle(box.firstElementChild!).marginBottom)).toBe("6px");
});

test("a layer works without its details, says so quietly, and has them when they can be loaded", async ({ page, shop, banner }) => {
  shop.missing.add(LATER);
  await page.goto(shop.page());
  await banner.part("configure").click();
  const more = page.getByRole("button", { name: "Read more Heatline" });
  await more.click();
  await expect(page.getByRole("status").filter({ hasText: "The details cannot be loaded right now." })).toBeVisible();
  shop.missing.clear();
  await more.click();
  await more.click();
  await expect(page.getByRole("link", { name: "Privacy policy: Heatline (opens in a new tab)" })).toBeVisible();
  await expect(page.getByText("cannot be loaded")).toBeHidden();
  shop.missing.add(LATER);
  await banner.toggle("heat").click();
  for (let layer = 0; layer < 3; layer++) await banner.part("next").click();
  await expect(banner.dialog).toHaveCount(0);
  expect(await banner.choice()).toMatchObject({ heat: true, stats: false });
});

test("what needs no consent is always on, with the reason and without a switch", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("configure").click();
  await expect(banner.part("toggle")).toHaveCount(3);
  await expect(banner.part("always-on")).toHaveText([/Basket ?Always on ?Keeps what you have chosen until you pay\./, /Privacy choices ?Always on ?Keeps your answer\./]);
  await expect(banner.part("always-on").locator("button")).toHaveCount(0);
  await banner.part("next").click();
  await expect(banner.part("always-on")).toHaveCount(0);
  await banner.part("back").click();
  await banner.part("toggle-all").click();
  await banner.part("next").click();
  await banner.part("next").click();
  await banner.part("next").click();
  expect(Object.keys(await banner.choice())).not.toContain("Basket");
});

test("whoever has answered finds the time and the id of the answer on each layer with services", async ({ page, shop, banner }) => {
  await page.clock.setFixedTime(new Date("2026-03-04T12:00:00Z"));
  await page.goto(shop.page());
  await banner.part("configure").click();
  await expect.poll(() => shop.requests.some((one) => one.endsWith(LATER))).toBe(true);
  await banner.part("more").first().click();
  await expect(banner.part("details")).not.toBeEmpty();
  await expect(banner.part("last-answer")).toHaveCount(0);
  for (let layer = 0; layer < 3; layer++) await banner.part("next").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  const token = shop.stored[0]?.body.token ?? "";
  await page.reload();
  await banner.part("reopen").click();
  await expect(banner.part("last-answer")).toHaveCount(0);
  await banner.part("configure").click();
  for (let layer = 0; layer < 3; layer++) {
    await expect(banner.part("last-answer")).toHaveText(/^Your last answer: March 4, 2026 at .*Consent ID: /);
    await expect(banner.part("last-answer").locator("bdi")).toHaveText(token);
    const link = banner.part("last-answer").getByRole("link", { name: /^March 4, 2026 at / });
    await expect(link).toHaveAttribute("href", `${shop.apiUrl}/me/shop#${token}`);
    await banner.part("next").click();
  }
});

test("a first layer without a text of its own says what for, who, how many, how long, how to withdraw and where to read on", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: { clientId: "plain", cookiesVersion: "plain-en" } }));
  await expect(banner.part("message")).toHaveText(
    "With your agreement we use services for: Advertising, Analytics.Who processes the data: Plain Ltd (opens in a new tab)Number of services: 2Days for which the answer is kept: 180You can change your mind at any time: “Privacy choices”.",
  );
  await expect(banner.part("policy").getByRole("link")).toHaveAttribute("href", "https://plain.example/privacy");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Number of services: 2" }).click();
  await expect(banner.part("toggle")).toHaveCount(2);
  await expect(page.getByRole("heading", { level: 2 })).toBeFocused();
});

for (const [days, told] of [[30, "30"], [0, "180"]] as const)
  test(`a page that keeps answers for ${days} days says so on the first layer: ${told}`, async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: { clientId: "plain", cookiesVersion: "plain-en", userCookiesDuration: days } }));
    await expect(banner.part("message")).toContainText(`Days for which the answer is kept: ${told}You can`);
    await banner.part("accept").click();
    await expect(banner.dialog).toHaveCount(0);
    expect((await banner.choice())?.["$$duration"]).toBe(Number(told));
  });

for (const width of all ? [320, 1280] : [320]) {
  test(`what the widget writes by itself fits in every language: ${width}`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 640 });
    const languages = JSON.parse(await readFile(join(folder, "cdn/plain/index.json"), "utf8")) as [string, string][];
    expect(languages).toHaveLength(32);
    for (const [cookiesVersion, language] of languages) {
      await page.goto(shop.page({ settings: { clientId: "plain", cookiesVersion } }));
      await expect(banner.part("message")).toContainText("Plain Ltd");
      for (const layer of ["first", "second"]) {
        const fits = await banner.dialog.evaluate((dialog) => [dialog.scrollWidth <= dialog.clientWidth, dialog.getBoundingClientRect().bottom <= innerHeight]);
        expect(fits, `${language}, ${layer}`).toEqual([true, true]);
        if (layer === "first") await banner.part("configure").click();
      }
    }
  });
}
