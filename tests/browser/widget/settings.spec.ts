// Every setting of a configuration, by its visible or stored effect.

import type { Page } from "@playwright/test";
import { expect, test, type Banner, type Shop } from "./support/shop.ts";
import { expectAccessible } from "../support/axe.ts";

const settings = (cookiesVersion: string) => ({ clientId: "settings", cookiesVersion });
const DAY = 86_400_000;

/** Position of the banner: its sides, or that its centre is the window's. */
type Place = { left?: number; right?: number; top?: number; bottom?: number; middle?: boolean; centre?: boolean };
const places: Record<string, { desk: Place; phone: Place }> = {
  top: { desk: { top: 16, centre: true }, phone: { top: 16, left: 8, right: 8 } },
  bottom: { desk: { bottom: 16, centre: true }, phone: { bottom: 8, left: 8, right: 8 } },
  center: { desk: { middle: true, centre: true }, phone: { middle: true, left: 8, right: 8 } },
  left: { desk: { bottom: 16, left: 16 }, phone: { bottom: 8, left: 8, right: 8 } },
  right: { desk: { bottom: 16, right: 16 }, phone: { bottom: 8, left: 8, right: 8 } },
  "bar-top": { desk: { top: 0, left: 0, right: 0 }, phone: { top: 0, left: 0, right: 0 } },
};

for (const [name, { desk, phone }] of Object.entries(places)) {
  test(`position: ${name}`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const [place, width, height] of [[desk, 1280, 800], [phone, 390, 780]] as const) {
      await page.setViewportSize({ width, height });
      await page.goto(shop.page({ settings: settings(name) }));
      // A layer behind it has the same position.
      for (const part of ["configure", "close"]) {
        const box = (await banner.dialog.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
        const stands = {
          left: Math.round(box.x),
          right: Math.round(width - box.x - box.width),
          top: Math.round(box.y),
          bottom: Math.round(height - box.y - box.height),
          centre: Math.abs(box.x + box.width / 2 - width / 2) <= 1,
          middle: Math.abs(box.y + box.height / 2 - height / 2) <= 1,
        };
        expect(stands).toMatchObject(place);
        await banner.part(part).click();
      }
      // The reopen button is in a corner of the window, wherever the banner was.
      const reopen = (await banner.part("reopen").boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const side = name === "right" ? width - reopen.x - reopen.width : reopen.x;
      expect([Math.round(side), Math.round(height - reopen.y - reopen.height)]).toEqual([16, 16]);
    }
  });
}

test("the reopen button of a returning visitor looks like after the choice, and opens the whole widget", async ({ page, context, shop, banner }) => {
  for (const name of Object.keys(places)) {
    await page.goto(shop.page({ settings: settings(name) }));
    await banner.part("accept").click();
    await page.mouse.move(640, 300);
    const looks = () =>
      banner.part("reopen").evaluate((button) => {
        const style = getComputedStyle(button);
        const { x, y } = button.getBoundingClientRect();
        return { x, y, style: [...style].map((property) => [property, style.getPropertyValue(property)]) };
      });
    const before = await looks();
    await banner.saved();
    await page.reload();
    expect(await looks(), name).toEqual(before);
    await banner.part("reopen").click();
    await expect(banner.part("close")).toHaveCSS("width", "32px");
    await context.clearCookies();
  }
});

for (const name of ["dimmed", "dimmed-notice"]) {
  test(`overlay without a modal: the page is out of reach, also of a notice: ${name}`, async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: settings(name) }));
    await expect.poll(() => page.getByRole("dialog").evaluate((dialog) => dialog.matches(":modal"))).toBe(true);
    await expect(page.getByRole("heading", { level: 2 })).toBeFocused();
    expect(await banner.part("overlay").boundingBox()).toEqual({ x: 0, y: 0, width: 1280, height: 720 });
    const above = () =>
      page.locator("#before").evaluate((button) => {
        const { x, y } = button.getBoundingClientRect();
        return document.elementFromPoint(x + 4, y + 4)?.id;
      });
    expect(await above()).toBe("placet");
    // Its position is the card's and not the middle.
    expect((await banner.dialog.boundingBox())?.x).toBe(16);
    await expectAccessible(page);
    await banner.part("refuse").click();
    await expect(banner.part("overlay")).toHaveCount(0);
    // The second click of a double click meets nothing.
    await expect.poll(above).toBe("before");
  });
}

