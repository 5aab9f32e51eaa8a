// The widget as a visitor sees and uses it, by mouse, keyboard and screen reader.

import { expect, test } from "./support/shop.ts";
import { expectAccessibleInBoth } from "../support/axe.ts";

for (const delivery of ["bundle", "generic"] as const) {
  test(`accepting everything: ${delivery}`, async ({ page, shop, banner }) => {
    await page.goto(shop.page({ delivery }));
    await expect(banner.dialog).toBeVisible();
    await banner.part("accept").click();
    await expect(banner.dialog).toHaveCount(0);
    expect(await banner.choice()).toMatchObject({ stats: true, ads: true, map: true, $$completed: true });
    await expect.poll(() => shop.stored.length).toBe(1);
    expect(shop.stored[0]?.body).toMatchObject({ accept: true });
  });
}

for (const [clientId, cookiesVersion] of [["shop", "shop-en"], ["shop", "shop-short"], ["bakery", "card"], ["bakery", "modal"], ["bakery", "bar"], ["notices", "soft"], ["notices", "arabic"]] as const) {
  test(`refusing stands beside accepting, with the same size and look: ${cookiesVersion}`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 700 });
      await page.context().clearCookies();
      await page.goto(shop.page({ settings: { clientId, cookiesVersion } }));
      const refuse = await banner.part("refuse").boundingBox();
      const accept = await banner.part("accept").boundingBox();
      expect([refuse?.y, refuse?.width, refuse?.height]).toEqual([accept?.y, accept?.width, accept?.height]);
      const look = (name: string) =>
        banner.part(name).evaluate((element) => {
          const { backgroundColor, color, fontSize, fontWeight, borderRadius } = getComputedStyle(element);
          return { backgroundColor, color, fontSize, fontWeight, borderRadius };
        });
      expect(await look("refuse")).toEqual(await look("accept"));
    }
  });
}

test("a choice vendor by vendor", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("configure").click();
  await expect(banner.toggle("stats")).toHaveAttribute("aria-checked", "false");
  await banner.toggle("stats").click();
  await expect(banner.toggle("stats")).toHaveAttribute("aria-checked", "true");
  await expect(banner.part("toggle-all")).toHaveAttribute("aria-checked", "mixed");
  await banner.part("toggle-all").click();
  await expect(banner.part("toggle-all")).toHaveAttribute("aria-checked", "true");
  await expect(banner.toggle("ab")).toHaveAttribute("aria-checked", "true");
  await banner.toggle("heat").click();
  await banner.part("next").click();
  await expect(banner.toggle("ads")).toHaveAttribute("aria-checked", "false");
  await banner.part("back").click();
  // Choices on a step are kept.
  await expect(banner.toggle("heat")).toHaveAttribute("aria-checked", "false");
  await expect(banner.toggle("stats")).toHaveAttribute("aria-checked", "true");
  await banner.part("next").click();
  await banner.part("next").click();
  await expect(banner.part("next")).toHaveText("Save my choices");
  await page.locator("#placet label", { hasText: "Mapstead" }).click();
  await banner.part("next").click();
  await expect(banner.dialog).toHaveCount(0);
  const chosen = { stats: true, heat: false, ab: true, ads: false, pixel: false, video: false, map: true };
  expect(await banner.choice()).toMatchObject(chosen);
  expect(await page.evaluate(() => (window as any).placetSDK.getChoices())).toEqual(chosen);
  await expect.poll(() => shop.stored[0]?.body).toMatchObject({ accept: false, preferences: { vendors: chosen } });
});

test("a configuration of one step offers saving on its only layer", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ settings: { cookiesVersion: "shop-short" } }));
  await expect(banner.part("accept")).toHaveText("Alle akzeptieren");
  await banner.toggle("video").click();
  await banner.part("next").click();
  expect(await banner.choice()).toMatchObject({ stats: false, video: true });
});

test("policy links name their vendor and open in a new tab", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("configure").click();
  await page.getByRole("button", { name: "Read more Heatline" }).click();
  const link = page.getByRole("link", { name: "Privacy policy: Heatline (opens in a new tab)" });
  await expect(link).toHaveAttribute("href", "https://heat.example/privacy");
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", /noopener/);
});

