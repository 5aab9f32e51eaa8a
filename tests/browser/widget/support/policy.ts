// A widget by TCF as a probe of the policies sees it: texts and controls that a visitor can see, the vendor list that
// they come from, and ways to spoil them.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Page } from "@playwright/test";
import { expect, folder, type Shop } from "./shop.ts";

export interface Text {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly illustrations: readonly string[];
}

export interface Partner {
  readonly id: number;
  readonly name: string;
  readonly consents: readonly number[];
  readonly claims: readonly number[];
  readonly special: readonly number[];
  readonly features: readonly number[];
  readonly specialFeatures: readonly number[];
  readonly categories: readonly number[];
  readonly policy: string;
  readonly claim: string;
  readonly seconds: number;
  /** Days that data are kept: for all, and of purposes and special purposes that have their own. */
  readonly days: number | undefined;
  readonly purposeDays: Readonly<Record<string, number>>;
  readonly specialDays: Readonly<Record<string, number>>;
  readonly isRefreshed: boolean;
  readonly hasOther: boolean;
}

export type Kind = "purposes" | "specialPurposes" | "features" | "specialFeatures" | "dataCategories";

/** The vendor list in the words of the policies, read without the code of the product. */
export interface List {
  readonly texts: Readonly<Record<Kind, readonly Text[]>>;
  readonly stacks: readonly { readonly name: string; readonly purposes: readonly number[] }[];
  readonly features: string;
  readonly partners: readonly Partner[];
}

const clean = (text: string) => text.replace(/[\u200b-\u200d\ufeff]/g, "").replaceAll("&amp;", "&").replace(/\s+/g, " ").trim();
/** Purposes that allow consent alone. */
const CONSENT_ALONE = [1, 3, 4, 5, 6];

/** The configuration with few partners, so that a check draws them in no time. */
const CONFIGURATION = "news-few";

const readList = async (): Promise<List> => {
  const list = JSON.parse(await readFile(join(folder, "cdn/tcf/vendor-list-v200.json"), "utf8"));
  const { news } = JSON.parse(await readFile(fileURLToPath(new URL("widgets.json", import.meta.url)), "utf8"));
  const chosen: number[] = news.cookies.find(({ name }: { name: string }) => name === CONFIGURATION).tcf.vendors;
  const texts = (kind: Kind): Text[] =>
    Object.values<any>(list[kind]).map(({ id, name, description, illustrations = [] }) => ({
      id, name: clean(name), description: clean(description), illustrations: illustrations.map(clean),
    }));
  return {
    texts: {
      purposes: texts("purposes"), specialPurposes: texts("specialPurposes"), features: texts("features"),
      specialFeatures: texts("specialFeatures"), dataCategories: texts("dataCategories"),
    },
    stacks: Object.values<any>(list.stacks).map(({ name, purposes }) => ({ name: clean(name), purposes })),
    features: clean(list.standardTexts.features),
    partners: chosen.map((id) => {
      const one = list.vendors[id];
      const urls = one.urls.find(({ langId }: { langId: string }) => langId === "en") ?? one.urls[0];
      return {
        id: one.id, name: clean(one.name), consents: one.purposes, special: one.specialPurposes, features: one.features,
        claims: one.legIntPurposes.filter((id: number) => !CONSENT_ALONE.includes(id)),
        specialFeatures: one.specialFeatures, categories: (one.dataDeclaration ?? []).filter((id: number) => id in list.dataCategories),
        policy: urls.privacy, claim: urls.legIntClaim, seconds: one.cookieMaxAgeSeconds,
        days: one.dataRetention.stdRetention, purposeDays: one.dataRetention.purposes, specialDays: one.dataRetention.specialPurposes,
        isRefreshed: one.cookieRefresh, hasOther: one.usesNonCookieAccess,
      };
    }),
  };
};

/**
 * Defines `visibleText`: the text of an element that a visitor sees or scrolls to. `innerText` leaves out rows that the
 * browser does not draw yet.
 */
const seenText = () => {
  (window as any).visibleText = (element: Element): string => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (node.parentElement?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) texts.push(node.nodeValue);
    return texts.join(" ").replace(/\s+/g, " ").trim();
  };
};

export type Layer = "first" | "purposes" | "interests" | "partners" | "later";

