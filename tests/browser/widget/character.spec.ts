// The character of a widget: a logo, an entrance with its farewell, and what screen readers are told after an answer.

import type { Page } from "@playwright/test";
import { expect, test, type Banner } from "./support/shop.ts";
import { expectAccessible } from "../support/axe.ts";

const settings = (cookiesVersion: string, clientId = "character") => ({ clientId, cookiesVersion });

const drawn = (width: number, height: number, colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${colour}"/></svg>`;

/** Serves the logos, each time later than the page, and notes what is asked for. */
async function pictures(page: Page, light = drawn(240, 60, "#0b6e4f")): Promise<string[]> {
  const asked: string[] = [];
  await page.route("https://pictures.example/**", async (route) => {
    const path = new URL(route.request().url()).pathname;
    asked.push(path);
    await page.waitForFunction(() => document.querySelector("#placet")?.shadowRoot?.querySelector("h2"));
    await route.fulfill({ contentType: "image/svg+xml", body: path === "/night" ? drawn(240, 60, "#7ee2b8") : light });
  });
  return asked;
}

const loaded = (banner: Banner, at = 0) =>
  expect.poll(() => banner.part("logo").nth(at).evaluate((one) => (one as HTMLImageElement).naturalWidth > 0)).toBe(true);

test.describe("a logo", () => {
  for (const width of [1280, 320]) {
    test(`stands at the top and moves nothing when it comes: ${width}`, async ({ page, shop, banner, browserName }) => {
      await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light" });
      await page.setViewportSize({ width, height: 700 });
      await pictures(page);
      await page.addInitScript(() => {
        (window as any).shift = 0;
        try {
          new PerformanceObserver((list) => list.getEntries().forEach((one) => ((window as any).shift += (one as any).value))).observe({ type: "layout-shift", buffered: true });
        } catch {}
      });
      const policy = `default-src 'none'; script-src 'self' {cdn} {api} 'wasm-unsafe-eval'; style-src 'none'; connect-src {api} {cdn}; img-src https://pictures.example; require-trusted-types-for 'script'; trusted-types placet`;
      const problems: string[] = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(shop.page({ settings: settings("card"), headers: { "Content-Security-Policy": policy } }));
      await expect(banner.dialog).toBeVisible();
      const title = page.locator("#placet h2");
      const before = await title.boundingBox();
      await loaded(banner);
      expect(await title.boundingBox()).toEqual(before);
      const [logo, close] = [await banner.part("logo").boundingBox(), await banner.part("close").boundingBox()];
      expect([logo?.width, logo?.height]).toEqual([128, 32]);
      expect((logo?.x ?? 0) + 128).toBeLessThan(close?.x ?? 0);
      expect((logo?.y ?? 0) + 32).toBeLessThan(before?.y ?? 0);
      if (browserName === "chromium") expect(await page.evaluate(() => (window as any).shift)).toBe(0);
      await expect(banner.part("logo")).toHaveAttribute("alt", "");
      expect(problems).toEqual([]);
      await expectAccessible(page);
      // It stands on each layer.
      await banner.part("configure").click();
      await expect(banner.part("logo")).toBeVisible();
    });
  }

  test("is never stretched, nor larger than it is", async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.setViewportSize({ width: 320, height: 700 });
    for (const [width, height] of [[2000, 40], [40, 400], [16, 16]] as const) {
      await page.unrouteAll();
      await pictures(page, drawn(width, height, "#c46"));
      await page.goto(shop.page({ settings: settings("card") }));
      await loaded(banner);
      const [logo, dialog] = [await banner.part("logo").boundingBox(), await banner.dialog.boundingBox()];
      expect(logo?.height).toBe(32);
      expect((logo?.x ?? 0) + (logo?.width ?? 0)).toBeLessThan((dialog?.x ?? 0) + (dialog?.width ?? 0) - 40);
      await expect(banner.part("logo")).toHaveCSS("object-fit", "scale-down");
    }
  });

  test("has another one in the dark, and a browser loads one of them", async ({ page, shop, banner }) => {
    for (const [colorScheme, version, expected] of [["light", "card", "/logo"], ["dark", "card", "/night"], ["light", "modal", "/night"]] as const) {
      // The page before would take the other one, too.
      await page.goto("about:blank");
      await page.emulateMedia({ reducedMotion: "reduce", colorScheme });
      await page.unrouteAll();
      const asked = await pictures(page);
      await page.goto(shop.page({ settings: settings(version) }));
      await loaded(banner);
      expect(asked).toEqual([expected]);
    }
  });

  test("follows the scheme of the page", async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light" });
    await pictures(page);
    await page.goto(shop.page({ settings: settings("bar"), head: "<style>html.night{color-scheme:dark}</style>" }));
    await loaded(banner, 1);
    const masks = () => banner.part("logo").evaluateAll((all) => all.map((one) => !getComputedStyle(one).maskImage.includes("rgba")));
    expect(await masks()).toEqual([true, false]);
    await page.evaluate(() => document.documentElement.classList.add("night"));
    expect(await masks()).toEqual([false, true]);
  });

  test("may be a drawing of ours", async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(shop.page({ settings: settings("card", "spring") }));
    const box = await banner.part("logo").locator("svg").boundingBox();
    expect([box?.width, box?.height]).toEqual([32, 32]);
  });

  test("does not keep a widget waiting that cannot load it", async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.route("https://pictures.example/**", (route) => route.abort());
    await page.goto(shop.page({ settings: settings("card") }));
    await expect(page.getByRole("heading", { name: "Round about" })).toBeVisible();
    expect((await banner.part("logo").boundingBox())?.height).toBe(32);
    await banner.part("accept").click();
    await expect(banner.dialog).toHaveCount(0);
  });
});

