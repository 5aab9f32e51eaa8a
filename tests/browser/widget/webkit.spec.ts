// The widget's main journey in WebKit as Debian ships it.

import { Tab, WebKit } from "../support/webkit.ts";
import { cases } from "./support/elsewhere.ts";
import { drawn } from "./support/react.ts";
import { expect, test as base } from "./support/shop.ts";

const test = base.extend<{ tab: Tab }, { webkit: WebKit }>({
  webkit: [
    async ({}, use) => {
      const webkit = await WebKit.start();
      await use(webkit);
      await webkit.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  tab: async ({ webkit }, use) => {
    const tab = await webkit.tab();
    await use(tab);
    await tab.close();
  },
});

const widget = "#placet";
const KEYS = { Escape: "\uE00C", Tab: "\uE004" };
const part = (name: string) => `[part=${name}]`;
const parts = (tab: Tab, name: string) =>
  tab.run((name) => document.querySelector("#placet")?.shadowRoot?.querySelectorAll(`[part=${name}]`).length ?? 0, name);
const choice = (tab: Tab) =>
  tab.run(() => JSON.parse(decodeURIComponent(/placet_cookies=([^;]*)/.exec(document.cookie)?.[1] ?? "{}")) as Record<string, unknown>);
/** Waits until the page knows that its consent is stored: one that is left before sends it again. */
const saved = (tab: Tab) =>
  expect.poll(() => tab.run(() => (window as any).seen.map(([event]: [string]) => event))).toContain("consent:saved");

for (const delivery of ["bundle", "generic"] as const) {
  test(`a choice vendor by vendor is stored, posted, kept and taken back: ${delivery}`, async ({ tab, shop }) => {
    const body = `<script type="text/plain" data-requires-vendor-consent="stats">window.ran=1</script>`;
    const url = shop.page({ delivery, body });
    await tab.goto(url);
    await tab.click(widget, part("configure"));
    // Nothing is stored before there is a choice.
    expect(await tab.run(() => [document.cookie, localStorage.length])).toEqual(["", 0]);
    await tab.click(widget, `${part("toggle")}[data-vendor=stats]`);
    expect(await tab.run(() => (window as any).ran ?? null)).toBeNull();
    for (let step = 0; step < 3; step++) await tab.click(widget, part("next"));
    await expect.poll(() => shop.stored.length).toBe(1);
    expect(shop.stored[0]?.body).toMatchObject({ accept: false, preferences: { vendors: { stats: true, ads: false } } });
    expect(await choice(tab)).toMatchObject({ stats: true, ads: false, $$completed: true });
    await expect.poll(() => tab.run(() => (window as any).ran)).toBe(1);
    await saved(tab);
    await tab.goto(url);
    await tab.click(widget, part("reopen"));
    await tab.click(widget, part("refuse"));
    await expect.poll(() => shop.stored.length).toBe(2);
    expect(await choice(tab)).toMatchObject({ stats: false });
    expect(await parts(tab, "banner")).toBe(0);
  });
}

for (const [name, holds] of Object.entries(cases)) {
  test(name, ({ tab, shop }) =>
    holds(
      {
        goto: (url) => tab.goto(url),
        run: (body, ...values) => tab.run(body, ...values),
        press: (part, host = widget) => tab.click(host, `[part=${part}]`),
        twice: (name) => tab.click(widget, part(name), 2),
        key: (name) => tab.press(KEYS[name]),
      },
      shop,
    ));
}

test("scripts that React has made by `innerHTML` start in order, and a stranger's never starts", async ({ tab, shop }) => {
  await tab.goto(shop.page({ body: drawn(shop) }));
  await tab.click(widget, part("accept"));
  await expect.poll(() => tab.run(() => (window as any).ran)).toEqual(["inline", "file", "last"]);
  await saved(tab);
});

test("a frame waits behind a placeholder, and a strict policy that refuses WebAssembly and, by Trusted Types, markup", async ({ tab, shop }) => {
  const types = "require-trusted-types-for 'script'; trusted-types placet";
  const policy = `default-src 'none'; script-src 'self' {cdn} {api}; style-src 'none'; connect-src {api} {cdn}; frame-src 'self'; ${types}`;
  shop.page({ delivery: "none" }, "/film");
  const body = `<iframe id="film" title="Film" data-requires-vendor-consent="video" data-src="/film"></iframe>`;
  await tab.goto(shop.page({ body, headers: { "Content-Security-Policy": policy } }));
  const refusesMarkup = () => {
    try {
      document.createElement("p").innerHTML = "<b>";
    } catch {
      return true;
    }
    return false;
  };
  // An older WebKit knows no Trusted Types.
  expect(await tab.run(refusesMarkup)).toBe(await tab.run(() => "trustedTypes" in window));
  // Its texts come a moment later, and move what is pressed by its place.
  await expect.poll(() => tab.run(() => Boolean(document.querySelector("[data-vendor=video]")?.shadowRoot?.querySelector("[part=once]")))).toBe(true);
  await tab.click("[data-vendor=video]", part("allow"));
  await expect.poll(() => shop.stored.length).toBe(1);
  expect(shop.stored[0]?.body.preferences.vendors).toMatchObject({ video: true, stats: false });
  await expect.poll(() => tab.run(() => document.querySelector("#film")?.getAttribute("src"))).toMatch(/\/film$/);
  expect(await parts(tab, "banner")).toBe(0);
});

test("above an open dialog, and modal: the page behind is out of reach", async ({ tab, shop }) => {
  await tab.goto(shop.page({ settings: { clientId: "bakery", cookiesVersion: "modal" }, body: `<dialog id="dialog">Theirs</dialog>` }));
  await expect.poll(() => tab.run(() => document.querySelector("#placet")?.shadowRoot?.querySelector("dialog")?.matches(":modal"))).toBe(true);
  await expect.poll(() => tab.run(() => document.querySelector("#placet")?.shadowRoot?.activeElement?.localName)).toBe("h2");
  await tab.run(() => document.querySelector<HTMLElement>("#search")?.focus());
  expect(await tab.run(() => document.activeElement?.id)).toBe("placet");
  await tab.click(widget, part("refuse"));
  await expect.poll(() => shop.stored.length).toBe(1);
  await tab.goto(shop.page({ settings: { clientId: "bakery", cookiesVersion: "card" }, body: `<dialog id="dialog">Theirs</dialog>` }));
  await expect.poll(() => tab.run(() => Boolean((window as any).placetSDK))).toBe(true);
  await tab.run(() => {
    document.querySelector<HTMLDialogElement>("#dialog")?.showModal();
    (window as any).placetSDK.openCookies();
  });
  await tab.click(widget, part("accept"));
  await expect.poll(() => shop.stored.length).toBe(2);
});

test("a consent box in a form", async ({ tab, shop }) => {
  const terms = "01980000-0000-7000-8000-000000000041";
  await tab.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "only" }, body: `<form id="order"><div data-placet-contract="${terms}"></div></form>` }));
  await tab.click("#order", "input[type=checkbox]");
  await expect.poll(() => shop.stored.map(({ path, body }) => [path, body.accept])).toEqual([[`/v1/app/consents/notices/contracts/${terms}`, true]]);
});

test("Escape stores nothing and leaves the way back", async ({ tab, shop }) => {
  await tab.goto(shop.page());
  await expect.poll(() => tab.run(() => document.querySelector("#placet")?.shadowRoot?.activeElement?.localName)).toBe("h2");
  await tab.press(KEYS.Escape);
  await expect.poll(() => parts(tab, "banner")).toBe(0);
  expect(await tab.run(() => [document.cookie, localStorage.length])).toEqual(["", 0]);
  await expect.poll(() => parts(tab, "reopen")).toBe(1);
  expect(shop.posts).toEqual([]);
});
