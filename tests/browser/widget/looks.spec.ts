// The looks that a project chooses, and what holds in each of them: everything can be read, and refusing looks like
// accepting.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "@playwright/test";
import { expect, folder, test, type Banner } from "./support/shop.ts";

type Rgb = readonly [number, number, number];

const rgb = (text: string): Rgb => {
  const [red = 0, green = 0, blue = 0] = (/rgba?\(([^)]*)\)/.exec(text)?.[1] ?? "").split(/[ ,]+/).map(Number);
  return [red, green, blue];
};

/** Contrast by WCAG 2.2. */
function contrast(one: string, other: string): number {
  const luminance = (text: string) => {
    const [red, green, blue] = rgb(text).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }) as unknown as Rgb;
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const style = (one: Locator, property: string) => one.evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), property);

/** All that makes a button prominent: its size, and its computed style. */
const prominence = (one: Locator) =>
  one.evaluate((element) => {
    const { width, height } = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const properties = ["background-color", "background-image", "color", "border", "box-shadow", "border-radius", "font-size", "font-weight", "text-transform", "letter-spacing", "opacity", "outline", "filter"];
    return { width: Math.round(width), height: Math.round(height), ...Object.fromEntries(properties.map((name) => [name, style.getPropertyValue(name)])) };
  });

async function expectEqualProminence(banner: Banner): Promise<void> {
  expect(await prominence(banner.part("refuse"))).toEqual(await prominence(banner.part("accept")));
}

for (const scheme of ["light", "dark"] as const) {
  test(`buttons keep a bright colour with dark ink, and an edge where they need one: ${scheme}`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.goto(shop.page({ settings: { clientId: "bright", cookiesVersion: "bright" } }));
    await expectEqualProminence(banner);
    const accept = banner.part("accept");
    const ground = await style(banner.dialog, "background-color");
    expect(await style(accept, "background-color")).toBe("rgb(255, 230, 0)");
    expect(await style(accept, "color")).toBe("rgb(0, 0, 0)");
    const shadow = await style(accept, "box-shadow");
    expect(shadow).toContain("1px inset");
    expect(contrast(shadow, ground)).toBeGreaterThanOrEqual(3);
    expect(shadow.startsWith("rgb(255, 230, 0)")).toBe(scheme === "dark");
    // Of all that is drawn in the colour, only buttons have it where it cannot be seen.
    const link = banner.part("policy").getByRole("link");
    expect(contrast(await style(link, "color"), ground)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(await style(page.locator("#placet .ti"), "background-color"), ground)).toBeGreaterThanOrEqual(3);
    await accept.focus();
    await page.keyboard.press("Shift");
    expect(contrast(await style(accept, "outline-color"), ground)).toBeGreaterThanOrEqual(4.5);
    await banner.part("configure").click();
    await banner.part("toggle-all").click();
    expect(contrast(await style(banner.toggle("stats"), "background-color"), "rgb(255, 255, 255)")).toBeGreaterThanOrEqual(3);
  });
}

const DAY = ["rgb(244, 255, 249)", "rgb(11, 110, 79)"];
const NIGHT = ["rgb(4, 20, 14)", "rgb(126, 226, 184)"];

test.describe("light or dark", () => {
  const seen = async (banner: Banner) => [await style(banner.dialog, "background-color"), await style(banner.part("accept"), "background-color")];
  const fields = (banner: Banner) => style(banner.part("pause"), "color-scheme");

  for (const [scheme, whenLight, whenDark] of [["auto", DAY, NIGHT], ["light", DAY, DAY], ["dark", NIGHT, NIGHT], ["page", DAY, DAY]] as const) {
    test(`${scheme}, by the visitor's system`, async ({ page, shop, banner }) => {
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.goto(shop.page({ settings: { clientId: "schemes", cookiesVersion: scheme } }));
      expect(await seen(banner)).toEqual(whenLight);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await seen(banner)).toEqual(whenDark);
      expect(await fields(banner)).toBe({ auto: "light dark", light: "normal", dark: "dark", page: "normal" }[scheme]);
      await expectEqualProminence(banner);
      await banner.part("configure").click();
      await banner.toggle("stats").click();
      await banner.part("next").click();
      // The reopen button and placeholders are drawn in the same colours.
      expect(await style(banner.part("reopen"), "background-color")).toBe(whenDark[0]);
    });
  }

  test("as the page says, and as it changes its mind", async ({ page, shop, banner }) => {
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    const head = "<style>html.night{color-scheme:dark}html.both{color-scheme:light dark}</style>";
    const body = '<iframe title="Film" data-requires-vendor-consent="video" data-src="about:blank"></iframe>';
    await page.goto(shop.page({ settings: { clientId: "schemes", cookiesVersion: "page" }, head, body }));
    const turn = (name: string) => page.evaluate((name) => void (document.documentElement.className = name), name);
    expect(await seen(banner)).toEqual(DAY);
    await turn("night");
    expect(await seen(banner)).toEqual(NIGHT);
    expect(await fields(banner)).toBe("dark");
    await expectEqualProminence(banner);
    expect(await style(page.locator("[part=placeholder]"), "background-color")).toBe(NIGHT[0]);
    await turn("");
    expect(await seen(banner)).toEqual(DAY);
    // A page that is both is as the visitor's system.
    await turn("both");
    expect(await seen(banner)).toEqual(DAY);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await seen(banner)).toEqual(NIGHT);
    // In a style sheet for the page that knows nothing of the widget, the widget's own stays.
    await turn("night");
    await page.addStyleTag({ content: "#placet{color-scheme:light}" });
    expect(await seen(banner)).toEqual(NIGHT);
  });
});

