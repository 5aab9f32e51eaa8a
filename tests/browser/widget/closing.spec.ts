// Closing the widget before a choice: it refuses, says so, and is asked again after a time.

import { expect, test } from "./support/shop.ts";
import { expectAccessible } from "../support/axe.ts";

const DAY = 86_400_000;
const SAYS = "Until you choose, closing refuses all.";

for (const way of ["×", "Escape"] as const) {
  for (const delivery of ["bundle", "generic"] as const) {
    test(`${way} refuses everything, and its proof says so: ${delivery}`, async ({ page, context, shop, banner }) => {
      const url = shop.page({ delivery, settings: { clientId: "closing", cookiesVersion: "card", userCookiesDuration: 365 } });
      await page.goto(url);
      await expect(banner.part("closing")).toHaveText(SAYS);
      await expect(banner.part("close")).toHaveAccessibleDescription(SAYS);
      await expectAccessible(page);
      await banner.part("configure").click();
      await expect(banner.part("closing")).toHaveCount(0);
      await banner.toggle("stats").click();
      if (way === "×") await banner.part("close").click();
      else {
        // From a layer behind the first it leads back.
        await page.keyboard.press("Escape");
        await expect(banner.part("accept")).toBeVisible();
        await page.keyboard.press("Escape");
      }
      await expect(banner.dialog).toHaveCount(0);
      expect(await banner.choice()).toMatchObject({ stats: false, ads: false, $$completed: true, $$duration: 90 });
      const cookies = await context.cookies();
      expect(cookies).toHaveLength(3);
      for (const { expires } of cookies) expect(Math.abs(expires * 1000 - Date.now() - 90 * DAY)).toBeLessThan(DAY / 2);
      await banner.saved();
      expect(shop.stored.map(({ body }) => [body.accept, body.preferences.action, body.preferences.vendors])).toEqual([
        [false, "close", { stats: false, ads: false }],
      ]);
      expect(await banner.events()).toContain("cookies:complete");

      const choice = await banner.choice();
      for (const [age, asked] of [[0, 0], [89, 0], [91, 1]] as const) {
        const old = { ...choice, $$date: new Date(Date.now() - age * DAY).toISOString() };
        await context.addCookies([{ name: "placet_cookies", value: encodeURIComponent(JSON.stringify(old)), url: shop.site }]);
        await page.goto(url);
        await expect(asked ? banner.dialog : banner.part("reopen")).toBeVisible();
        await expect(banner.dialog).toHaveCount(asked);
      }
    });
  }
}

test("who looks at a choice and closes keeps it, and its age", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: { clientId: "closing", cookiesVersion: "card" } }));
  await banner.part("accept").click();
  await banner.saved();
  const choice = await banner.choice();
  expect(choice).toMatchObject({ stats: true, ads: true, $$duration: 180 });
  expect(shop.stored[0]?.body.preferences).not.toHaveProperty("action");
  await page.reload();
  for (const close of [() => banner.part("close").click(), () => page.keyboard.press("Escape")]) {
    await banner.part("reopen").click();
    await close();
    await expect(banner.dialog).toHaveCount(0);
  }
  await page.evaluate(() => window.dispatchEvent(new Event("pagehide")));
  expect(await banner.choice()).toEqual(choice);
  expect(shop.stored).toHaveLength(1);
});

test("a refusal by its button, or a later choice, is kept as long as any choice", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: { clientId: "closing", cookiesVersion: "card" } }));
  await banner.part("close").click();
  await expect(banner.part("reopen")).toBeVisible();
  expect(await banner.choice()).toMatchObject({ $$duration: 90 });
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  expect(await banner.choice()).toMatchObject({ stats: false, $$duration: 180 });
  await expect.poll(() => shop.stored.map(({ body }) => body.preferences.action)).toEqual(["close", undefined]);
});

test("a modal dialog closes by Escape as a refusal, in its language", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: { clientId: "closing", cookiesVersion: "dialog" } }));
  await expect(banner.part("closing")).toHaveText("Solange Sie nicht gewählt haben, gilt Schließen als Ablehnung von allem.");
  await expectAccessible(page);
  await expect(page.getByRole("heading", { level: 2 })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(banner.dialog).toHaveCount(0);
  expect(await banner.choice()).toMatchObject({ stats: false, $$duration: 180 });
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
});

test("a countdown that runs out is no answer", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: { clientId: "closing", cookiesVersion: "notice" } }));
  await expect(banner.part("closing")).toHaveText(SAYS);
  // Time passes when the text has been seen, not before.
  await page.locator("#placet .ti").evaluate((bar) => bar.getAnimations().forEach((countdown) => countdown.finish()));
  await expect(banner.part("reopen")).toBeVisible();
  expect(await page.evaluate(() => [document.cookie, localStorage.length])).toEqual(["", 0]);
  expect(shop.posts).toEqual([]);
});