/** The widget of one page, which serves many checks. */
export class Widget {
  private constructor(
    readonly page: Page,
    readonly shop: Shop,
    readonly list: List,
  ) {}

  static async open(page: Page, shop: Shop): Promise<Widget> {
    shop.page({ settings: { clientId: "news", cookiesVersion: CONFIGURATION } });
    await page.addInitScript(seenText);
    return new Widget(page, shop, await readList());
  }

  /** Draws a layer anew: before an answer, or `later`, on the page after everything was accepted. */
  async draw(layer: Layer): Promise<void> {
    const { page, shop } = this;
    await page.unrouteAll();
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.context().clearCookies();
    await page.goto(shop.site);
    await expect(page.locator('#placet [part="first-layer"]')).toBeVisible();
    const opener = { first: "", later: "", purposes: "configure", interests: "interests", partners: "partners" }[layer];
    if (opener) {
      await page.locator(`#placet [part="${opener}"]`).click();
      await expect(page.locator(`#placet [part="tab-${layer}"][aria-selected=true]`)).toBeVisible();
    }
    await this.whole(layer);
    if (layer !== "later") return;
    await page.locator('#placet [part="accept"]').click();
    await expect(page.locator('#placet [part="reopen"]')).toBeVisible();
    await page.reload();
    await expect(page.locator('#placet [part="reopen"]')).toBeVisible();
  }

  /** Waits for all rows of a layer: those behind the first ones come between later frames. */
  async whole(layer: Layer): Promise<void> {
    if (layer === "partners") await expect(this.find('[part="more"]')).toHaveCount(this.list.partners.length);
    if (layer === "interests") await expect(this.find("[data-tcf-interest]")).toHaveCount(this.claimants.length);
  }

  /** Partners that claim a legitimate interest. */
  get claimants(): readonly Partner[] {
    return this.list.partners.filter(({ claims }) => claims.length);
  }

  find(selector: string) {
    return this.page.locator(`#placet ${selector}`);
  }
  /** Texts of visible elements. */
  texts(selector: string): Promise<string[]> {
    return this.find(selector).evaluateAll((found) =>
      found
        .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        .map((one) => (window as any).visibleText(one) as string),
    );
  }
  async text(selector: string): Promise<string> {
    return (await this.texts(selector)).join(" ");
  }
  /** Values of an attribute of visible elements. */
  attributes(selector: string, name: string): Promise<string[]> {
    return this.find(selector).evaluateAll(
      (found, name) =>
        found.filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true })).map((one) => one.getAttribute(name) ?? ""),
      name,
    );
  }
  async ids(name: string): Promise<number[]> {
    return (await this.attributes(`[${name}]:enabled`, name)).map(Number).sort((a, b) => a - b);
  }
  /** Presses the first element that a visitor can press. False if there is none. */
  press(selector: string): Promise<boolean> {
    return this.find(selector).evaluateAll((found) => {
      const [first] = found.filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.matches(":disabled"));
      (first as HTMLElement | undefined)?.click();
      return first !== undefined;
    });
  }
  /** The latest data of `__tcfapi`. */
  data(): Promise<any> {
    return this.page.evaluate(() => new Promise((done) => (window as any).__tcfapi("getTCData", 2, done)));
  }

  async remove(selector: string): Promise<void> {
    await this.change(selector, (one) => one.remove());
  }
  async hide(selector: string): Promise<void> {
    await this.change(selector, (one) => ((one as HTMLElement).style.display = "none"));
  }
  /** Takes a text out of an element, or puts another one in its place. */
  async unsay(selector: string, what: RegExp, instead = ""): Promise<void> {
    const changed = await this.find(selector).first().evaluate(
      (element, [source, flags, instead]) => {
        const what = new RegExp(source, flags);
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        let changed = 0;
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const text = node.nodeValue ?? "";
          node.nodeValue = text.replace(what, instead);
          if (node.nodeValue !== text) changed++;
        }
        return changed;
      },
      [what.source, what.flags, instead] as const,
    );
    if (!changed) throw new Error(`${selector} does not say ${what}`);
  }
  /** Changes the first element. It is an error if there is none: such a mutant would show nothing. */
  async change<T>(selector: string, how: (element: Element, given: T) => unknown, given?: T): Promise<void> {
    await this.find(selector).first().evaluate(how as (element: Element, given: unknown) => void, given, { timeout: 5_000 });
  }
}