test("buttons have the corners, the weight and the letters that the project chose", async ({ page, shop, banner }) => {
  const body = '<form><div data-placet-processing="01980000-0000-7000-8000-0000000000d7"></div></form>';
  await page.goto(shop.page({ settings: { clientId: "pills", cookiesVersion: "pills" }, body }));
  await expectEqualProminence(banner);
  for (const button of [banner.part("accept"), banner.part("configure"), page.locator("[part=answer]").first()]) {
    const chosen = [await style(button, "border-radius"), await style(button, "font-weight"), await style(button, "text-transform")];
    expect(chosen).toEqual(["30px", "700", "uppercase"]);
  }
});

for (const width of [320, 1180]) {
  test(`answers with a long label stand one below the other, and alike: ${width}`, async ({ page, shop, banner }) => {
    await page.setViewportSize({ width, height: 568 });
    await page.goto(shop.page({ settings: { clientId: "pills", cookiesVersion: "pills" } }));
    await expectEqualProminence(banner);
    const [refuse, accept] = [await banner.part("refuse").boundingBox(), await banner.part("accept").boundingBox()];
    expect(accept?.y).toBeGreaterThanOrEqual((refuse?.y ?? 0) + (refuse?.height ?? 0));
    await expect(banner.part("accept")).toBeInViewport({ ratio: 1 });
  });
}

test.describe("on the narrowest phone", () => {
  test.use({ viewport: { width: 320, height: 568 } });

  test("the buttons of every language are alike, and none is cut", async ({ page, shop, banner }) => {
    const languages = JSON.parse(await readFile(join(folder, "cdn/plain/index.json"), "utf8")) as [string, string][];
    for (const [cookiesVersion, language] of languages) {
      await page.goto(shop.page({ settings: { clientId: "plain", cookiesVersion } }));
      await expectEqualProminence(banner);
      for (const name of ["refuse", "accept", "configure"]) {
        const cut = await banner.part(name).evaluate((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight);
        expect([language, name, cut]).toEqual([language, name, false]);
      }
    }
  });
});

test("letters have the reader's size up to a bound, whatever the page makes of its own", async ({ page, shop, banner }) => {
  const client = await page.context().newCDPSession(page);
  const head = "<style>html{font-size:62.5%}</style>";
  await page.goto(shop.page({ settings: { clientId: "pills", cookiesVersion: "pills" }, head }));
  const sizes: number[] = [];
  for (const standard of [16, 20, 40]) {
    await client.send("Page.setFontSizes", { fontSizes: { standard } });
    sizes.push(parseFloat(await style(banner.part("accept"), "font-size")));
  }
  expect(sizes[0]).toBeCloseTo(15, 0);
  expect(sizes[1]).toBeCloseTo(18.8, 1);
  expect(sizes[2]).toBe(22);
});

test("the message describes the dialog, and links say that they open a tab", async ({ page, shop, banner }) => {
  const body = '<form><div data-placet-processing="01980000-0000-7000-8000-0000000000d7"></div></form>';
  await page.goto(shop.page({ settings: { clientId: "pills", cookiesVersion: "pills" }, body }));
  await expect(page.getByRole("dialog")).toHaveAccessibleDescription(/^We count visits/);
  await expect(page.getByRole("link", { name: "our page on visits" })).toHaveAccessibleDescription("opens in a new tab");
  await expect(page.getByRole("link", { name: "Write to us" })).toHaveAccessibleDescription("");
  await expect(page.getByRole("link", { name: "Write to us" })).not.toHaveAttribute("target");
  await expect(page.getByRole("link", { name: "all about it" })).toHaveAccessibleDescription("opens in a new tab");
});
