// The policies of IAB Europe for user interfaces ("TCF Policies" 5.0, appendix B), a test for each clause, in the layers
// that publishing draws. Each check must also fail on widgets that break its clause: on one of them, and with the whole
// matrix on every one.

import { expect, Shop, test as base } from "./support/shop.ts";
import { Widget, type Kind, type Layer, type Partner, type Text } from "./support/policy.ts";
import { all as whole } from "../support/all.ts";
import { read } from "./support/iab.ts";

/** Finds what breaks a clause. */
type Holds = (widget: Widget) => Promise<string | undefined>;

interface Check {
  readonly clause: string;
  readonly on: Layer;
  readonly holds: Holds;
  readonly mutants: Readonly<Record<string, (widget: Widget) => Promise<unknown>>>;
}

const test = base.extend<{}, { widget: Widget }>({
  widget: [
    async ({ browser }, use) => {
      const shop = await Shop.start();
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB" });
      await use(await Widget.open(await context.newPage(), shop));
      await context.close();
      await shop.stop();
    },
    { scope: "worker" },
  ],
});

const FIRST = '[part="first-layer"]';
const PANEL = '[part="panel"]';

const isSame = (found: readonly unknown[], wanted: readonly unknown[]): boolean => JSON.stringify(found) === JSON.stringify(wanted);
/** The first difference between two lists, in words. */
const unlike = (what: string, found: readonly unknown[], wanted: readonly unknown[]): string | undefined => {
  if (isSame(found, wanted)) return undefined;
  const at = wanted.findIndex((one, index) => !isSame([found[index]], [one]));
  return `${what}: ${JSON.stringify(found[at] ?? found.at(-1))} instead of ${JSON.stringify(wanted[at])}`;
};
/** Holds if a part of the widget says all of it. */
const says = (selector: string, ...patterns: readonly RegExp[]): Holds => async (widget) => {
  const text = await widget.text(selector);
  const missing = patterns.find((pattern) => !pattern.test(text));
  return missing && `${missing} is not in: ${text}`;
};
/** Holds if all of them hold, which are asked in turn. */
const all = (...parts: readonly Holds[]): Holds => async (widget) => {
  for (const one of parts) {
    const broken = await one(widget);
    if (broken) return broken;
  }
  return undefined;
};
const unsaid = (selector: string, what: RegExp, instead = "") => (widget: Widget) => widget.unsay(selector, what, instead);
const without = (selector: string) => (widget: Widget) => widget.remove(selector);

/** Holds if a control leads to a layer. */
const leads = (selector: string, layer: string): Holds => async (widget) => {
  if (!(await widget.press(selector))) return `nothing to press: ${selector}`;
  await expect(widget.find(`[part="tab-${layer}"][aria-selected=true]`)).toBeVisible();
  return undefined;
};
/** Holds if exactly these have a switch, and pressing one of them moves that one alone. */
const switches = (name: string, wanted: (widget: Widget) => readonly number[]): Holds => async (widget) => {
  const broken = unlike(name, await widget.ids(name), wanted(widget));
  if (broken) return broken;
  const states = () => widget.attributes(`[${name}]`, "aria-checked");
  const before = await states();
  await widget.press(`[${name}]`);
  const after = await states();
  return unlike(`${name} after a press`, after, [before[0] === "true" ? "false" : "true", ...before.slice(1)]);
};
/** Holds if these switches are off. */
const off = (selector: string): Holds => async (widget) => {
  // Rows behind the first ones come in later frames.
  await widget.find(selector).first().waitFor({ state: "attached", timeout: 5_000 }).catch(() => {});
  const states = await widget.attributes(selector, "aria-checked");
  if (!states.length) return `no switch: ${selector}`;
  return states.every((state) => state === "false") ? undefined : `a switch is on: ${selector}`;
};

