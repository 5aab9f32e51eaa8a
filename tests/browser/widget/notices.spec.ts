// Steps of every layout in any order: notices that close by themselves, and events that never count as an
// answer.

import { expect, test } from "./support/shop.ts";
import { expectAccessible, expectAccessibleInBoth } from "../support/axe.ts";

const settings = (cookiesVersion: string) => ({ clientId: "notices", cookiesVersion });

test("a notice asks without taking the page or the focus", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: settings("soft") }));
  const notice = page.getByRole("dialog", { name: "A word about cookies" });
  await expect(notice).toBeVisible();
  await expect(notice).not.toHaveAttribute("aria-modal");
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe("body");
  // The page stays usable, and Tab leaves the notice.
  await page.locator("#search").fill("boots");
  await banner.part("close").focus();
  await page.keyboard.press("Shift+Tab");
  expect(await page.evaluate(() => document.activeElement?.id)).not.toBe("placet");
  for (const part of ["refuse", "accept", "configure"]) await expect(banner.part(part)).toBeVisible();
  await expect(banner.part("countdown")).toContainText("after 20 seconds. That accepts nothing.");
  // The button for more opens an ordinary dialog.
  await banner.part("configure").click();
  await expect(page.getByRole("dialog", { name: "Services" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Services" })).toBeFocused();
});

test("on a small phone no word of a notice, nor its pause, lies behind the buttons", async ({ page, shop, banner }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 320, height: 568 });
  await page.goto(shop.page({ settings: settings("soft") }));
  await expect(banner.part("countdown")).toBeVisible();
  const behind = await banner.dialog.evaluate((dialog) => {
    const { top } = dialog.querySelector("[part=actions]")!.getBoundingClientRect();
    const words = [...dialog.querySelectorAll("[part=message],[part=countdown],[part=closing]")];
    return words.filter((one) => one.getBoundingClientRect().bottom > top + 1).map((one) => one.part.value);
  });
  expect(behind).toEqual([]);
  await expect(banner.part("accept")).toBeInViewport({ ratio: 1 });
});

test("a time-out continues after an info and closes a soft consent, and accepts nothing", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: settings("quick"), body: `<script type="text/plain" data-requires-vendor-consent="stats">window.ran=1</script>` }));
  await expect(page.getByRole("heading", { name: "Two questions are coming" })).toBeVisible();
  await page.locator("#search").focus();
  await expect(page.getByRole("heading", { name: "A word about cookies" })).toBeVisible();
  await expect(page.locator("#search")).toBeFocused();
  await expect(banner.dialog).toHaveCount(0);
  await expect(banner.part("reopen")).toBeVisible();
  await expect(page.locator("#search")).toBeFocused();
  expect(await banner.events()).toEqual(["queue", "ready", "open", "cookies:step:change", "cookies:step:change", "close"]);
  expect(await page.evaluate(() => [document.cookie, localStorage.length, (window as any).ran])).toEqual(["", 0, undefined]);
  expect(shop.posts).toEqual([]);
  // Silence is no answer, so the next page asks again.
  await page.reload();
  await expect(banner.dialog).toBeVisible();
});

test("the countdown is seen, and stops while it is paused, pointed at or used by keyboard", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: settings("soft") }));
  const bar = page.locator("#placet .ti");
  const state = () => bar.evaluate((element) => getComputedStyle(element).animationPlayState);
  await expect(bar).toBeVisible();
  await page.mouse.move(5, 5);
  expect(await state()).toBe("running");
  await banner.dialog.hover();
  expect(await state()).toBe("paused");
  await page.mouse.move(5, 5);
  expect(await state()).toBe("running");
  await page.getByRole("checkbox", { name: "Pause the countdown" }).check();
  await page.mouse.move(5, 5);
  expect(await state()).toBe("paused");
  await page.getByRole("checkbox", { name: "Pause the countdown" }).uncheck();
  await page.locator("#search").click();
  expect(await state()).toBe("running");
  await banner.part("close").focus();
  await page.keyboard.press("Tab");
  expect(await state()).toBe("paused");
});

test("a browser that cannot pause the countdown has none, and the buttons stay", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: settings("soft") }));
  await expect(banner.part("countdown")).toBeVisible();
  // Like a browser without `:has`: its fallback rules become ordinary rules.
  const left = await page.evaluate(() => {
    const root = document.querySelector("#placet")?.shadowRoot as ShadowRoot;
    const rules = root.adoptedStyleSheets.flatMap((sheet) => [...sheet.cssRules]);
    const others = rules.filter((rule) => rule instanceof CSSSupportsRule && rule.conditionText === "not selector(:has(*))") as CSSSupportsRule[];
    const sheet = new CSSStyleSheet();
    for (const { cssRules } of others) for (const { cssText } of cssRules) sheet.insertRule(cssText);
    root.adoptedStyleSheets.push(sheet);
    return root.getAnimations().filter((running) => (running as CSSAnimation).animationName === "ti").length;
  });
  expect(left).toBe(0);
  await expect(banner.part("countdown")).toBeHidden();
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.map(({ body }) => body.accept)).toEqual([false]);
});

