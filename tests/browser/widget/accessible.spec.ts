// For people who enlarge, use a screen reader or a keyboard, or have their own colours.

import type { Page } from "@playwright/test";
import { expect, test, type Banner, type Shop } from "./support/shop.ts";
import { all } from "../support/all.ts";
import { expectAccessibleInBoth } from "../support/axe.ts";

const NEWS = "01980000-0000-7000-8000-000000000031";
const TERMS = "01980000-0000-7000-8000-000000000041";
const ARABIC_NEWS = "01980000-0000-7000-8000-0000000000a2";
const ARABIC_TERMS = "01980000-0000-7000-8000-0000000000a3";
type On = { page: Page; shop: Shop; banner: Banner };

// 1280 by 1024 at 400 %, which leaves the least room; 1280 by 700 and 1280 by 960 at 200 %.
for (const [width, height] of [[320, 256], ...(all ? [[640, 350], [640, 480]] as const : [])] as const) {
  for (const [clientId, cookiesVersion] of [["shop", "shop-en"], ["bakery", "card"], ["bakery", "modal"], ["bakery", "bar"], ["settings", "top"], ["settings", "bar-top"], ["settings", "pictures"], ["notices", "soft"], ["notices", "order"], ["notices", "arabic"], ["news", "news-few"]] as const) {
    test(`enlarged to ${width} by ${height}: Tab reaches each control, and the focused control is completely visible: ${cookiesVersion}`, async ({ page, shop, banner }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.setViewportSize({ width, height });
      await page.route("https://pictures.example/**", (route) => route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"/>' }));
      await page.goto(shop.page({ settings: { clientId, cookiesVersion } }));
      for (let layer = 0; layer < 2; layer++) {
        await expect(banner.dialog).toBeVisible();
        // Of tabs, Tab reaches the selected one alone.
        const controls = await banner.dialog.evaluate(
          (dialog) => [...dialog.querySelectorAll<HTMLElement>("button,a[href],input,summary")].filter((one) => one.tabIndex >= 0 && one.checkVisibility()).length,
        );
        await page.locator("#placet h2").focus();
        const reached = new Set<number>();
        // Tab once through all controls, also to those before the title.
        for (let press = 0; press < controls * 2 + 2 && reached.size < controls; press++) {
          await page.keyboard.press("Tab");
          const seen = await banner.dialog.evaluate((dialog) => {
            const root = dialog.getRootNode() as ShadowRoot;
            const focused = root.activeElement;
            // A notice lets the focus leave to the page.
            if (!focused) return null;
            // A link may run over two lines.
            const problems = [...focused.getClientRects()].filter(({ left, right, top, bottom }) => {
              const [x, y] = [(left + right) / 2, (top + bottom) / 2];
              const points = [[x, y], [left + 2, y], [right - 2, y], [x, top + 2], [x, bottom - 2]] as const;
              const covered = points.some(([x, y]) => !focused.contains(root.elementFromPoint(x, y)));
              return covered || left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
            });
            return {
              at: [...dialog.querySelectorAll("button,a[href],input,summary")].indexOf(focused),
              problem: problems.length ? `${focused.outerHTML.slice(0, 120)} ${JSON.stringify(problems)}` : "",
            };
          });
          if (!seen) continue;
          expect(seen.problem).toBe("");
          if (seen.at >= 0) reached.add(seen.at);
        }
        expect(reached.size).toBe(controls);
        expect(await banner.dialog.evaluate((dialog) => [dialog.scrollWidth <= dialog.clientWidth, document.documentElement.scrollWidth <= innerWidth])).toEqual([true, true]);
        if (layer) break;
        // By keyboard, because a pointer would scroll first.
        const on = banner.part("configure").or(banner.part("next")).first();
        await on.focus();
        await page.keyboard.press("Enter");
      }
    });
  }
}

test.describe("a screen reader hears each layout in its order: closing, title, what it is about, choices, answers", () => {
  const orders: [string, string, string[], string][] = [
    ["shop", "shop-en", [], `
      - dialog "A few cookies, only if you like":
        - button "Close without choosing"
        - heading "A few cookies, only if you like" [level=2]
        - paragraph:
          - link "Our privacy policy"
        - button "Refuse all"
        - button "Accept all"
        - button "Let me choose"`],
    ["shop", "shop-en", ["configure"], `
      - dialog "Audience measurement":
        - button "Close without choosing"
        - paragraph: Step 1 of 3
        - heading "Audience measurement" [level=2]
        - paragraph: What helps us make the shop better
        - paragraph: These services count visits and tell us which pages are useful.
        - checkbox "All services of this page"
        - list:
          - listitem:
            - switch "Northwind Stats"
            - paragraph: Counts page views and visits, without following you elsewhere.
            - button "Read more Northwind Stats"
          - listitem:
            - switch "Heatline"
          - listitem:
            - switch "Split & Test"
          - listitem:
            - strong: Basket
            - text: Always on
            - paragraph: Keeps what you have chosen until you pay.
          - listitem:
            - strong: Privacy choices
        - button "Back"
        - button "Next"`],
    ["shop", "shop-short", [], `
      - dialog "Datenschutz in unserem Laden":
        - button "Ohne Auswahl schließen"
        - heading "Datenschutz in unserem Laden" [level=2]
        - list:
          - listitem:
            - switch "Northwind Stats"
          - listitem:
            - switch "Videoline"
        - button "Alle ablehnen"
        - button "Alle akzeptieren"
        - button "Auswahl speichern"`],
    ["bakery", "bar", [], `
      - dialog "Care for a cookie?":
        - button "Close without choosing"
        - heading "Care for a cookie?" [level=2]
        - paragraph
        - button "Refuse all"
        - button "Accept all"
        - button "Let me choose"`],
    ["notices", "soft", [], `
      - dialog "A word about cookies":
        - button "Close without choosing"
        - heading "A word about cookies" [level=2]
        - paragraph
        - text: This message closes by itself after 20 seconds. That accepts nothing.
        - checkbox "Pause the countdown"
        - button "Refuse all"
        - button "Accept all"
        - button "Let me choose"`],
    ["notices", "order", [], `
      - dialog "Welcome to the museum":
        - button "Close without choosing"
        - heading "Welcome to the museum" [level=2]
        - paragraph: Before you come in, a word about cookies.
        - button "Go on"`],
    ["notices", "arabic", ["configure"], `
      - dialog "الخدمات":
        - button "إغلاق دون اختيار"
        - heading "الخدمات" [level=2]
        - checkbox "جميع الخدمات في هذه الصفحة"
        - list:
          - listitem:
            - switch "Northwind Stats"
          - listitem:
            - switch "AdHarbour"
        - button "رجوع"
        - button "حفظ اختياراتي"`],
  ];
  for (const [clientId, cookiesVersion, parts, order] of orders) {
    test(`${cookiesVersion} ${parts.join(" ")}`, async ({ page, shop, banner }) => {
      await page.goto(shop.page({ settings: { clientId, cookiesVersion } }));
      for (const part of parts) await banner.part(part).click();
      await expect(page.getByRole("dialog").locator("..")).toMatchAriaSnapshot(order);
    });
  }
});

test("by keyboard alone: from the page to a choice that is saved", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await expect(page.getByRole("heading", { level: 2 })).toBeFocused();
  const reach = async (selector: string) => {
    for (let press = 0; press < 30; press++) {
      await page.keyboard.press("Tab");
      const there = await page.evaluate((selector) => document.querySelector("#placet")?.shadowRoot?.activeElement?.matches(selector), selector);
      if (there) return;
    }
    throw new Error(`Tab does not lead to ${selector}`);
  };
  await reach("[part=configure]");
  await page.keyboard.press("Enter");
  await reach("[part=more]");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Reports are kept for thirteen months.")).toBeVisible();
  await reach("[part=toggle][data-vendor=heat]");
  await page.keyboard.press("Space");
  await reach("[part=next]");
  await page.keyboard.press("Enter");
  await reach("[part=toggle-all]");
  await page.keyboard.press("Space");
  await reach("[part=next]");
  await page.keyboard.press("Space");
  await expect(page.getByRole("heading", { name: "Videos and maps" })).toBeFocused();
  await reach("[part=next]");
  await page.keyboard.press("Enter");
  await expect(banner.dialog).toHaveCount(0);
  const chosen = { stats: false, heat: true, ab: false, ads: true, pixel: true, video: false, map: false };
  expect(await banner.choice()).toMatchObject(chosen);
  await expect.poll(() => shop.stored[0]?.body).toMatchObject({ accept: false, preferences: { vendors: chosen } });
  // And back from the page's own controls to the reopen button.
  await page.locator("#search").focus();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.querySelector("#placet")?.shadowRoot?.activeElement?.getAttribute("part"))).toBe("reopen");
  await page.keyboard.press("Enter");
  await reach("[part=refuse]");
  await page.keyboard.press("Enter");
  await expect.poll(() => shop.stored[1]?.body).toMatchObject({ accept: false, preferences: { vendors: { heat: false, ads: false } } });
  await expect(banner.part("reopen")).toBeFocused();
});