test("cookieDurationDays: cookies of that age, and an older choice is asked again", async ({ page, context, shop, banner }) => {
  const url = shop.page({ settings: settings("short") });
  await page.goto(url);
  await banner.part("accept").click();
  expect(await banner.choice()).toMatchObject({ $$duration: 7 });
  const cookies = await context.cookies();
  expect(cookies).toHaveLength(3);
  for (const { expires } of cookies) expect(Math.abs(expires * 1000 - Date.now() - 7 * DAY)).toBeLessThan(DAY / 2);
  await banner.saved();
  const choice = await banner.choice();
  for (const [age, asked] of [[6, 0], [8, 1]] as const) {
    const old = { ...choice, $$date: new Date(Date.now() - age * DAY).toISOString() };
    await context.addCookies([{ name: "placet_cookies", value: encodeURIComponent(JSON.stringify(old)), url: shop.site }]);
    await page.goto(url);
    await expect(asked ? banner.dialog : banner.part("reopen")).toBeVisible();
    await expect(banner.dialog).toHaveCount(asked);
  }
});

test("hideForVisitorsWithChoice: a reopen button until there is a choice, none afterwards", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: settings("hidden") }));
  await banner.part("close").click();
  await expect(banner.part("reopen")).toBeVisible();
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect(page.locator("#placet")).toHaveCount(0);
  await banner.saved();
  await page.reload();
  await expect.poll(() => banner.events()).toContain("cookies:complete");
  await expect(page.locator("#placet")).toHaveCount(0);
  // The site's own link still opens it, and closing leaves nothing.
  await page.evaluate(() => (window as any).placetSDK.openCookies());
  await expect(banner.dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator("#placet")).toHaveCount(0);
});

test("withSaveConsent off: the choice counts on the site and is not posted", async ({ page, shop, banner }) => {
  const body = `<script type="text/plain" data-requires-vendor-consent="stats">window.ran=1</script>`;
  const idle = () => page.evaluate(() => new Promise((done) => requestIdleCallback(() => setTimeout(done), { timeout: 1_000 })));
  await page.goto(shop.page({ settings: settings("private"), body }));
  await banner.part("accept").click();
  await expect.poll(() => page.evaluate(() => (window as any).ran)).toBe(1);
  await idle();
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await expect.poll(() => page.evaluate(() => (window as any).ran)).toBe(1);
  await idle();
  expect(await banner.events()).toEqual(["queue", "ready", "consent:signals", "cookies:complete"]);
  expect(await page.evaluate(() => localStorage.placet_outbox)).toBeUndefined();
  expect(shop.posts).toEqual([]);
  expect(shop.requests.filter((one) => one.includes("/v1/"))).toEqual([]);
});

/** Serves the configuration with one more vendor from now on, under its own name. */
async function republish(page: Page, name: string): Promise<void> {
  await page.route(`**/settings/${name}.js`, async (route) => {
    const later = await route.fetch({ url: route.request().url().replace(name, `${name}-later`) });
    await route.fulfill({ response: later, body: (await later.text()).replaceAll(`${name}-later`, name) });
  });
}

async function acceptThenRepublish({ page, shop, banner }: { page: Page; shop: Shop; banner: Banner }, name: string): Promise<void> {
  await page.goto(shop.page({ settings: settings(name) }));
  await banner.part("accept").click();
  await banner.saved();
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await republish(page, name);
  await page.reload();
}

test("a new vendor in the same configuration asks again, and keeps what was said of the others", async ({ page, shop, banner }) => {
  await acceptThenRepublish({ page, shop, banner }, "again");
  await expect(banner.dialog).toBeVisible();
  expect(await banner.events()).not.toContain("cookies:complete");
  expect(await page.evaluate(() => (window as any).placetSDK.hasAcceptedVendor("chat"))).toBe(false);
  await banner.part("configure").click();
  await expect(banner.toggle("stats")).toHaveAttribute("aria-checked", "true");
  await expect(banner.toggle("chat")).toHaveAttribute("aria-checked", "false");
  await banner.part("next").click();
  expect(await banner.choice()).toMatchObject({ stats: true, chat: false, $$cookiesVersion: { name: "again" } });
  await expect.poll(() => shop.stored[1]?.body).toMatchObject({ accept: false, preferences: { vendors: { stats: true, chat: false } } });
  // The proof names the publication that was shown.
  expect(shop.stored[1]?.body.publication).not.toBe(shop.stored[0]?.body.publication);
  await banner.saved();
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await expect(banner.dialog).toHaveCount(0);
});