test("where closing asks again, it stores nothing, as does Escape, and keeps the reopen button", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  await page.keyboard.press("Escape");
  await expect(banner.part("accept")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(banner.dialog).toHaveCount(0);
  await expect(banner.part("reopen")).toBeVisible();
  await banner.part("reopen").click();
  await banner.part("configure").click();
  await expect(banner.toggle("stats")).toHaveAttribute("aria-checked", "false");
  await banner.part("close").click();
  await expect.poll(() => banner.events()).toEqual([
    "queue", "ready", "open", "cookies:step:change", "cookies:step:change", "cookies:step:change", "close",
    "open", "cookies:step:change", "cookies:step:change", "close",
  ]);
  expect(await page.evaluate(() => [document.cookie, localStorage.length])).toEqual(["", 0]);
  expect(shop.posts).toEqual([]);
  await page.reload();
  await expect(banner.dialog).toBeVisible();
});

test("the focus comes in, and goes back", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await expect(page.getByRole("heading", { name: "A few cookies, only if you like" })).toBeFocused();
  const dialog = page.getByRole("dialog", { name: "A few cookies, only if you like" });
  await expect(dialog).not.toHaveAttribute("aria-modal");
  await banner.part("configure").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Audience measurement" })).toBeFocused();
  await banner.toggle("stats").focus();
  await page.keyboard.press("Space");
  await expect(page.getByRole("switch", { name: "Northwind Stats" })).toBeChecked();
  await expect(banner.toggle("stats")).toHaveAccessibleDescription("Counts page views and visits, without following you elsewhere.");
  // Escape leads back layer by layer to the button that led on, and forgets switches of the layer.
  await banner.part("next").press("Enter");
  await expect(page.getByRole("heading", { name: "Audience measurement" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(banner.part("configure")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(banner.toggle("stats")).not.toBeChecked();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(banner.dialog).toHaveCount(0);
  // Opened from the page, it returns the focus on closing.
  await page.locator("#before").focus();
  await page.evaluate(() => (window as any).placetSDK.openCookies());
  await expect(page.getByRole("heading", { level: 2 })).toBeFocused();
  // Asked for while it is open, it takes the focus again, and returns it to the same place.
  await page.locator("#search").focus();
  await page.evaluate(() => (window as any).placetSDK.openCookies());
  await expect(page.getByRole("heading", { level: 2 })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.locator("#before")).toBeFocused();
  // The same for a layer that the page opens directly: there is no layer to go back to.
  await page.evaluate(() => (window as any).placetSDK.openCookies("audience"));
  await expect(banner.toggle("stats")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(banner.dialog).toHaveCount(0);
  await expect(page.locator("#before")).toBeFocused();
  await banner.part("reopen").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expect(banner.part("reopen")).toBeFocused();
});

test("a click on the text, or on the dimmed page, leaves the keyboard in the dialog", async ({ page, shop, banner }) => {
  for (const settings of [{}, { clientId: "bakery", cookiesVersion: "modal" }]) {
    await page.goto(shop.page({ settings }));
    await expect(page.getByRole("heading", { level: 2 })).toBeFocused();
    const places = [banner.part("message"), banner.part("title"), ...("clientId" in settings ? [banner.part("overlay")] : [])];
    for (const place of places) {
      for (const key of "clientId" in settings ? ["Tab", "Shift+Tab"] : ["Tab"]) {
        await place.click({ position: { x: 3, y: 3 } });
        // A card is left in the end, as any other part of a page.
        for (let presses = 0; presses < ("clientId" in settings ? 6 : 1); presses++) {
          await page.keyboard.press(key);
          // Behind a modal dialog comes the browser itself, and then the dialog again.
          expect(["placet", ""]).toContain(await page.evaluate(() => document.activeElement?.id));
        }
      }
    }
    await banner.part("message").click({ position: { x: 3, y: 3 } });
    // An element that cannot be pressed has no focus outline.
    await page.keyboard.press("Shift");
    expect(await page.getByRole("dialog").evaluate((one) => getComputedStyle(one).outlineStyle)).toBe("none");
    await page.keyboard.press("Escape");
    await expect(banner.dialog).toHaveCount(0);
  }
});

test("typing continues while the page loads", async ({ page, shop, banner }) => {
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route("**/shop-en.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(shop.page(), { waitUntil: "commit" });
  await page.locator("#search").focus();
  release();
  await expect(banner.dialog).toBeVisible();
  await page.keyboard.type("boots");
  await expect(page.locator("#search")).toHaveValue("boots");
});

test("typing continues while the widget is being painted", async ({ page, shop, banner }) => {
  await page.addInitScript(() => {
    const held: FrameRequestCallback[] = ((window as any).held = []);
    window.requestAnimationFrame = (task) => held.push(task);
  });
  await page.goto(shop.page());
  await expect(banner.dialog).toBeVisible();
  await expect.poll(() => page.evaluate(() => (window as any).held.length)).toBeGreaterThan(0);
  await page.locator("#search").evaluate((field: HTMLElement) => field.focus());
  await page.evaluate(() => {
    for (const task of (window as any).held.splice(0)) task(performance.now());
    return new Promise((done) => setTimeout(done));
  });
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("search");
});

test("every control has at least 24 pixels, and nothing is cut off at 320", async ({ page, shop, banner }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 320, height: 568 });
  for (const [clientId, cookiesVersion] of [["shop", "shop-en"], ["bakery", "bar"], ["bakery", "modal"], ["plain", "plain-en"]]) {
    await page.context().clearCookies();
    await page.goto(shop.page({ settings: { clientId, cookiesVersion } }));
    for (const advance of ["configure", undefined]) {
      const bad = await banner.dialog.evaluate((dialog) => {
        const box = dialog.getBoundingClientRect();
        const problems = [...dialog.querySelectorAll("button,a[href]")].flatMap((element) => {
          const { width, height, left, right } = element.getBoundingClientRect();
          const inText = element.closest("[part=message], [part=responsible]");
          if (!inText && (width < 24 || height < 24)) return [`small: ${element.outerHTML} ${width}x${height}`];
          return left < box.left || right > box.right ? [`cut: ${element.outerHTML}`] : [];
        });
        if (dialog.scrollWidth > dialog.clientWidth) problems.push("the banner scrolls sideways");
        if (document.documentElement.scrollWidth > innerWidth) problems.push("the page scrolls sideways");
        if (box.left < 0 || box.right > innerWidth || box.bottom > innerHeight) problems.push("outside of the window");
        return problems;
      });
      expect(bad).toEqual([]);
      if (advance) await banner.part(advance).click();
    }
  }
});

test("reduced motion stands still", async ({ page, shop, banner }) => {
  const moves = async (reducedMotion: "reduce" | "no-preference") => {
    await page.emulateMedia({ reducedMotion });
    await page.goto(shop.page());
    await banner.part("configure").click();
    return banner.dialog.evaluate((dialog) => {
      const style = (selector: string, pseudo?: string) => getComputedStyle(dialog.querySelector(selector) as Element, pseudo);
      return [
        style("[role=dialog]").animationName !== "none",
        ...[style("[part=toggle]"), style("[part=toggle]", "::before")].map(({ transitionDuration }) => transitionDuration !== "0s"),
      ];
    });
  };
  // Motion stops where the visitor asks for less.
  expect(await moves("no-preference")).toEqual([true, true, true]);
  expect(await moves("reduce")).toEqual([false, false, false]);
});

test("forced colours keep every switch and its state visible", async ({ page, shop, banner }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(shop.page());
  await banner.part("configure").click();
  const look = () =>
    banner.toggle("stats").evaluate((toggle) => {
      const { borderTopWidth, backgroundColor } = getComputedStyle(toggle);
      return { borderTopWidth, backgroundColor, knob: getComputedStyle(toggle, "::before").backgroundColor };
    });
  const off = await look();
  await banner.toggle("stats").click();
  await expect.poll(async () => (await look()).backgroundColor).not.toBe(off.backgroundColor);
  expect(off.borderTopWidth).toBe("1px");
  expect(off.knob).not.toBe(off.backgroundColor);
});

for (const forcedColors of ["none", "active"] as const) {
  test(`icons are seen on what they lie on, forced colours ${forcedColors}`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ forcedColors });
    const look = (one: import("@playwright/test").Locator, pseudo: string) =>
      one.evaluate((element, pseudo) => {
        const { content, width, clipPath, backgroundColor, borderTopWidth, borderTopColor, transform } = getComputedStyle(element, pseudo);
        return { there: content !== "none", width, shape: clipPath.split("(")[0], seen: backgroundColor !== getComputedStyle(element).backgroundColor, line: borderTopWidth, ink: borderTopColor, transform };
      }, pseudo);
    await page.goto(shop.page({ body: `<iframe title="Film" data-requires-vendor-consent="stats" data-src="about:blank"></iframe>` }));
    const ground = await banner.dialog.evaluate((element) => getComputedStyle(element.closest(".w") as Element).backgroundColor);
    const [one, other] = [await look(banner.part("close"), "::before"), await look(banner.part("close"), "::after")];
    for (const line of [one, other]) expect(line).toMatchObject({ there: true, width: "16px", line: "2px" });
    expect(one.ink).not.toBe(ground);
    expect(one.transform).not.toBe(other.transform);
    await banner.part("refuse").click();
    for (const drawn of [banner.part("reopen"), page.locator("[part=placeholder]")]) {
      expect(await look(drawn, "::before")).toMatchObject({ there: true, width: "20px", shape: "path", seen: true });
    }
  });
}