test("forced colours: buttons have edges, the focus is visible, and the pressed state does not depend on a colour", async ({ page, shop, banner }) => {
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
  /** True if the element has an edge, or an outline when focused, in another colour than its background. */
  const edge = (one: import("@playwright/test").Locator, side: "border-top" | "outline") =>
    one.evaluate((element, side) => {
      const style = getComputedStyle(element);
      const value = (what: string) => style.getPropertyValue(`${side}-${what}`);
      return value("style") !== "none" && parseFloat(value("width")) >= 1 && value("color") !== style.backgroundColor;
    }, side);
  const focused = async (one: import("@playwright/test").Locator) => {
    await one.focus();
    // The outline shows for keyboard users.
    await page.keyboard.press("Shift");
    return edge(one, "outline");
  };
  const body = `<form><div data-placet-processing="${NEWS}"></div><p></p><div data-placet-contract="${TERMS}"></div></form>
    <iframe title="Film" data-requires-vendor-consent="stats" data-src="about:blank"></iframe>`;
  await page.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "soft" }, body }));
  for (const part of ["refuse", "accept", "configure"]) expect([part, await edge(banner.part(part), "border-top"), await focused(banner.part(part))]).toEqual([part, true, true]);
  const pause = page.getByRole("checkbox", { name: "Pause the countdown" });
  expect(await focused(pause)).toBe(true);
  // The countdown stays visible: its bar has another colour than its background.
  const [bar, ground] = await Promise.all([page.locator("#placet .ti"), banner.dialog].map((one) => one.evaluate((element) => getComputedStyle(element).backgroundColor)));
  expect(bar).not.toBe(ground);
  expect(await edge(banner.dialog, "border-top")).toBe(true);
  // Text that scrolls under the buttons does not show between them.
  expect(await page.locator("#placet .f").evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(ground);
  await banner.part("configure").click();
  for (const one of [banner.part("close"), banner.toggle("stats"), banner.part("back"), banner.part("next")]) expect(await focused(one)).toBe(true);
  await page.keyboard.press("Escape");
  await banner.part("accept").click();
  expect([await edge(banner.part("reopen"), "border-top"), await focused(banner.part("reopen"))]).toEqual([true, true]);
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  // The offer after a withdrawal, and the placeholder that is back.
  for (const one of [page.locator("#placet-changed [part=reload]"), page.locator("#placet-changed [part=dismiss]"), page.getByRole("button", { name: /^Allow/ })]) {
    expect([await edge(one, "border-top"), await focused(one)]).toEqual([true, true]);
  }
  await page.locator("#placet-changed [part=dismiss]").click();
  const box = page.locator("[data-placet-processing]");
  const yes = box.getByRole("button", { name: "Yes, write to me" });
  for (const one of [yes, box.getByRole("button", { name: "No, thank you" })]) expect([await edge(one, "border-top"), await focused(one)]).toEqual([true, true]);
  expect(await edge(box.locator(".b").first(), "border-top")).toBe(true);
  expect(await focused(page.getByRole("checkbox", { name: "Terms of sale" }))).toBe(true);
  await box.getByRole("button", { name: "Only offers" }).click();
  await expect(box.getByRole("button", { name: "Only offers" })).toHaveAttribute("aria-pressed", "true");
  expect(await box.getByRole("button", { name: "Only offers" }).evaluate((one) => getComputedStyle(one, "::before").content)).toContain("✓");
});

