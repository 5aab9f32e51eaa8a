// Whether people who use a keyboard, a screen reader or large letters can use it, as far as a
// machine can tell. Open shadow roots are looked into.

import axe from "axe-core";
import { expect, type Page } from "@playwright/test";
import { all } from "./all.ts";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** All that other colours can break. */
const ofColours = ["color-contrast", "link-in-text-block"];

/**
 * Fails with the elements and reasons if anything on the page, or in `within`, breaks a rule. Where the
 * browser prefers a dark page only the rules of colours count: each test looks at the light one, too.
 */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  await settled(page);
  // Evaluated, not added as a script: a page's own policy must not be weakened for it.
  await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async ([rules, ofColours, within]) => {
      const { axe } = window as unknown as { axe: typeof import("axe-core") };
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const runOnly = dark && ofColours ? { type: "rule" as const, values: ofColours } : rules;
      const result = await axe.run(within ?? document, { runOnly });
      return result.violations.map(({ id, help, nodes }) => ({
        rule: `${id}: ${help}`,
        elements: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
      }));
    },
    [rules, all ? undefined : ofColours, within] as const,
  );
  expect(violations).toEqual([]);
}

/**
 * Ends what fades or slides in: half-faded letters have no true contrast. What turns for ever goes on, and
 * so does the widget's countdown, whose end closes the notice.
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
