// The layers of TCF for people who enlarge, use a keyboard or a screen reader. Each check must also fail on layers that are
// spoilt.

import { expect, test } from "./support/shop.ts";
import { Widget, type Layer } from "./support/policy.ts";
import { read } from "./support/iab.ts";
import { all } from "../support/all.ts";
import { expectAccessible } from "../support/axe.ts";

const LAYERS: readonly Layer[] = ["first", "purposes", "interests", "partners"];

/** Opens a layer, with all that a visitor can unfold in it. */
const unfold = async (widget: Widget, layer: Layer): Promise<void> => {
  await widget.draw(layer);
  for (const part of layer === "first" ? [] : ['[part="more"]', '[part="own"]', "details > summary"]) await widget.press(part);
};

/** All that keeps somebody from a control of the open layer, in words. */
const problems = (widget: Widget): Promise<string[]> =>
  widget.find('[part="banner"]').evaluate((dialog) => {
    // Rows that nobody sees yet have no place.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*{content-visibility:visible!important}");
    (dialog.getRootNode() as ShadowRoot).adoptedStyleSheets.push(sheet);
    const box = dialog.getBoundingClientRect();
    const found = [];
    for (const one of dialog.querySelectorAll("button, a[href], input, summary")) {
      if (!one.checkVisibility() || one.closest("[part=message]")) continue;
      const { width, height, left, right } = one.getBoundingClientRect();
      if (width < 24 || height < 24) found.push(`small: ${width} by ${height}: ${one.outerHTML}`);
      if (left < box.left || right > box.right) found.push(`cut off: ${one.outerHTML}`);
    }
    for (const one of [dialog, (dialog.getRootNode() as ShadowRoot).querySelector(".w"), document.documentElement])
      if (one && one.scrollWidth > one.clientWidth) found.push(`scrolls sideways: ${one.outerHTML.slice(0, 80)}`);
    if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) found.push("outside of the window");
    const titles = [...dialog.querySelectorAll("h1, h2")].map(({ localName }) => localName);
    if (titles.join() !== "h2") found.push(`titles: ${titles}`);
    const names = [...dialog.querySelectorAll("[role=switch]")].map((one) => one.getAttribute("aria-label") ?? "");
    if (names.some((name, at) => !name.trim() || names.indexOf(name) !== at)) found.push("switches that have no name, or one");
    return found;
  });

const spoilt: Readonly<Record<string, (widget: Widget) => Promise<unknown>>> = {
  "small": (widget) => widget.change('[part="refuse"]', (one) => ((one as HTMLElement).style.cssText = "min-height:0;height:20px;padding:0")),
  "cut off": (widget) => widget.change('[part="save"]', (one) => ((one as HTMLElement).style.cssText = "position:relative;left:400px")),
  "scrolls sideways": (widget) => widget.change('[part="panel"] li', (one) => ((one as HTMLElement).style.minWidth = "2000px")),
  "titles": (widget) => widget.change('[part="panel"] h3', (one) => one.replaceWith(Object.assign(document.createElement("h2"), { textContent: "Features" }))),
  "switches": (widget) => widget.change("[data-purpose]", (one) => one.removeAttribute("aria-label")),
};

for (const [width, height] of [[320, 568], ...(all ? [[390, 844], [844, 390], [1440, 900]] as const : [])] as const)
  test(`each control of a layer can be pressed, and nothing is cut off: ${width} by ${height}`, async ({ page, shop }) => {
    await page.setViewportSize({ width, height });
    const widget = await Widget.open(page, shop);
    for (const layer of LAYERS) {
      await unfold(widget, layer);
      expect(await problems(widget), layer).toEqual([]);
    }
    for (const [problem, spoil] of Object.entries(spoilt))
      await test.step(`a layer that is spoilt: ${problem}`, async () => {
        await widget.draw("purposes");
        await spoil(widget);
        expect((await problems(widget)).join("\n")).toContain(problem);
      });
  });