for (const [clientId, cookiesVersion] of [["shop", "shop-en"], ["shop", "shop-short"], ["bakery", "card"], ["bakery", "modal"], ["bakery", "bar"]] as const) {
  test(`axe finds nothing: ${cookiesVersion}`, async ({ page, shop, banner }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const frame = `<iframe title="Film" data-requires-vendor-consent="stats" data-src="about:blank" width="400" height="220"></iframe>`;
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.context().clearCookies();
      await page.goto(shop.page({ settings: { clientId, cookiesVersion }, body: frame }));
      await expect(page.locator("[part=placeholder]")).toBeVisible();
      await expectAccessibleInBoth(page);
      while (await banner.part("configure").or(banner.part("next")).count()) {
        const configure = banner.part("configure");
        await ((await configure.count()) ? configure : banner.part("next")).click();
        if (!(await banner.part("toggle").count())) break;
        await banner.part("toggle").first().click();
        const more = banner.part("more");
        if (await more.count()) {
          await more.first().click();
          await expect(banner.part("details").first()).not.toBeEmpty();
        }
        await expectAccessibleInBoth(page);
      }
      await expect(banner.part("reopen")).toBeVisible();
      await expectAccessibleInBoth(page);
    }
  });
}

test("nothing of the page leaks in, nothing of the widget leaks out", async ({ page, shop, banner }) => {
  const hostile = `<style>*{font-family:fantasy!important;color:red!important;text-transform:uppercase}
    div{display:none!important;opacity:.1!important;transform:rotate(9deg)}button{font-size:60px!important}
    main{outline:1px solid blue}</style>`;
  await page.goto(shop.page({ head: hostile }));
  await expect(banner.part("accept")).toBeVisible();
  const inside = await banner.part("accept").evaluate((button) => {
    const { fontSize, color, textTransform, fontFamily } = getComputedStyle(button);
    return { fontSize, color, textTransform, fontFamily };
  });
  expect(inside).toMatchObject({ fontSize: "15.04px", color: "rgb(255, 255, 255)", textTransform: "none" });
  expect(inside.fontFamily).not.toContain("fantasy");
  expect(await page.evaluate(() => document.querySelectorAll("#placet, style, link").length)).toBe(2);
});