/** Names of the running animations of a root's widget, and what they change. */
const moving = (page: Page) =>
  page.evaluate(() =>
    (document.querySelector("#placet")?.shadowRoot?.getAnimations() ?? [])
      .filter((one) => ((one.effect as KeyframeEffect).target as Element).matches(".w,.o"))
      .map((one) => [
        (one as CSSAnimation).animationName,
        Object.keys((one.effect as KeyframeEffect).getKeyframes()[0] ?? {}).filter((key) => !/offset|easing|composite/i.test(key)).sort().join(),
      ]),
  );

/** Stops all animations as soon as they begin. */
const hold = (page: Page) =>
  page.addInitScript(() => {
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (init) {
      const root = attach.call(this, init);
      new MutationObserver(() => root.getAnimations().forEach((one) => one.pause())).observe(root, { childList: true, subtree: true });
      return root;
    };
  });

/** The parts of a widget that stand in the page a moment longer. */
const leaving = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll("div[aria-hidden]")].flatMap((one) => [...(one.shadowRoot?.children ?? [])].map((part) => part.part.value)));

test.describe("a picture above the title", () => {
  const above = (cookiesVersion: string) => settings(cookiesVersion, "above");
  const box = async (banner: Banner, part: string) => (await banner.part(part).boundingBox())!;

  for (const [width, height] of [[1280, 800], [320, 568]] as const) {
    for (const version of ["card", "card-ar"]) {
      test(`fills the width, and nothing moves when it comes: ${version}, ${width}`, async ({ page, shop, banner }) => {
        await page.emulateMedia({ reducedMotion: "reduce" });
        await page.setViewportSize({ width, height });
        await pictures(page, drawn(300, 300, "#0b6e4f"));
        await page.goto(shop.page({ settings: above(version), lang: version.endsWith("ar") ? "ar" : "en" }));
        await expect(banner.dialog).toBeVisible();
        const title = page.locator("#placet h2");
        const before = await title.boundingBox();
        await expect.poll(() => banner.part("image").evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBe(300);
        expect(await title.boundingBox()).toEqual(before);
        const [dialog, image, logo, close] = [(await banner.dialog.boundingBox())!, await box(banner, "image"), await box(banner, "logo"), await box(banner, "close")];
        expect(image.width).toBeGreaterThan(dialog.width - 20);
        expect(image.y - dialog.y).toBeLessThan(2);
        expect(image.height).toBeGreaterThan(70);
        await expect(banner.part("image")).toHaveCSS("object-fit", "cover");
        expect(logo.y).toBeGreaterThanOrEqual(image.y + image.height);
        // The button that closes lies on it, whole.
        expect([close.width, close.height]).toEqual([32, 32]);
        expect(close.y + 32).toBeLessThan(image.y + image.height);
        await expectAccessible(page);
      });
    }
  }

  test("may be a drawing, and layers without one are as ever", async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await pictures(page);
    await page.goto(shop.page({ settings: above("card") }));
    await banner.part("configure").click();
    const drawing = await banner.part("image").locator("svg").boundingBox();
    const image = await box(banner, "image");
    expect(drawing!.height).toBeGreaterThan(70);
    expect(drawing!.y + drawing!.height).toBeLessThanOrEqual(image.y + image.height);
    await banner.part("configure").or(banner.part("next")).click();
    await expect(banner.part("image")).toHaveCount(0);
    const [title, close] = [(await page.locator("#placet h2").boundingBox())!, await box(banner, "close")];
    expect(title.x + title.width).toBeLessThanOrEqual(close.x + close.width + 1);
    expect(close.y).toBeLessThan(title.y);
  });

  test("stays beside the title in a bar", async ({ page, shop, banner }) => {
    await pictures(page);
    await page.goto(shop.page({ settings: above("bar") }));
    const image = await box(banner, "image");
    expect([image.width, image.height]).toEqual([64, 64]);
  });
});