/** From the first layer to a choice of one purpose and one partner, by keyboard alone. The place where it cannot go on. */
const walk = async (widget: Widget): Promise<string | undefined> => {
  const { page } = widget;
  const isAt = (selector: string): Promise<boolean> =>
    page.evaluate((selector) => Boolean(document.querySelector("#placet")?.shadowRoot?.activeElement?.matches(selector)), selector);
  const reach = async (selector: string): Promise<boolean> => {
    for (let press = 0; press < 120; press++) {
      await page.keyboard.press("Tab");
      if (await isAt(selector)) return true;
    }
    return false;
  };
  const asked = widget.list.partners.find(({ consents }) => consents.length);
  const tab = (name: string) => `[part="tab-${name}"][aria-selected="true"]`;
  // Keys to press, or a text to type.
  const steps: readonly [to: string, keys: readonly string[] | string, then?: string][] = [
    ['[part="configure"]', ["Enter"], '[part="title"]'],
    ['[data-purpose="1"]', ["Space"], '[data-purpose="1"][aria-checked="true"]'],
    [tab("purposes"), ["ArrowRight"], tab("interests")],
    [tab("interests"), ["ArrowRight"], tab("partners")],
    ['[part="search"]', asked?.name ?? "", '[part="search"]'],
    ['[part="more"]', ["Enter"], '[part="more"][aria-expanded="true"]'],
    [`[data-tcf-vendor="${asked?.id}"]`, ["Space"], `[data-tcf-vendor="${asked?.id}"][aria-checked="true"]`],
    ['[part="save"]', ["Enter"]],
  ];
  for (const [to, keys, then] of steps) {
    if (!(await isAt(to)) && !(await reach(to))) return `no way to ${to}`;
    if (typeof keys === "string") await page.keyboard.type(keys);
    else for (const key of keys) await page.keyboard.press(key);
    if (then && !(await expect.poll(() => isAt(then), { timeout: 3_000 }).toBe(true).then(() => true, () => false))) return `no effect: ${to}`;
  }
  await expect(widget.find('[part="banner"]')).toHaveCount(0);
  const { purposes, consents, screen } = read((await widget.data()).tcString);
  return JSON.stringify([purposes, consents, screen]) === JSON.stringify([[1], [asked?.id], 4]) ? undefined : `chosen: ${purposes} and ${consents}`;
};

test("by keyboard alone: from the first layer to a partner, and to a choice that is saved", async ({ page, shop }) => {
  const widget = await Widget.open(page, shop);
  await widget.draw("first");
  expect(await walk(widget)).toBeUndefined();
  await widget.draw("first");
  const hidden = '[part="save"]{visibility:hidden}';
  await widget.change('[part="banner"]', (one, css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    (one.getRootNode() as ShadowRoot).adoptedStyleSheets.push(sheet);
  }, hidden);
  expect(await walk(widget)).toBe('no way to [part="save"]');
  await widget.draw("first");
  await page.evaluate(() => addEventListener("keydown", (event) => event.key === "ArrowRight" && event.stopImmediatePropagation(), true));
  expect(await walk(widget)).toContain("no effect: [part=\"tab-purposes\"]");
});

test("axe notices layers that are spoilt", async ({ page, shop }) => {
  const widget = await Widget.open(page, shop);
  const mutants: readonly [rule: string, layer: Layer, spoil: () => Promise<unknown>][] = [
    ["color-contrast", "first", () => widget.change('[part="title"]', (one) => ((one as HTMLElement).style.color = "#bbb"))],
    ["button-name", "purposes", () => widget.change("[data-purpose]", (one) => one.removeAttribute("aria-label"))],
    ["aria-required-children", "interests", () => widget.change('[part="tabs"]', (one) => one.append(document.createElement("button")))],
    ["list", "partners", () => widget.change('[part="panel"] ul', (one) => one.append(document.createElement("p")))],
  ];
  for (const [rule, layer, spoil] of mutants) {
    await widget.draw(layer);
    await expectAccessible(page, "#placet");
    await spoil();
    await expect(expectAccessible(page, "#placet"), rule).rejects.toThrow(`${rule}: `);
  }
});