const states: Record<string, (on: On) => Promise<void>> = {
  "the browser's signal is acknowledged": async ({ page, shop, banner }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
    await page.goto(shop.page({ settings: { cookiesVersion: "shop-signals" } }));
    await expect(banner.part("gpc")).toBeVisible();
  },
  "what a withdrawal offers": async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "soft" } }));
    await banner.part("accept").click();
    // The allowed vendors are known once the browser is idle.
    await banner.saved();
    await banner.part("reopen").click();
    await banner.part("refuse").click();
    await expect(page.locator("#placet-changed [part=reload]")).toBeVisible();
  },
  "a contract that was opened": async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "only" } }));
    await banner.part("next").click();
    await page.evaluate((id) => void (window as any).placetSDK.openContract(id), TERMS);
    await expect(page.getByRole("dialog", { name: "Terms of sale" }).getByRole("checkbox")).toBeVisible();
  },
  "a box that confirms": async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "only" }, body: `<form><div data-placet-processing="${NEWS}"></div></form>` }));
    await banner.part("next").click();
    await page.getByRole("button", { name: "Yes, write to me" }).click();
    await expect(page.getByText("We will write to you")).toBeFocused();
  },
  "boxes from right to left": async ({ page, shop, banner }) => {
    const body = `<form><div data-placet-processing="${ARABIC_NEWS}"></div><p></p><div data-placet-contract="${ARABIC_TERMS}"></div></form>`;
    await page.route("https://pictures.example/**", (route) => route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"/>' }));
    await page.goto(shop.page({ settings: { clientId: "settings", cookiesVersion: "hidden" }, lang: "ar", body }));
    await banner.part("refuse").click();
    await expect(page.getByRole("checkbox")).toHaveCount(2);
    const yes = page.locator("[data-placet-processing]").getByRole("button", { name: "نعم" });
    const no = page.locator("[data-placet-processing]").getByRole("button", { name: "لا، شكرا" });
    const [first, second] = await Promise.all([yes.boundingBox(), no.boundingBox()]);
    // Side by side, the first one is on the right, if there is room for both.
    const beside = (page.viewportSize()?.width ?? 0) > 400;
    expect([Math.round(first?.y ?? 0) === Math.round(second?.y ?? 1), (first?.x ?? 0) > (second?.x ?? 0)]).toEqual([beside, beside]);
    expect(await yes.evaluate((one) => getComputedStyle(one).direction)).toBe("rtl");
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  },
  "details of a box from right to left": async (on) => {
    await states["boxes from right to left"]?.(on);
    await on.page.locator("[data-placet-processing]").getByRole("button").last().click();
    await expect(on.page.getByRole("dialog")).toBeVisible();
  },
};

for (const [name, go] of Object.entries(states)) {
  test(`axe finds nothing: ${name}`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.context().clearCookies();
      await go({ page, shop, banner });
      await expectAccessibleInBoth(page, async (scheme) => {
        if (process.env.PLACET_SHOTS) await page.screenshot({ path: `${process.env.PLACET_SHOTS}/${name.replaceAll(" ", "-")}-${scheme}-${width}.png` });
      });
    }
  });
}