test.describe("an entrance", () => {
  for (const [client, version, expected] of [
    ["character", "card", [["en", "opacity,transform"]]],
    ["character", "modal", [["en", "opacity,transform"], ["en", "opacity,transform"]]],
    ["spring", "card", [["en", "opacity,transform"]]],
    ["pills", "pills", []],
  ] as const) {
    test(`moves the widget alone, by what needs no layout: ${client} ${version}`, async ({ page, shop, banner }) => {
      await page.emulateMedia({ reducedMotion: "no-preference" });
      await pictures(page);
      await hold(page);
      await page.goto(shop.page({ settings: settings(version, client) }));
      await expect(banner.part("title")).toBeAttached();
      await expect.poll(() => moving(page)).toEqual(expected);
    });
  }

  test("is over at once where visitors want no motion, and so is the farewell", async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await pictures(page);
    const part = page.waitForResponse(/\/sdk\/farewell-part\./);
    await page.goto(shop.page({ settings: settings("card") }));
    await expect(banner.dialog).toBeVisible();
    expect(await moving(page)).toEqual([]);
    await part;
    await page.evaluate(() => {
      (window as any).hosts = 0;
      new MutationObserver((all) => all.forEach((one) => one.addedNodes.forEach((node) => ((window as any).hosts += Number((node as Element).matches?.("div[aria-hidden]")))))).observe(document.body, { childList: true });
    });
    await banner.part("accept").click();
    await expect(banner.part("reopen")).toBeVisible();
    expect(await page.evaluate(() => (window as any).hosts)).toBe(0);
  });

  for (const version of ["card", "modal"] as const) {
    test(`ends with a farewell that nothing waits for: ${version}`, async ({ page, shop, banner }) => {
      await page.emulateMedia({ reducedMotion: "no-preference" });
      await pictures(page);
      const part = page.waitForResponse(/\/sdk\/farewell-part\./);
      await page.goto(shop.page({ settings: settings(version), body: `<button id="page">A button</button>` }));
      await expect(banner.dialog).toBeVisible();
      await part;
      await page.evaluate(() => new Promise((done) => setTimeout(done)));
      const expected = version === "modal" ? ["overlay", "banner"] : ["banner"];
      // In the task of the click: the answer is stored, the widget is gone, and what leaves is nobody's any more.
      const seen = await page.evaluate(async () => {
        const root = document.querySelector("#placet")?.shadowRoot;
        (root?.querySelector("[part=accept]") as HTMLElement).click();
        const stored = document.cookie.includes("placet_cookies");
        await Promise.resolve();
        const last = [...document.querySelectorAll("div[aria-hidden]")].find((one) => one.shadowRoot) as HTMLElement | undefined;
        const banner = last?.shadowRoot?.querySelector(".w");
        const at = banner?.getBoundingClientRect();
        return {
          stored,
          banners: root?.querySelectorAll(".w").length,
          parts: [...(last?.shadowRoot?.children ?? [])].map((one) => one.part.value),
          inert: last?.inert,
          // Nothing of it is hit by a pointer.
          hit: at && document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2) === last,
          moves: banner?.getAnimations().some((one) => one.playState === "running" && (one.effect as KeyframeEffect).getKeyframes().some((frame) => frame.opacity === "0")),
        };
      });
      expect(seen).toEqual({ stored: true, banners: 0, parts: expected, inert: true, hit: false, moves: true });
      await expect.poll(() => leaving(page)).toEqual([]);
      await expect(banner.part("reopen")).toBeVisible();
      await page.locator("#page").click();
      await expect(page.locator("#page")).toBeFocused();
      // A modal widget lets the page scroll again.
      expect(await page.evaluate(() => document.documentElement.style.overflow)).toBe("");
      await banner.saved();
      // It comes and goes as often as it is asked for, and the focus goes back each time.
      await banner.part("reopen").click();
      await expect(page.getByRole("heading", { name: "Round about" })).toBeFocused();
      await page.keyboard.press("Escape");
      await expect(banner.part("reopen")).toBeFocused();
      await expect.poll(() => leaving(page)).toEqual([]);
    });
  }
});