test("reaskOnVendorChange off: the visitor is not asked again, and the new vendor is not allowed", async ({ page, shop, banner }) => {
  await acceptThenRepublish({ page, shop, banner }, "keep");
  await expect(banner.part("reopen")).toBeVisible();
  await expect(banner.dialog).toHaveCount(0);
  expect((await banner.seen()).find(([event]) => event === "cookies:complete")?.[1]).toEqual({ stats: true, chat: false });
});

test("pictures of steps and boxes: in their place on a phone, and a policy decides whether they load", async ({ page, shop, banner }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const asked: string[] = [];
  await page.route("https://pictures.example/**", (route) => {
    asked.push(new URL(route.request().url()).pathname);
    return route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300"/></svg>' });
  });
  const body = `<form><div data-placet-processing="01980000-0000-7000-8000-0000000000a1"></div></form>`;
  const policy = (images: string) => ({
    "Content-Security-Policy": `default-src 'none'; script-src 'self' {cdn} {api} 'wasm-unsafe-eval'; style-src 'none'; connect-src {api} {cdn}; img-src ${images}; require-trusted-types-for 'script'; trusted-types placet`,
  });
  const image = banner.part("image");
  const picture = page.locator("[data-placet-processing] [part=picture]");
  for (const [images, path] of [["https://pictures.example", "/allowed"], ["'none'", "/refused"]] as const) {
    const loads = path === "/allowed";
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(shop.page({ settings: settings("pictures"), body, headers: policy(images) }, path));
      for (const advance of ["configure", "close"]) {
        await expect(image).toHaveAttribute("alt", "");
        await expect.poll(() => image.evaluate((one) => (one as HTMLImageElement).complete && (one as HTMLImageElement).naturalWidth > 0)).toBe(loads);
        // Its place is reserved either way, beside the title and below the close button.
        const [box, title, close, dialog] = await Promise.all(
          [image, page.locator("#placet h2"), banner.part("close"), banner.dialog].map(async (one) => (await one.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }),
        ) as [Box, Box, Box, Box];
        expect([box.width, box.height]).toEqual([64, 64]);
        expect(box.x).toBeGreaterThanOrEqual(dialog.x);
        expect(box.x + box.width).toBeLessThanOrEqual(dialog.x + dialog.width);
        expect(overlap(box, close)).toBe(false);
        const words = await page.locator("#placet h2").evaluate((heading) => {
          const range = document.createRange();
          range.selectNodeContents(heading);
          const { x, y, width, height } = range.getBoundingClientRect();
          return { x, y, width, height };
        });
        expect(words.width).toBeLessThanOrEqual(title.width);
        expect(overlap(box, words)).toBe(false);
        expect(await banner.dialog.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
        await banner.part(advance).click();
      }
      await expect(picture).toHaveAttribute("alt", "");
      await expect.poll(() => picture.evaluate((one) => (one as HTMLImageElement).complete && (one as HTMLImageElement).naturalWidth > 0)).toBe(loads);
      const box = (await picture.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const host = (await page.locator("[data-placet-processing]").boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      expect([box.width, box.height]).toEqual([56, 56]);
      expect(box.x + box.width).toBeLessThanOrEqual(host.x + host.width);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
    expect([...new Set(asked)].sort()).toEqual(loads ? ["/box.png", "/step.png"] : []);
    asked.length = 0;
  }
});

test("a picture in a bar stands beside all of the text, and leaves no hole in it", async ({ page, shop, banner }) => {
  await page.route("https://pictures.example/**", (route) => route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64"/></svg>' }));
  await page.goto(shop.page({ settings: settings("picture-bar") }));
  await expect(banner.part("image")).toBeVisible();
  const [dialog, image, title, message, refuse] = (await Promise.all(
    [banner.dialog, banner.part("image"), banner.part("title"), banner.part("message").locator("p"), banner.part("refuse")].map((one) => one.boundingBox()),
  )) as [Box, Box, Box, Box, Box];
  // Buttons that are higher than the text spread its rows a little.
  expect(message.y - title.y - title.height).toBeLessThan(36);
  expect([overlap(image, title), overlap(image, message), overlap(image, refuse)]).toEqual([false, false, false]);
  expect(image.y + image.height).toBeLessThanOrEqual(dialog.y + dialog.height);
  // A layer without a picture keeps its place.
  await banner.part("configure").click();
  await expect(banner.part("image")).toHaveCount(0);
});

test("from right to left: a bar's texts begin at one edge, and none touches a picture", async ({ page, shop, banner }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.route("https://pictures.example/**", (route) => route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64"/></svg>' }));
  /** Bounds of an element's text. */
  const words = (one: import("@playwright/test").Locator) =>
    one.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      return { left: Math.round(left), right: Math.round(right), top, bottom };
    });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(shop.page({ settings: settings("bar-ar"), lang: "ar" }));
  const [title, message] = await Promise.all([words(page.locator("#placet h2")), words(banner.part("message"))]);
  expect(message.right).toBe(title.right);
  const [refuse, close] = await Promise.all([banner.part("refuse").boundingBox(), banner.part("close").boundingBox()]);
  expect(refuse?.x ?? 1280).toBeLessThan(title.left);
  expect(close?.x ?? 1280).toBeLessThan(refuse?.x ?? 0);
  await expectAccessible(page);
  const body = `<form><div data-placet-processing="01980000-0000-7000-8000-0000000000a2"></div></form>`;
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(shop.page({ settings: settings("picture-ar"), lang: "ar", body }));
    const apart = async (picture: import("@playwright/test").Locator, text: import("@playwright/test").Locator) => {
      await expect(picture).toBeVisible();
      const box = (await picture.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      // On the left, with a gap to the lines on its right. Others may continue below it.
      const lines = await text.evaluate((element, below) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return [...range.getClientRects()].filter(({ top }) => top < below).map(({ left }) => left);
      }, box.y + box.height);
      return Math.round(Math.min(...lines) - box.x - box.width);
    };
    expect(await apart(banner.part("image"), page.locator("#placet h2"))).toBeGreaterThanOrEqual(12);
    await banner.part("close").click();
    expect(await apart(page.locator("[data-placet-processing] [part=picture]"), page.locator("[data-placet-processing] [part=title]"))).toBeGreaterThanOrEqual(12);
    await expectAccessible(page);
  }
});

for (const [name, own] of Object.entries({
  "an object without a prototype": "Object.assign(Object.create(null),placetSettings)",
  "an object of a frame": "Object.assign(new (document.querySelector('iframe').contentWindow.Object)(),placetSettings)",
})) {
  test(`settings are any object of scripts: ${name}`, async ({ page, shop, banner }) => {
    const body = `<iframe title="Frame"></iframe><script src="/settings.js"></script><script>placetSettings=${own}</script>
      <script src="${shop.cdnUrl}/shop/shop-en.js"></script>`;
    await page.goto(shop.page({ delivery: "none", settings: { clientId: "shop", cookiesVersion: "shop-en", token: "visitor-4711" }, body }));
    await banner.part("accept").click();
    await expect.poll(() => shop.stored[0]?.body.token).toBe("visitor-4711");
  });
}

type Box = { x: number; y: number; width: number; height: number };
const overlap = (a: Box, b: Box) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

for (const [name, markup] of Object.entries({
  links: '<a id=placetSettings></a><a id=placetSettings name=apiUrl href="https://evil.example/"></a>',
  form: "<form id=placetSettings><input name=token value=known></form>",
  frame: '<iframe name=placetSettings srcdoc="<a id=apiUrl href=https://evil.example/></a>"></iframe>',
  "frame of another origin": '<iframe name=placetSettings src="data:text/html,"></iframe>',
})) {
  test(`markup of a stranger is no settings: ${name}`, async ({ page, shop, banner }) => {
    const script = `<script async src="${shop.cdnUrl}/shop/shop-en.js"></script>`;
    await page.goto(shop.page({ delivery: "none", head: `${markup}${script}` }));
    await banner.part("accept").click();
    await expect.poll(() => shop.stored[0]?.body.token).toMatch(/^[0-9a-f]{44}$/);
  });
}