/** Entries with their standard texts, as the panel shows them and offers to show them. */
const entries = (widget: Widget): Promise<(Omit<Text, "id"> & { count: string; hasControl: boolean })[]> =>
  widget.find(`${PANEL} > ul > li`).evaluateAll((rows) =>
    rows
      .filter((row) => row.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .map((row) => {
        const shown = (selector: string): string => {
          const one = row.querySelector(selector);
          return one ? (window as any).visibleText(one) : "";
        };
        const isOffered = row.querySelector("summary")?.checkVisibility();
        return {
          name: shown("strong"), description: shown("div > p"), count: shown("[part=count]"),
          illustrations: isOffered ? [...row.querySelectorAll("details li")].map((one) => one.textContent ?? "") : [],
          hasControl: row.querySelector("[role=switch], input, [part=toggle]") !== null,
        };
      }),
  );
/** Holds if each text of these kinds is there, word for word. */
const texts = (...kinds: readonly Kind[]): Holds => async (widget) => {
  const found = await entries(widget);
  for (const kind of kinds)
    for (const { name, description, illustrations } of widget.list.texts[kind]) {
      const one = found.find((entry) => entry.name === name);
      if (!one) return `not shown: ${name}`;
      const broken = unlike(name, [one.description, one.illustrations], [description, illustrations]);
      if (broken) return broken;
    }
  const known = Object.values(widget.list.texts).flat().map(({ name }) => name);
  const unknown = found.find(({ name }) => name && !known.includes(name) && !widget.list.partners.some((one) => one.name === name));
  return unknown && `not in the list: ${unknown.name}`;
};
/** Holds if entries of a kind say how many partners they concern. */
const counts = (kind: Kind, of: (partner: Partner) => readonly number[]): Holds => async (widget) => {
  const found = await entries(widget);
  for (const { id, name } of widget.list.texts[kind]) {
    const count = widget.list.partners.filter((one) => of(one).includes(id)).length;
    const one = found.find((entry) => entry.name === name);
    if (count && one?.count !== `Number of partners: ${count}`) return `${name}: ${one?.count} instead of ${count}`;
  }
  return undefined;
};
/** Holds if the number of an entry leads to its partners. */
const isWayTo = (filter: string, of: (partner: Partner) => readonly number[]): Holds => async (widget) => {
  const [field, id] = filter.split(":");
  const wanted = widget.list.partners.filter((one) => of(one).includes(Number(id)));
  const broken = await leads(`[data-filter="${field}:${id}"]`, "partners")(widget);
  if (broken) return broken;
  await expect(widget.find('[part="found"]')).toHaveText(`Partners found: ${wanted.length}`);
  await expect(widget.find('[part="more"]')).toHaveCount(wanted.length);
  return unlike("partners", await widget.texts('[part="more"]'), wanted.map(({ name }) => name));
};

/** Holds if calls to action can be seen, and have one text treatment and contrast enough. */
const calls = (...parts: readonly string[]): Holds => async (widget) => {
  for (const colorScheme of ["light", "dark"] as const) {
    await widget.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const found = await widget.find("button").evaluateAll((buttons, parts) => {
      type Colour = [number, number, number, number];
      const parse = (text: string): Colour => {
        const [r = 0, g = 0, b = 0, a = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
        return [r, g, b, a];
      };
      const over = ([r, g, b, a]: Colour, below: Colour): Colour =>
        [r * a + below[0] * (1 - a), g * a + below[1] * (1 - a), b * a + below[2] * (1 - a), 1];
      const ground = (element: Element | null): Colour =>
        element ? over(parse(getComputedStyle(element).backgroundColor), ground(element.parentElement)) : [255, 255, 255, 1];
      const light = (colour: Colour): number => {
        const [r, g, b] = colour.slice(0, 3).map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      return parts.map((part) => {
        const button = buttons.find((one) => one.part.contains(part)) as HTMLButtonElement | undefined;
        if (!button?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return { part, problem: "is not to be seen" };
        const style = getComputedStyle(button);
        const { left, top, width, height } = button.getBoundingClientRect();
        const hit = (button.getRootNode() as ShadowRoot).elementFromPoint(left + width / 2, top + height / 2);
        const back = ground(button);
        const [high, low] = [light(over(parse(style.color), back)), light(back)].sort((a, b) => b - a) as [number, number];
        const contrast = (high + 0.05) / (low + 0.05);
        const problem = button.disabled || button.ariaDisabled === "true" ? "is disabled"
          : Number(style.opacity) < 1 ? "appears disabled"
          : !button.contains(hit) ? "is covered or outside of the view"
          : !button.innerText.trim() ? "has no text"
          : contrast < 5 ? `has a contrast of ${contrast.toFixed(2)}` : "";
        const { fontFamily, fontSize, fontStyle, fontWeight, textTransform, textDecorationLine } = style;
        return { part, problem, treatment: [fontFamily, fontSize, fontStyle, fontWeight, textTransform, textDecorationLine].join() };
      });
    }, [...parts]);
    const bad = found.find(({ problem }) => problem);
    if (bad) return `${colorScheme}: ${bad.part} ${bad.problem}`;
    if (new Set(found.map(({ treatment }) => treatment)).size > 1) return `${colorScheme}: texts differ: ${JSON.stringify(found)}`;
  }
  return undefined;
};
const styled = (part: string, style: Readonly<Record<string, string>>) => (widget: Widget) =>
  widget.change(`[part="${part}"]`, (one, style) => Object.assign((one as HTMLElement).style, style), style);
const spoiltCalls = (part: string): Check["mutants"] => ({
  "hidden": styled(part, { visibility: "hidden" }),
  "pale": styled(part, { color: "#9a9a9a", background: "#fff" }),
  "small": styled(part, { fontSize: "11px" }),
  "light": styled(part, { fontWeight: "300" }),
  "as if disabled": styled(part, { opacity: "0.5" }),
  "disabled": (widget) => widget.change(`[part="${part}"]`, (one) => ((one as HTMLButtonElement).disabled = true)),
});

const rowOf = (widget: Widget, name: string) => widget.find(`${PANEL} li.v`).filter({ has: widget.page.getByText(name, { exact: true }) });
/** The open details of a partner: its links, and its lists by their titles. */
const opened = async (widget: Widget, name: string): Promise<{ links: string[]; lists: Record<string, string[]>; text: string } | undefined> => {
  const row = rowOf(widget, name);
  const details = row.locator('[part="details"]');
  if (!(await details.count())) return undefined;
  if (!(await details.isVisible())) await row.locator('[part="more"]').click();
  return details.evaluate((box) => ({
    links: [...box.querySelectorAll("a")].map((one) => one.href),
    lists: Object.fromEntries([...box.querySelectorAll(":scope > ul")].map((list) => [
      (window as any).visibleText(list.previousElementSibling), [...list.children].map((one) => (window as any).visibleText(one)),
    ])),
    text: (window as any).visibleText(box),
  }));
};
/** A partner that declares some of everything, and one with times of its own for its purposes. */
const samples = (widget: Widget): readonly Partner[] => {
  const has = ({ consents, claims, special, features, specialFeatures, categories, isRefreshed, hasOther }: Partner) =>
    [consents, claims, special, features, specialFeatures, categories].every((ids) => ids.length) && isRefreshed && hasOther;
  const own = ({ purposeDays }: Partner) => Object.keys(purposeDays).length > 0;
  return [widget.list.partners.find(has), widget.list.partners.find(own)].flatMap((one) => one ?? []);
};
/** Holds if the details of partners tell what the list has of them. */
const details = (chosen: (widget: Widget) => readonly Partner[]): Holds => async (widget) => {
  for (const one of chosen(widget)) {
    const found = await opened(widget, one.name);
    if (!found) return `${one.name} cannot be opened`;
    if (!found.links.includes(one.policy)) return `${one.name}: no link to ${one.policy}`;
    if (one.claims.length && !found.links.includes(one.claim)) return `${one.name}: no link to ${one.claim}`;
    const names = (kind: Kind, ids: readonly number[], days?: Readonly<Record<string, number>>) =>
      ids.map((id) => {
        const kept = days && (days[id] ?? one.days);
        return `${widget.list.texts[kind].find((text) => text.id === id)?.name}${kept ? ` – ${kept} days` : ""}`;
      });
    const wanted = {
      "Consent (time that data are kept):": names("purposes", one.consents, one.purposeDays),
      "Legitimate interest (time that data are kept):": names("purposes", one.claims, one.purposeDays),
      "Special purposes (time that data are kept):": names("specialPurposes", one.special, one.specialDays),
      "Features:": names("features", one.features),
      "Special features:": names("specialFeatures", one.specialFeatures),
      "Categories of data:": names("dataCategories", one.categories),
    };
    for (const [title, list] of Object.entries(wanted)) {
      const broken = unlike(`${one.name}, ${title}`, found.lists[title] ?? [], list);
      if (broken) return broken;
    }
  }
  return undefined;
};
const openFirst = (selector: string, spoil: (widget: Widget) => Promise<unknown>) => async (widget: Widget) => {
  for (const { name } of samples(widget)) await opened(widget, name);
  await expect(widget.find(selector).first()).toBeVisible();
  await spoil(widget);
};
const shownDetails = '[part="details"]:not([hidden])';

const consents = ({ consents }: Partner) => consents;
const claims = ({ claims }: Partner) => claims;
const special = ({ special }: Partner) => special;
const specialFeatures = ({ specialFeatures }: Partner) => specialFeatures;
/** Ids that a partner declares, in order. */
const declared = (widget: Widget, of: (partner: Partner) => readonly number[]): number[] =>
  [...new Set(widget.list.partners.flatMap(of))].sort((a, b) => a - b);

const checks: readonly Check[] = [
  {
    clause: "C(a): the widget covers the content of the page",
    on: "first",
    holds: async ({ page }) =>
      page.evaluate(() => {
        for (let x = 0.05; x < 1; x += 0.15)
          for (let y = 0.05; y < 1; y += 0.15) {
            const at = document.elementFromPoint(x * innerWidth, y * innerHeight);
            if (at?.id !== "placet") return `the page is there at ${x.toFixed(2)}, ${y.toFixed(2)}: ${at?.localName}`;
          }
        const { left, top, right, bottom } = document.querySelector("#placet")!.shadowRoot!.querySelector("[part=banner]")!.getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight ? "the widget is not completely visible" : undefined;
      }),
    mutants: {
      "no overlay": without('[part="overlay"]'),
      "an overlay that lets clicks through": (widget) => widget.change('[part="overlay"]', (one) => ((one as HTMLElement).style.pointerEvents = "none")),
    },
  },
  {
    clause: "C(b)I: information is stored on the device or accessed, with examples",
    on: "first",
    holds: says(FIRST, /stores? information on your device/, /access/, /cookies/),
    mutants: { unsaid: unsaid(FIRST, /We and our partners store [^.]*\./), "without access": unsaid(FIRST, / or access it/) },
  },
  {
    clause: "C(b)II: personal data are processed, and which",
    on: "first",
    holds: says(FIRST, /process personal data/, /such as your IP address and what you do/),
    mutants: { unsaid: unsaid(FIRST, /We and our partners process [^.]*\./), "without examples": unsaid(FIRST, /, such as your IP[^.]*/) },
  },
  {
    clause: "C(b)III: partners do so, their number, and a link to their names",
    on: "first",
    holds: all(
      says(FIRST, /our partners store/, /our partners process/),
      async (widget) => {
        const { vendor } = await widget.data();
        // One service of the site is no partner by TCF.
        const number = Object.keys(vendor.disclosedVendors).length + 1;
        return unlike("number of partners", await widget.texts('[part="partners"]'), [`Number of partners: ${number}`]);
      },
      leads('[part="partners"]', "partners"),
      async (widget) => {
        await widget.whole("partners");
        return unlike("names", await widget.texts('[part="more"]'), widget.list.partners.map(({ name }) => name));
      },
    ),
    mutants: {
      "no number": unsaid('[part="partners"]', /: \d+/),
      "fewer": unsaid('[part="partners"]', /\d+/, "12"),
      "no link": (widget) => widget.change('[part="partners"]', (one) => one.replaceWith(one.textContent ?? "")),
      "no partners": unsaid(FIRST, /and our partners process/, "process"),
    },
  },
  {
    clause: "C(b)IV: all purposes, by their standard names or those of stacks",
    on: "first",
    holds: async (widget) => {
      const found = await widget.texts(`${FIRST} [part="purposes"] li`);
      const covered = new Set<number>();
      for (const name of found) {
        const stack = widget.list.stacks.find((one) => one.name === name)?.purposes;
        const purpose = widget.list.texts.purposes.find((one) => one.name === name)?.id;
        if (!stack && !purpose) return `no standard name: ${name}`;
        for (const id of stack ?? [purpose ?? 0]) covered.add(id);
      }
      return unlike("purposes", [...covered].sort((a, b) => a - b), declared(widget, consents));
    },
    mutants: {
      "one is missing": without('[part="purposes"] li:nth-child(2)'),
      "no stack": without('[part="purposes"] li:first-child'),
      "another name": unsaid('[part="purposes"] li:nth-child(3)', /Purpose/, "Advertising"),
      "not to be seen": (widget) => widget.hide('[part="purposes"]'),
    },
  },
  {
    clause: "C(b)V: the special features in use",
    on: "first",
    holds: all(
      says(FIRST, /explicit consent/),
      async (widget) => {
        const used = declared(widget, specialFeatures);
        const names = widget.list.texts.specialFeatures.filter(({ id }) => used.includes(id)).map(({ name }) => name);
        return unlike("special features", await widget.texts(`${FIRST} [part="special-features"] li`), names);
      },
    ),
    mutants: { "one is missing": without('[part="special-features"] li'), "none": without('[part="special-features"]') },
  },
  {
    clause: "C(b)VI: the consequences of a choice",
    on: "first",
    holds: says(FIRST, /If you refuse, nothing that needs consent is done/),
    mutants: { unsaid: unsaid(FIRST, /If you refuse[^.]*\./) },
  },
  {
    clause: "C(b)VII: the scope of the choice",
    on: "first",
    holds: says(FIRST, /for this site alone/),
    mutants: { unsaid: unsaid(FIRST, /Your choice counts[^.]*\./), "of a group": unsaid(FIRST, /this site alone/, "our sites") },
  },
  {
    clause: "C(b)VIII: consent can be withdrawn at any time, and by which control",
    on: "first",
    holds: async (widget) => {
      const [, control] = /at any time: “(.+?)”/.exec(await widget.text(FIRST)) ?? [];
      await widget.press('[part="refuse"]');
      return unlike("control", [await widget.find('[part="reopen"]').textContent()], [control]);
    },
    mutants: { unsaid: unsaid(FIRST, /You can change your mind[^.]*\./), "another control": unsaid(FIRST, /“.+?”/, "“Settings”") },
  },
  {
    clause: "C(b)IX, D(a) and D(b): legitimate interests, the right to object, and a link to their layer",
    on: "first",
    holds: all(says(FIRST, /do not ask for your consent/, /legitimate interest/, /right to object/), leads('[part="interests"]', "interests")),
    mutants: { "no link": without('[part="interests"]'), unsaid: unsaid(FIRST, /Some partners do not ask[^.]*\./) },
  },
  {
    clause: "C(b)X: a call to action to consent",
    on: "first",
    holds: async (widget) => {
      if (!/Accept/.test(await widget.text('[part="accept"]:enabled'))) return "no call to consent";
      await widget.press('[part="accept"]');
      await expect(widget.find('[part="banner"]')).toHaveCount(0);
      const { vendor } = await widget.data();
      return Object.values(vendor.consents).some(Boolean) ? undefined : "nobody has consent";
    },
    mutants: { none: without('[part="accept"]'), "hidden": styled("accept", { visibility: "hidden" }) },
  },
  {
    clause: "C(b)XI: a call to action to choose one by one",
    on: "first",
    holds: leads('[part="configure"]', "purposes"),
    mutants: {
      none: without('[part="configure"]'),
      disabled: (widget) => widget.change('[part="configure"]', (one) => ((one as HTMLButtonElement).disabled = true)),
    },
  },
  {
    clause: "C(g): refusing and accepting have one text treatment and a contrast of 5",
    on: "first",
    holds: calls("refuse", "accept"),
    mutants: { ...spoiltCalls("refuse"), "no refusing": without('[part="refuse"]') },
  },
  {
    clause: "C(g): so have the calls to action of the layers behind",
    on: "purposes",
    holds: calls("refuse", "accept", "save"),
    mutants: { ...spoiltCalls("save"), "no refusing": without('[part="refuse"]') },
  },
  {
    clause: "B(b): standard names, texts and illustrations, word for word",
    on: "purposes",
    holds: texts("purposes", "specialPurposes", "features", "specialFeatures", "dataCategories"),
    mutants: {
      "another text": unsaid(`${PANEL} li:nth-child(3)`, /Description/, "Summary"),
      "no text": without(`${PANEL} li:nth-child(4) p`),
      "another name": unsaid(`${PANEL} li:nth-child(2) strong`, /Purpose/, "Our purpose"),
      "no illustrations": without(`${PANEL} li:nth-child(5) details`),
      "one of two illustrations": without(`${PANEL} li:nth-child(5) details li`),
      "no categories of data": without(`${PANEL} ul:last-of-type`),
      "a purpose of the site's own": (widget) =>
        widget.change(`${PANEL} li`, (one) => {
          const copy = one.cloneNode(true) as Element;
          copy.querySelector("strong")!.textContent = "Partnerships";
          one.after(copy);
        }),
    },
  },
  {
    clause: "B(f): choices do not reach special purposes, the first of which may use special features",
    on: "purposes",
    holds: all(
      says(PANEL, /choices do not reach special purposes/, /special purpose 1 partners may use special features/),
      async (widget) => {
        const fixed = widget.list.texts.specialPurposes.map(({ name }) => name);
        const one = (await entries(widget)).find(({ name, hasControl }) => hasControl && fixed.includes(name));
        return one && `${one.name} has a control`;
      },
    ),
    mutants: {
      unsaid: without('[part="fixed"]'),
      "half of it": unsaid('[part="fixed"]', /For special purpose 1.*/),
      "a control": (widget) =>
        widget.change('[part="fixed"] + ul li', (one) => one.append((one.getRootNode() as ShadowRoot).querySelector("[data-purpose]")!.cloneNode(true))),
    },
  },
  {
    clause: "B(b) since 5.0.b: features stand apart, with their standard explanation and without a control",
    on: "purposes",
    holds: async (widget) => {
      const wanted = widget.list.texts.features.map(({ name }) => name);
      const section = await widget.find(`${PANEL} > h3`).evaluateAll((titles) => {
        const title = titles.find((one) => (one as HTMLElement).innerText === "Features");
        const [text, list] = [title?.nextElementSibling as HTMLElement | null, title?.nextElementSibling?.nextElementSibling];
        const rows = [...(list?.querySelectorAll(":scope > li") ?? [])];
        return { text: text?.innerText, names: rows.map((row) => (window as any).visibleText(row.querySelector("strong"))), controls: list?.querySelectorAll("[role=switch], input").length };
      });
      return unlike("features", [section.text, section.names, section.controls], [widget.list.features, wanted, 0]);
    },
    mutants: {
      "no explanation": (widget) => widget.unsay(PANEL, /Features are used for the purposes above\./),
      "a control": (widget) =>
        widget.change(PANEL, (panel) => {
          const title = [...panel.querySelectorAll("h3")].find((one) => one.innerText === "Features");
          title?.nextElementSibling?.nextElementSibling?.firstElementChild?.append(panel.querySelector("[data-purpose]")!.cloneNode(true));
        }),
      "among special purposes": (widget) =>
        widget.change(PANEL, (panel) => [...panel.querySelectorAll("h3")].find((one) => one.innerText === "Features")?.remove()),
    },
  },
  {
    clause: "C(c)II: each purpose with its number of partners, and a way to see them",
    on: "purposes",
    holds: all(counts("purposes", consents), counts("specialPurposes", special), counts("specialFeatures", specialFeatures), counts("features", ({ features }) => features), isWayTo("consents:3", consents)),
    mutants: {
      "no number": without('[data-filter="consents:4"]'),
      "another number": unsaid('[data-filter="consents:4"]', /\d+/, "3"),
      "no number of a special purpose": without('[data-filter="special:1"]'),
      "no way": (widget) => widget.change('[data-filter="consents:3"]', (one) => one.removeAttribute("data-filter")),
    },
  },
  {
    clause: "C(c)III: a choice for each purpose",
    on: "purposes",
    holds: switches("data-purpose", (widget) => declared(widget, consents)),
    mutants: {
      "one is missing": without('[data-purpose="6"]'),
      "disabled": (widget) => widget.change('[data-purpose="6"]', (one) => ((one as HTMLButtonElement).disabled = true)),
      "without effect": (widget) => widget.change("[data-purpose]", (one) => one.addEventListener("click", (event) => event.stopPropagation())),
    },
  },
  {
    clause: "C(c)III: and, separately, for each partner",
    on: "partners",
    holds: switches("data-tcf-vendor", (widget) => widget.list.partners.filter((one) => one.consents.length).map(({ id }) => id)),
    mutants: {
      "one is missing": without('[data-tcf-vendor="10"]'),
      "without effect": (widget) => widget.change("[data-tcf-vendor]", (one) => one.addEventListener("click", (event) => event.stopPropagation())),
    },
  },
  {
    clause: "C(c)IV: a choice for each special feature",
    on: "purposes",
    holds: switches("data-feature", (widget) => declared(widget, specialFeatures)),
    mutants: { "one is missing": without('[data-feature="2"]') },
  },
  {
    clause: "C(c)V: a link to the layer of legitimate interests, which tells of the right to object",
    on: "purposes",
    holds: all(leads('[part="tab-interests"]', "interests"), says(PANEL, /do not ask for your consent/, /legitimate interest/, /right to object/)),
    mutants: { "no link": without('[part="tab-interests"]') },
  },
  {
    clause: "C(c)VI: a way to the consequences of a choice, which the first layer tells",
    on: "purposes",
    holds: async (widget) => {
      if (!(await widget.press('[part="back"]'))) return "no way back";
      await expect(widget.find(FIRST)).toBeVisible();
      return says(FIRST, /If you refuse, nothing that needs consent is done/)(widget);
    },
    mutants: { "no way back": without('[part="back"]') },
  },
  {
    clause: "C(d): every choice is off until a visitor makes it",
    on: "purposes",
    holds: all(
      off("[data-purpose]"), off("[data-feature]"), leads('[part="tab-partners"]', "partners"),
      (widget) => widget.whole("partners").then(() => undefined), off("[data-tcf-vendor]"), off("[data-vendor]"),
      async (widget) => {
        await widget.press('[part="save"]');
        await expect(widget.find('[part="banner"]')).toHaveCount(0);
        const { tcString } = await widget.data();
        const { purposes, features, consents } = read(tcString);
        return unlike("allowed", [purposes, features, consents], [[], [], []]);
      },
    ),
    mutants: {
      "a purpose is on": (widget) => widget.change('[data-purpose="4"]', (one) => one.setAttribute("aria-checked", "true")),
      "a special feature is on": (widget) => widget.change("[data-feature]", (one) => one.setAttribute("aria-checked", "true")),
      "one is on without a sign": (widget) =>
        widget.change('[data-purpose="4"]', (one) => {
          (one as HTMLElement).click();
          one.setAttribute("aria-checked", "false");
        }),
    },
  },
  {
    clause: "C(c)I and B(d): each partner by its name, with what it has declared",
    on: "partners",
    holds: all(
      async (widget) => unlike("names", await widget.texts('[part="more"]'), widget.list.partners.map(({ name }) => name)),
      details(samples),
    ),
    mutants: {
      "a partner is missing": (widget) => widget.change('[part="more"]', (one) => one.parentElement!.remove()),
      "another name": unsaid('[part="more"]', /^\w+/, "Somebody"),
      "no policy": openFirst(shownDetails, without(`${shownDetails} > a`)),
      "no time": openFirst(shownDetails, unsaid(shownDetails, / – \d+ days/)),
      "no special purposes": openFirst(shownDetails, (widget) =>
        widget.change(shownDetails, (box) => [...box.querySelectorAll("p")].find((one) => one.innerText.startsWith("Special purposes"))?.nextElementSibling?.remove()),
      ),
      "no categories of data": openFirst(shownDetails, without(`${shownDetails} > ul:last-of-type`)),
    },
  },
  {
    clause: "C(c)VII: duration of storage, whether it is renewed, and the partner's own description",
    on: "partners",
    holds: async (widget) => {
      const nothing = { purposes: [], specialPurposes: [] };
      await widget.page.route("**/v1/app/tcf/vendors/*/storage", (route) =>
        route.fulfill({
          headers: { "access-control-allow-origin": "*" },
          json: { disclosures: [{ ...nothing, identifier: "seen-*", type: "cookie", maxAgeSeconds: 3600, cookieRefresh: false, domains: [], purposes: [1], description: null, optOut: false }], domains: [] },
        }),
      );
      const [one] = samples(widget);
      if (!one) return "no partner that declares everything";
      const found = await opened(widget, one.name);
      if (!found?.text.includes(`Storage on your device: ${one.seconds / 86400} days, renewed at each visit, also other storage than cookies`)) return `no storage: ${found?.text}`;
      const description = rowOf(widget, one.name).locator('[part="described"]');
      if (!(await description.count())) return "no description";
      await description.locator("summary").click();
      await expect(description.getByRole("status")).not.toHaveText(/^…?$/);
      const text = await description.innerText();
      return /seen-\* · cookie · 1 hour · Purpose 1/.test(text) ? undefined : `no description: ${text}`;
    },
    mutants: {
      "no duration": openFirst(shownDetails, without(`${shownDetails} [part="storage"]`)),
      "not whether it is renewed": openFirst(shownDetails, unsaid(`${shownDetails} [part="storage"]`, /, renewed at each visit/)),
      "no description": openFirst(shownDetails, without(`${shownDetails} [part="described"]`)),
    },
  },
  {
    clause: "B(e) and C(e): services that are not part of the TCF stand apart and say so",
    on: "partners",
    holds: (widget) =>
      widget.find(PANEL).evaluate((panel) => {
        const title = [...panel.querySelectorAll("h3")].find((one) => one.checkVisibility() && /^Not part of the TCF$/.test(one.innerText));
        if (!title) return "no title";
        const isBehind = (one: Element) => Boolean(title.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
        const own = [...panel.querySelectorAll("[data-vendor]")];
        if (!own.length) return "no service of the site";
        if (!own.every(isBehind)) return "a service of the site stands among partners";
        return [...panel.querySelectorAll("[data-tcf-vendor], [data-tcf-interest]")].some(isBehind) ? "a partner stands among others" : undefined;
      }),
    mutants: {
      "no title": without(`${PANEL} h3`),
      "among partners": (widget) =>
        widget.change("[data-vendor]", (one) => one.closest('[part="panel"]')!.querySelector('[part="more"]')!.parentElement!.after(one.parentElement!)),
    },
  },
  {
    clause: "C(f): the widget comes back by one press, and one press withdraws everything",
    on: "later",
    holds: async (widget) => {
      if (!(await widget.find('[part="banner"]').count()) && !(await widget.press('[part="reopen"]'))) return "no way to the widget";
      await expect(widget.find('[part="banner"]')).toBeVisible();
      if ((await widget.attributes('[part="accept"]', "part")).length !== 1) return "accepting is not there";
      if (!(await widget.press('[part="refuse"]'))) return "refusing is not there";
      await expect(widget.find('[part="banner"]')).toHaveCount(0);
      const { tcString } = await widget.data();
      const { purposes, features, consents } = read(tcString);
      return unlike("allowed", [purposes, features, consents], [[], [], []]);
    },
    mutants: {
      "no control": without('[part="reopen"]'),
      "a control that nobody sees": styled("reopen", { opacity: "0" }),
      "no refusing": async (widget) => {
        await widget.press('[part="reopen"]');
        await widget.remove('[part="refuse"]');
      },
    },
  },
  {
    clause: "5(7) and 21(8): visitors are asked again when they must be, and of their earlier choice objections alone count",
    on: "later",
    holds: async (widget) => {
      if (!(await widget.press('[part="reopen"]'))) return "no way to the widget";
      await widget.press('[part="interests"]');
      await expect(widget.find("[data-tcf-interest]")).toHaveCount(widget.claimants.length);
      const [purpose, partner] = [(await widget.ids("data-interest"))[0], (await widget.ids("data-tcf-interest"))[0]];
      for (const one of ["[data-interest]", "[data-tcf-interest]", '[part="save"]']) await widget.press(one);
      await expect(widget.find('[part="banner"]')).toHaveCount(0);
      const forgotten = async (): Promise<string | undefined> => {
        const { interests, claims } = read((await widget.data()).tcString);
        if (interests.includes(purpose) || claims.includes(partner)) return `an objection is lost: ${interests} and ${claims}`;
        return interests.length && claims.length ? undefined : "more is objected to than the visitor has";
      };
      await widget.page.route("**/news-few.js", async (route) => {
        const answer = await route.fetch();
        const body = await answer.text();
        // The first fact of the last line but one: the number of orders to ask.
        const next = body.replace(/\\n1\\ta\\t/, "\\n2\\ta\\t");
        await route.fulfill({ response: answer, body: next });
      });
      await widget.page.reload();
      await expect.poll(() => widget.page.evaluate(() => (window as any).placetSDK?.getChoices?.() !== undefined)).toBe(true);
      const { tcString, eventStatus } = await widget.data();
      if (eventStatus !== "cmpuishown") return `nobody is asked: ${eventStatus}`;
      const { purposes, features, consents } = read(tcString);
      const broken = unlike("allowed", [purposes, features, consents], [[], [], []]) ?? (await forgotten());
      if (broken) return broken;
      await widget.press('[part="accept"]');
      await expect(widget.find('[part="banner"]')).toHaveCount(0);
      return forgotten();
    },
    mutants: {
      "objections are forgotten": ({ page }) =>
        page.evaluate(() => {
          const [before = ""] = /euconsent-v2[^;]*/.exec(document.cookie) ?? [];
          addEventListener("pagehide", () => (document.cookie = `${before};path=/`));
        }),
      "the order is not noticed": ({ page }) =>
        page.evaluate(() =>
          addEventListener("pagehide", () => {
            const [, value = ""] = /placet_cookies=([^;]*)/.exec(document.cookie) ?? [];
            const choice = JSON.parse(decodeURIComponent(value));
            for (const one of Object.values<any>(choice.$$tcf)) one.round = 2;
            document.cookie = `placet_cookies=${encodeURIComponent(JSON.stringify(choice))};path=/`;
          }),
        ),
    },
  },
  {
    clause: "D(c)I: personal data are processed, and which",
    on: "interests",
    holds: says(PANEL, /personal data/, /IP address/),
    mutants: { unsaid: unsaid(PANEL, /We and our partners process [^.]*\./) },
  },
  {
    clause: "D(c)II: the scope of the processing and of an objection",
    on: "interests",
    holds: says(PANEL, /for this site alone/),
    mutants: { unsaid: unsaid(PANEL, /Your choice counts[^.]*\./) },
  },
  {
    clause: "D(c)III: controls to object",
    on: "interests",
    holds: async (widget) => {
      await widget.press("[data-interest]");
      await widget.press("[data-tcf-interest]");
      const [purpose, partner] = [await widget.attributes("[data-interest]", "aria-checked"), await widget.attributes("[data-tcf-interest]", "aria-checked")];
      if (purpose[0] !== "false" || partner[0] !== "false") return "no control to object";
      const [interest, claim] = [(await widget.ids("data-interest"))[0], (await widget.ids("data-tcf-interest"))[0]];
      await widget.press('[part="save"]');
      await expect(widget.find('[part="banner"]')).toHaveCount(0);
      const { tcString } = await widget.data();
      const { interests, claims, screen } = read(tcString);
      if (screen !== 3) return `the string is of screen ${screen}`;
      return interests.includes(interest) || claims.includes(claim) ? "the objection is not told" : undefined;
    },
    mutants: {
      disabled: (widget) => widget.change("[data-interest]", (one) => ((one as HTMLButtonElement).disabled = true)),
      "of another screen": (widget) => widget.change('[part="save"]', (one) => ((one as HTMLElement).dataset.screen = "2")),
      "without effect": (widget) => widget.change("[data-tcf-interest]", (one) => one.addEventListener("click", (event) => event.stopPropagation())),
    },
  },
  {
    clause: "D(c)IV: purposes and special purposes with their texts, numbers of partners, and a way to see them",
    on: "interests",
    holds: all(
      async (widget) => {
        const wanted = widget.list.texts.purposes.filter(({ id }) => declared(widget, claims).includes(id));
        const found = await entries(widget);
        for (const { name, description, illustrations } of [...wanted, ...widget.list.texts.specialPurposes]) {
          const one = found.find((entry) => entry.name === name);
          const broken = unlike(name, [one?.description, one?.illustrations], [description, illustrations]);
          if (broken) return broken;
        }
        return undefined;
      },
      counts("specialPurposes", special),
      async (widget) => {
        const found = await entries(widget);
        for (const id of declared(widget, claims)) {
          const name = widget.list.texts.purposes.find((one) => one.id === id)?.name;
          const broken = unlike(`${name}`, [found.find((one) => one.name === name)?.count], [`Number of partners: ${widget.list.partners.filter((one) => one.claims.includes(id)).length}`]);
          if (broken) return broken;
        }
        return undefined;
      },
      isWayTo("claims:7", claims),
    ),
    mutants: {
      "a purpose is missing": without(`${PANEL} li`),
      "no number": without('[data-filter^="claims:"]'),
      "no special purposes": without('[data-filter^="special:"]'),
      "another text": unsaid(`${PANEL} li`, /Description/, "Summary"),
      "no illustrations": without(`${PANEL} details`),
    },
  },
  {
    clause: "D(c)V: an objection for each purpose",
    on: "interests",
    holds: switches("data-interest", (widget) => declared(widget, claims)),
    mutants: { "one is missing": without('[data-interest="8"]') },
  },
  {
    clause: "D(c)V: and, separately, for each partner",
    on: "interests",
    holds: switches("data-tcf-interest", (widget) => widget.claimants.map(({ id }) => id)),
    mutants: { "one is missing": without('[data-tcf-interest="10"]') },
  },
  {
    clause: "D(c)VI: partners by their names, with what they have declared and why they are interested",
    on: "interests",
    holds: all(
      async (widget) => unlike("names", await widget.texts('[part="more"]'), widget.claimants.map(({ name }) => name)),
      details((widget) => samples(widget).filter((one) => one.claims.length)),
    ),
    mutants: {
      "a partner is missing": (widget) => widget.change('[part="more"]', (one) => one.parentElement!.remove()),
      "no policy": openFirst(shownDetails, without(`${shownDetails} > a`)),
      "no explanation": openFirst(shownDetails, without(`${shownDetails} > a:last-of-type`)),
    },
  },
  {
    clause: "D(c)VII: what is stored of the choice, and for how long",
    on: "interests",
    holds: says(PANEL, /kept in the cookie euconsent-v2-\S+: 180 days/),
    mutants: { unsaid: without('[part="stored"]'), "no time": unsaid('[part="stored"]', /: 180 days/) },
  },
];

for (const { clause, on, holds, mutants } of checks)
  test(clause, async ({ widget }) => {
    await widget.draw(on);
    expect(await holds(widget)).toBeUndefined();
    for (const [mutant, spoil] of Object.entries(mutants).slice(0, whole ? undefined : 1))
      await test.step(`a widget that breaks it: ${mutant}`, async () => {
        await widget.draw(on);
        await spoil(widget);
        expect(await holds(widget), mutant).toEqual(expect.any(String));
      });
  });