test("asking is cheap: few listeners, no forced layout, one page of memory", async ({ page, shop, banner }) => {
  await page.addInitScript(() => {
    const seen = ((window as any).cost = { listens: [] as string[], scrolls: 0, memory: null as WebAssembly.Memory | null });
    const listen = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (type, listener, ...more) {
      if (listener && typeof listener === "object") seen.listens.push(type);
      return listen.call(this, type, listener, ...more);
    };
    const scroll = Object.getOwnPropertyDescriptor(Element.prototype, "scrollTop") as PropertyDescriptor;
    Object.defineProperty(Element.prototype, "scrollTop", { ...scroll, set(to) { seen.scrolls++; scroll.set?.call(this, to); } });
    WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
      construct(target, given) {
        const made = Reflect.construct(target, given) as WebAssembly.Instance;
        seen.memory = Object.values(made.exports).find((one) => one instanceof WebAssembly.Memory) ?? null;
        return made;
      },
    });
  });
  const cost = () => page.evaluate(() => {
    const { listens, scrolls, memory } = (window as any).cost;
    return { listens: listens.sort(), scrolls, memory: memory.buffer.byteLength };
  });
  await page.goto(shop.page());
  await expect(banner.dialog).toBeVisible();
  expect(await cost()).toEqual({ listens: ["click", "keydown", "pagehide", "storage"], scrolls: 0, memory: 65536 });
  // Each further layer is shown from its top.
  await banner.part("configure").click();
  await banner.part("back").click();
  await banner.part("accept").click();
  expect(await cost()).toMatchObject({ scrolls: 2, memory: 65536 });
});
