// Pictures of every state for people to look at. `PLACET_SHOTS=<folder>` takes them, each at the width of a
// small phone, a phone and a desk, in light, dark and forced colours. They check nothing.

import { expect, test, type Banner, type Shop } from "./support/shop.ts";
import type { Page } from "@playwright/test";

type Go = (on: { page: Page; shop: Shop; banner: Banner }) => Promise<void>;

const open = (clientId: string, cookiesVersion: string, ...parts: string[]): Go =>
  async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: { clientId, cookiesVersion }, lang: /^arabic$|-(ar|he)$/.test(cookiesVersion) ? "ar" : "en" }));
    for (const part of parts) await banner.part(part).first().click();
  };
const NEWS = "01980000-0000-7000-8000-000000000031";
const TERMS = "01980000-0000-7000-8000-000000000041";
const ARABIC_NEWS = "01980000-0000-7000-8000-0000000000a2";
const ARABIC_TERMS = "01980000-0000-7000-8000-0000000000a3";
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="30" fill="#c46"/></svg>';
const TEAM = "01980000-0000-7000-8000-000000000032";
const boxes: Go = async ({ page, shop, banner }) => {
  const body = `<form>${[NEWS, TEAM].map((id) => `<p></p><div data-placet-processing="${id}"></div>`).join("")}<p></p><div data-placet-contract="${TERMS}"></div></form>`;
  await page.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "only" }, body }));
  await expect(page.getByRole("checkbox")).toHaveCount(3);
  await banner.part("next").click();
};
const boxesRightToLeft: Go = async ({ page, shop, banner }) => {
  await page.route("https://pictures.example/**", (route) => route.fulfill({ contentType: "image/svg+xml", body: PICTURE }));
  const body = `<form dir="rtl"><div data-placet-processing="${ARABIC_NEWS}"></div><p></p><div data-placet-contract="${ARABIC_TERMS}"></div></form>`;
  await page.goto(shop.page({ settings: { clientId: "settings", cookiesVersion: "hidden" }, lang: "ar", body }));
  await expect(page.getByRole("checkbox")).toHaveCount(2);
  await banner.part("refuse").click();
};
const pictured = (cookiesVersion: string, ...parts: string[]): Go =>
  async (on) => {
    await on.page.route("https://pictures.example/**", (route) => route.fulfill({ contentType: "image/svg+xml", body: PICTURE }));
    await open("settings", cookiesVersion, ...parts)(on);
  };
