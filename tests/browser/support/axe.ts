// Automatic checks for people who use a keyboard, a screen reader or large letters. They include open shadow
// roots.

import axe from "axe-core";
import { expect, type Page } from "@playwright/test";
import { all } from "./all.ts";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that other colours can break. */
const ofColours = ["color-contrast", "link-in-text-block"];

/** The colour schemes that a visitor's system may ask for. */
export const schemes = ["light", "dark"] as const;
export type Scheme = (typeof schemes)[number];

/**
 * Fails with the elements and reasons if anything on the page, or in `within`, breaks a rule. In the dark
 * scheme only the rules of colours are checked, because each test also checks the light scheme. With `words` these rules,
 * the slowest, are left out: for a page that differs by its words alone from one that was checked.
 */
export async function expectAccessible(page: Page, within?: string, only?: "words"): Promise<void> {
  await settled(page);
  // Evaluated instead of added as a script, so that the page's policy stays as strict. Half a megabyte, once a document.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async ([rules, ofColours, within, words]) => {
      const { axe } = window as unknown as { axe: typeof import("axe-core") };
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const runOnly = dark && ofColours ? { type: "rule" as const, values: ofColours } : rules;
      const left = Object.fromEntries(words.map((rule) => [rule, { enabled: false }]));
      // Of what lies outside of a short document, as dialogs do, axe measures no contrast.
      const { style } = document.body;
      const before = style.minHeight;
      style.minHeight = "100vh";
      const result = await axe.run(within ?? document, { runOnly, rules: left });
      style.minHeight = before;
      // A rule that fails has looked at nothing.
      const broken = result.incomplete.filter((one) => "error" in one);
      return [...result.violations, ...broken].map(({ id, help, nodes }) => ({
        rule: `${id}: ${help}`,
        elements: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
      }));
    },
    [rules, all ? undefined : ofColours, within, only ? ofColours : []] as const,
  );
  expect(violations).toEqual([]);
}

/**
 * The same in both colour schemes, without loading the page again. `seen` is called in each of them. The page is left in
 * the light scheme.
 */
export async function expectAccessibleInBoth(page: Page, seen?: (scheme: Scheme) => Promise<unknown>): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
    await seen?.(colorScheme);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/**
 * Ends transitions, because half-faded letters have no real contrast. Endless animations continue, and so
 * does the widget's countdown, whose end would close the notice.
 */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => {
    const roots = (root: Document | ShadowRoot): (Document | ShadowRoot)[] => [
      root,
      ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? roots(shadowRoot) : [])),
    ];
    for (const animation of roots(document).flatMap((root) => root.getAnimations())) {
      const countdown = animation instanceof CSSAnimation && animation.animationName === "ti";
      if (!countdown && animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
    }
  });
}
