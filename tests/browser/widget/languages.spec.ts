// One configuration in several languages: the page's language decides which widget is drawn.

import { expect, test, type PageOptions } from "./support/shop.ts";

const settings = { clientId: "polyglot", cookiesVersion: "shop" };
const identifier = "01980000-0000-7000-8000-0000000000f1";
const english = "A few cookies";
const french = "Quelques cookies";

for (const delivery of ["bundle", "generic"] as const) {
  const options = (lang: string, more: Record<string, unknown> = {}): PageOptions => ({ delivery, lang, settings: { ...settings, ...more } });

  test(`a page in another language of the configuration shows it, and its proof names that language: ${delivery}`, async ({ page, shop, banner }) => {
    await page.goto(shop.page(options("fr-CA")));
    await expect(page.getByRole("heading", { level: 2 })).toHaveText(french);
    await expect(banner.part("accept")).toHaveText("Ça me va");
    // Words that nobody has changed are the shipped ones.
    await expect(banner.part("refuse")).toHaveText("Tout refuser");
    await expect(banner.part("policy").getByRole("link")).toHaveAttribute("href", "https://shop.example/fr/privacy");
    await banner.part("accept").click();
    await banner.saved();
    const stored = shop.stored[0];
    expect(stored?.path).toBe(shop.consents(identifier, "polyglot"));
    expect(stored?.body.preferences.config).toEqual({ identifier, name: "shop", language: "fr" });
    await page.context().clearCookies();
    await page.evaluate(() => localStorage.clear());
    await page.goto(shop.page(options("en")));
    await expect(page.getByRole("heading", { level: 2 })).toHaveText(english);
    await banner.part("accept").click();
    await banner.saved();
    const other = shop.stored[1]?.body;
    expect(other?.preferences.config.language).toBe("en");
    expect(other?.publication).not.toBe(stored?.body.publication);
  });

  test(`a missing text stands in the default language, and says so: ${delivery}`, async ({ page, shop, banner }) => {
    await page.goto(shop.page(options("fr")));
    const message = banner.part("message");
    await expect(message).toHaveAttribute("lang", "en");
    await expect(message).toContainText("change your mind");
    await expect(page.getByRole("heading", { level: 2 })).not.toHaveAttribute("lang");
    await page.goto(shop.page(options("ar")));
    await expect(message).toHaveAttribute("dir", "auto");
    // Its letters run from left to right in a widget that runs from right to left.
    await expect(message).toHaveCSS("direction", "ltr");
    await expect(page.getByRole("heading", { level: 2 })).toHaveCSS("direction", "rtl");
  });

  test(`other pages show the default language and load nothing for it: ${delivery}`, async ({ page, shop }) => {
    for (const [lang, more] of [["en", {}], ["de", {}], ["", {}], ["fr", { useDocumentLang: false }]] as const) {
      shop.requests.length = 0;
      await page.goto(shop.page(options(lang, more)));
      await expect(page.getByRole("heading", { level: 2 })).toHaveText(english);
      expect(shop.requests.filter((request) => /shop\.\w\w\./.test(request))).toEqual([]);
    }
  });

  test(`both written forms of Norwegian are Norwegian: ${delivery}`, async ({ page, shop, banner }) => {
    for (const lang of ["nb", "nn-NO", "no"]) {
      await page.goto(shop.page(options(lang)));
      await expect(banner.part("refuse")).toHaveText("Avvis alle");
    }
  });

  test(`a language that cannot be loaded leaves the default one: ${delivery}`, async ({ page, shop, banner }) => {
    await page.route("**/shop.fr.*.payload", (route) => route.abort());
    await page.goto(shop.page(options("fr")));
    await expect(page.getByRole("heading", { level: 2 })).toHaveText(english);
    await page.unroute("**/shop.fr.*.payload");
    await page.route("**/shop.fr.*.payload", (route) => route.fulfill({ status: 404, headers: { "Access-Control-Allow-Origin": "*" } }));
    await page.reload();
    await expect(page.getByRole("heading", { level: 2 })).toHaveText(english);
    await banner.part("accept").click();
    await banner.saved();
    expect(shop.stored[0]?.body.preferences.config.language).toBe("en");
  });
}

test("details of services come in the language of the widget", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ lang: "fr", settings }));
  await banner.part("configure").click();
  await expect(banner.dialog.getByText("Garde votre choix jusqu’au paiement.")).toBeVisible();
  await banner.part("more").first().click();
  await expect(banner.dialog.getByText("Counts visits.")).toBeVisible();
  const later = shop.requests.filter((request) => request.includes(".later.json"));
  expect(new Set(later.map((request) => request.split("/").at(-1)))).toEqual(new Set(["shop.fr.later.json"]));
});

test("a page that names no configuration finds the language among all of them", async ({ page, shop }) => {
  const own = { ...settings, cookiesVersion: null };
  await page.goto(shop.page({ delivery: "generic", lang: "fr", settings: own }));
  await expect(page.getByRole("heading", { level: 2 })).toHaveText(french);
  await page.goto(shop.page({ delivery: "generic", lang: "de", settings: own }));
  await expect(page.getByRole("heading", { level: 2 })).toHaveText(english);
});

test("a file of one language shows it on every page", async ({ page, shop }) => {
  await page.goto(shop.page({ lang: "en", settings: { ...settings, cookiesVersion: "shop.fr" } }));
  await expect(page.getByRole("heading", { level: 2 })).toHaveText(french);
});
