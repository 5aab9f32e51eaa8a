// Whether people who use a keyboard, a screen reader or large letters can use it, as far as a
// machine can tell. Open shadow roots are looked into.

import axe from "axe-core";
import { expect, type Page } from "@playwright/test";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Fails with the elements and reasons if anything on the page, or in `within`, breaks a rule. */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  await settled(page);
  // Evaluated, not added as a script: a page's own policy must not be weakened for it.
  await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async ([rules, within]) => {
      const { axe } = window as unknown as { axe: typeof import("axe-core") };
      const result = await axe.run(within ?? document, { runOnly: rules });
      return result.violations.map(({ id, help, nodes }) => ({
        rule: `${id}: ${help}`,
        elements: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
      }));
    },
    [rules, within] as const,
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