test.describe("screen readers", () => {
  /** Notes the texts of each status of the page and the widget, with what has the focus then. */
  const listen = (page: Page) =>
    page.addInitScript(() => {
      (window as any).told = [];
      const watch = (root: Node) =>
        new MutationObserver((changes) => {
          for (const { target, type } of changes) {
            const status = target as HTMLElement;
            // Those that come with their text are not read out.
            if (type === "childList" && status.role === "status" && status.textContent) (window as any).told.push([status.textContent, status.closest("[lang]")?.getAttribute("lang")]);
          }
        }).observe(root, { childList: true, subtree: true });
      watch(document);
      const attach = Element.prototype.attachShadow;
      Element.prototype.attachShadow = function (init) {
        const root = attach.call(this, init);
        watch(root);
        return root;
      };
    });
  const told = (page: Page) => page.evaluate(() => (window as any).told as [string, string][]);

  test("hear that the answer is stored, and the focus is where it was", async ({ page, shop, banner }) => {
    await listen(page);
    await page.goto(shop.page({ settings: settings("card", "spring") }));
    await expect(banner.dialog).toBeVisible();
    expect(await told(page)).toEqual([]);
    await banner.part("refuse").click();
    await expect.poll(() => told(page)).toEqual([["Your answer has been stored.", "en"]]);
    await page.locator("#before").focus();
    await page.evaluate(() => (window as any).sdk.openCookies());
    await banner.part("accept").click();
    await expect(page.locator("#before")).toBeFocused();
    await expect.poll(() => told(page)).toHaveLength(2);
    // The sentence does not stay.
    await expect(page.locator("body > [role=status]")).toHaveCount(0);
    // Closing changes nothing, and an earlier answer is no news.
    await banner.part("reopen").click();
    await banner.part("close").click();
    await page.evaluate(() => new Promise((done) => requestIdleCallback(() => done(null), { timeout: 1_000 })));
    expect(await told(page)).toHaveLength(2);
    await page.reload();
    await expect(banner.part("reopen")).toBeVisible();
    expect(await told(page)).toEqual([]);
  });

  test("hear a notice, which takes no focus", async ({ page, shop, banner }) => {
    await listen(page);
    await page.goto(shop.page({ settings: settings("soft", "notices") }));
    await expect.poll(() => told(page)).toEqual([["A word about cookies. With your agreement we measure what is read and show videos. If you do not answer, nothing of it runs and we ask again on the next page.", "en"]]);
    await expect(banner.part("title")).not.toBeFocused();
  });

  test("hear a notice without a countdown in its language, and not twice", async ({ page, shop, banner }) => {
    await pictures(page);
    await listen(page);
    await page.goto(shop.page({ settings: settings("notice-ar"), lang: "ar" }));
    await expect.poll(() => told(page)).toEqual([["كلمة. نعد الزيارات.", "ar"]]);
    const status = page.locator("#placet [role=status]");
    await expect(status).toBeEmpty();
    await banner.part("close").click();
    // It is opened by hand, so the focus is in it.
    await banner.part("reopen").click();
    await expect(banner.part("title")).toBeFocused();
    // The timer of a repeat would have begun before this one, and is shorter.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 101)));
    expect(await told(page)).toHaveLength(1);
  });
});