test("on a page opened in the background the time begins when it is shown", async ({ page, shop, banner }) => {
  await page.addInitScript(() => Object.defineProperty(document, "hidden", { configurable: true, get: () => !(window as any).looked }));
  await page.goto(shop.page({ settings: settings("quick") }));
  await expect(banner.dialog).toBeVisible();
  expect(await page.locator("#placet .ti").evaluate((bar) => getComputedStyle(bar).animationPlayState)).toBe("paused");
  await page.evaluate(() => {
    (window as any).looked = true;
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  });
  await page.locator("#search").focus();
  await expect(page.getByRole("heading", { name: "A word about cookies" })).toBeVisible();
});

test("less motion: the bar steps, and the notice still goes", async ({ page, shop, banner }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(shop.page({ settings: settings("quick") }));
  const { name, timing } = await page.locator("#placet .ti").evaluate((element) => {
    const style = getComputedStyle(element);
    return { name: style.animationName, timing: style.animationTimingFunction };
  });
  expect(name).toBe("ti");
  expect(timing).toContain("steps(8");
  await expect(banner.part("reopen")).toBeVisible();
});

test("steps in any order and number", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: settings("order") }));
  // An info step has nothing to accept. The first layer that asks offers refusing beside accepting.
  await expect(page.getByRole("heading", { name: "Welcome to the museum" })).toBeVisible();
  await expect(banner.part("accept")).toHaveCount(0);
  await expect(banner.part("next")).toHaveText("Go on");
  await banner.part("next").click();
  await expect(banner.part("refuse")).toHaveText("No, thank you");
  await expect(banner.part("accept")).toBeVisible();
  // The step's own texts take precedence over the configuration's.
  await expect(banner.part("next")).toHaveText("To the adverts");
  await banner.toggle("stats").click();
  await banner.part("next").click();
  await expect(page.getByRole("heading", { name: "All at once?" })).toBeVisible();
  await banner.part("configure").click();
  await expect(page.getByText("Step 2 of 2")).toBeAttached();
  await banner.part("next").click();
  await expect(page.getByRole("heading", { name: "Thank you" })).toBeVisible();
  await banner.part("back").click();
  await banner.part("next").click();
  await expect(banner.part("next")).toHaveText("Save my choices");
  await banner.part("next").click();
  await expect.poll(() => shop.stored[0]?.body).toMatchObject({ accept: false, preferences: { vendors: { stats: true, ads: false } } });
});

test("a single notice is acknowledged by a click, once", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: settings("only") }));
  await expect(banner.part("next")).toHaveText("Understood");
  await banner.part("next").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  await banner.saved();
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await expect(banner.dialog).toHaveCount(0);
});

test("right to left", async ({ page, shop, banner }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 390, height: 780 });
  await page.goto(shop.page({ settings: settings("arabic"), lang: "ar" }));
  await expect(banner.dialog).toHaveAttribute("dir", "rtl");
  const [refuse, accept] = await Promise.all(["refuse", "accept"].map((name) => banner.part(name).boundingBox()));
  expect(refuse?.x ?? 0).toBeGreaterThan(accept?.x ?? 0);
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  await expect(banner.toggle("stats")).toHaveAttribute("aria-checked", "true");
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await expectAccessible(page);
});

for (const cookiesVersion of ["soft", "order", "only", "arabic"]) {
  test(`axe finds nothing: ${cookiesVersion}`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 700 });
      await page.context().clearCookies();
      await page.goto(shop.page({ settings: settings(cookiesVersion) }));
      await expect(banner.dialog).toBeVisible();
      await expectAccessibleInBoth(page, async (scheme) => {
        if (process.env.PLACET_SHOTS) await page.screenshot({ path: `${process.env.PLACET_SHOTS}/${cookiesVersion}-${scheme}-${width}.png` });
      });
      const on = banner.part("configure").or(banner.part("next")).first();
      await on.click();
      await expectAccessibleInBoth(page, async (scheme) => {
        if (process.env.PLACET_SHOTS) await page.screenshot({ path: `${process.env.PLACET_SHOTS}/${cookiesVersion}-${scheme}-${width}-2.png` });
      });
    }
  });
}