/** A word in one colour, as the logos of shops are. */
const word = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 190 40" width="190" height="40" fill="${colour}"><circle cx="20" cy="20" r="18"/><path d="M50 8h6v24h-6zM64 8h16v5H70v5h9v5h-9v9h-6zM88 8h6v19h10v5H88zM112 8h16v24h-16zM136 8h6l8 14V8h6v24h-6l-8-14v14h-6zM164 8h16v5h-10v5h9v5h-9v4h10v5h-16z"/></svg>`;
const logo = (cookiesVersion: string, parts: string[] = [], clientId = "character"): Go =>
  async (on) => {
    await on.page.route("https://pictures.example/**", (route) =>
      route.fulfill({ contentType: "image/svg+xml", body: word(route.request().url().endsWith("night") ? "#7ee2b8" : "#0b3d2e") }));
    await open(clientId, cookiesVersion, ...parts)(on);
    await expect.poll(() => on.banner.part("logo").first().evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  };
const choose: Go = async (on) => {
  await open("shop", "shop-en", "configure")(on);
  await on.banner.toggle("stats").click();
  await on.banner.dialog.locator("[part=more]").first().click();
  await expect(on.banner.part("details")).not.toBeEmpty();
};

const states: Record<string, Go> = {
  "01-welcome": open("shop", "shop-en"),
  "02-category": choose,
  "03-last": open("shop", "shop-en", "configure", "next", "next"),
  "04-reopen": open("shop", "shop-en", "refuse"),
  "05-first-category": open("shop", "shop-short"),
  "06-card": open("bakery", "card"),
  "07-card-category": open("bakery", "card", "configure", "toggle-all"),
  "08-modal": open("bakery", "modal"),
  "09-bar": open("bakery", "bar"),
  "10-bar-category": open("bakery", "bar", "configure", "toggle"),
  "11-soft": open("notices", "soft"),
  "12-info": open("notices", "order"),
  "13-info-category": open("notices", "order", "next"),
  "14-only": open("notices", "only"),
  "15-arabic": open("notices", "arabic"),
  "16-arabic-category": open("notices", "arabic", "configure", "toggle"),
  "17-hebrew": open("tongues", "in-he"),
  "18-german": open("tongues", "in-de"),
  "19-finnish-category": open("tongues", "in-fi", "configure"),
  "20-japanese": open("tongues", "in-ja"),
  "21-placeholder": async ({ page, shop, banner }) => {
    await page.goto(shop.page({ body: `<iframe title="Film" width="100%" height="260" data-requires-vendor-consent="video" data-src="about:blank"></iframe>` }));
    await banner.part("refuse").click();
  },
  "22-taken-back": async (on) => {
    await open("shop", "shop-en", "accept", "reopen", "refuse")(on);
    await expect(on.page.locator("#placet-changed [part=changed]")).toBeVisible();
  },
  "23-gpc": async (on) => {
    await on.page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
    await open("shop", "shop-signals")(on);
  },
  "24-boxes": boxes,
  "25-box-details": async (on) => {
    await boxes(on);
    await on.page.getByRole("button", { name: "Details" }).first().click();
  },
  "26-box-confirmed": async (on) => {
    await boxes(on);
    await on.page.getByRole("button", { name: "Yes, write to me" }).click();
    await expect(on.page.getByText("We will write to you")).toBeVisible();
  },
  "27-contract": async (on) => {
    await open("notices", "only", "next")(on);
    await on.page.evaluate((id) => void (window as any).placetSDK.openContract(id), TERMS);
    await expect(on.page.getByRole("dialog")).toBeVisible();
  },
  "28-debug": async ({ page, shop }) => {
    const url = shop.page({ body: `<iframe title="Film" data-requires-vendor-consent="video" data-src="about:blank"></iframe>` });
    await page.goto(`${url}?placet-debug`);
    await expect(page.locator("#placet-debug section")).toBeVisible();
  },
  "29-top": open("settings", "top"),
  "30-bottom": open("settings", "bottom"),
  "31-center": open("settings", "center"),
  "32-left": open("settings", "left"),
  "33-right": open("settings", "right"),
  "34-bar-top": open("settings", "bar-top"),
  "35-overlay": open("settings", "dimmed"),
  "36-picture": pictured("pictures"),
  "37-picture-arabic": pictured("picture-ar"),
  "38-bar-arabic": open("settings", "bar-ar"),
  "39-bar-arabic-category": async (on) => {
    await open("settings", "bar-ar", "configure", "toggle")(on);
    await on.banner.dialog.locator("[part=more]").first().click();
    await expect(on.banner.part("details")).not.toBeEmpty();
  },
  "40-boxes-arabic": boxesRightToLeft,
  "41-box-arabic-details": async (on) => {
    await boxesRightToLeft(on);
    await on.page.locator("[data-placet-processing] [part=details]").click();
  },
  "42-box-arabic-confirmed": async (on) => {
    await boxesRightToLeft(on);
    await on.page.getByRole("button", { name: "نعم" }).click();
    await expect(on.page.getByText("سنكتب إليك")).toBeVisible();
  },
  "43-contract-arabic": async (on) => {
    await boxesRightToLeft(on);
    await on.page.evaluate((id) => void (window as any).placetSDK.openContract(id), ARABIC_TERMS);
    await expect(on.page.getByRole("dialog")).toBeVisible();
  },
  "44-plain": open("plain", "plain-en"),
  "45-plain-answered": async (on) => {
    await open("plain", "plain-en", "accept", "reopen", "configure")(on);
    await expect(on.banner.part("last-answer")).toBeVisible();
    await on.banner.part("last-answer").scrollIntoViewIfNeeded();
  },
  "46-plain-arabic": open("plain", "plain-ar"),
  "47-bright": open("bright", "bright"),
  "49-scheme-dark": open("schemes", "dark"),
  "50-scheme-auto-category": open("schemes", "auto", "configure", "toggle"),
  "48-bright-category": open("bright", "bright", "configure", "toggle-all"),
  "51-logo-card": logo("card"),
  "52-logo-card-category": logo("card", ["configure"]),
  "53-logo-bar": logo("bar"),
  "54-logo-modal": logo("modal"),
  "55-logo-notice-arabic": logo("notice-ar"),
  "56-logo-drawing": open("spring", "card"),
  "57-picture-above": logo("card", [], "above"),
  "58-drawing-above": logo("card", ["configure"], "above"),
  "59-no-picture": logo("card", ["configure", "configure"], "above"),
  "60-picture-in-bar": logo("bar", [], "above"),
  "61-picture-above-arabic": logo("card-ar", [], "above"),
};

const folder = process.env.PLACET_SHOTS;
if (folder) {
  for (const [width, height] of [[320, 568], [390, 780], [1180, 760]] as const) {
    for (const colours of ["light", "dark", "forced"] as const) {
      for (const [name, go] of Object.entries(states)) {
        test(`${name} ${width} ${colours}`, async ({ page, shop, banner }) => {
          await page.emulateMedia({ colorScheme: colours === "dark" ? "dark" : "light", forcedColors: colours === "forced" ? "active" : "none", reducedMotion: "reduce" });
          await page.setViewportSize({ width, height });
          await go({ page, shop, banner });
          await page.mouse.move(1, 1);
          await page.screenshot({ path: `${folder}/${name}-${width}-${colours}.png` });
        });
      }
    }
  }
}
