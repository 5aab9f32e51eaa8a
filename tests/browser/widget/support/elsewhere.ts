// Cases of `gate`, `hostile` and `closing` in which engines differ, for browsers that Playwright does not drive.

import { expect, type Shop } from "./shop.ts";

/** A page of another browser. */
export interface Driven {
  goto(url: string): Promise<unknown>;
  /** Runs a function in the page and gives what it returns. */
  run<T>(body: (...values: any[]) => T, ...values: unknown[]): Promise<T>;
  /** Presses a part of the widget, or of the element that a selector finds. */
  press(part: string, host?: string): Promise<unknown>;
  /** Presses a part of the widget as a double click does. */
  twice(part: string): Promise<unknown>;
  key(name: "Escape" | "Tab"): Promise<unknown>;
}

const gated = (attributes = "", text = "") => `<script type="text/plain" data-requires-vendor-consent="stats" ${attributes}>${text}</script>`;
const log = (name: string) => `(window.ran=window.ran||[]).push(${JSON.stringify(name)});`;
const ran = (tab: Driven) => tab.run(() => (window as any).ran ?? []);
const shown = (tab: Driven) => tab.run(() => document.querySelector("#placet")?.shadowRoot?.querySelectorAll("[part=banner]").length ?? 0);
const focused = (tab: Driven) => tab.run(() => document.querySelector("#placet")?.shadowRoot?.activeElement?.getAttribute("part") ?? null);
const answers = (shop: Shop) => shop.stored.map(({ body }) => [body.accept, body.preferences.action ?? null]);
const cookies = (tab: Driven) =>
  tab.run(() => Object.getOwnPropertyDescriptor(Document.prototype, "cookie")?.get?.call(document).split("; ").map((pair: string) => pair.split("=")[0]) as string[]);
/** Waits until the page knows that its latest consents are stored. A page that is left earlier sends them again. */
const saved = (tab: Driven, count: number) =>
  expect.poll(() => tab.run(() => (window as any).seen.filter(([event]: [string]) => event === "consent:saved").length)).toBe(count);
/** Waits until clicks reach the reopen button: for a moment after a choice, the widget takes the second click of a double click. */
const reachable = (tab: Driven) =>
  expect.poll(() => tab.run(() => {
    const { left, top, width, height } = document.querySelector("#placet")?.shadowRoot?.querySelector("[part=reopen]")?.getBoundingClientRect() ?? new DOMRect();
    return document.elementFromPoint(left + width / 2, top + height / 2)?.id;
  })).toBe("placet");
const card = { clientId: "closing", cookiesVersion: "card" };

export const cases: Readonly<Record<string, (tab: Driven, shop: Shop) => Promise<void>>> = {
  "scripts start in the order of the document, and what one writes stands behind it": async (tab, shop) => {
    for (const name of ["file", "written"]) shop.script(`/${name}.js`, log(name));
    const writes = `${log("writer")}document.write('<em id="text">Written</em><scr'+'ipt src="/written.js"></scr'+'ipt>')`;
    const body = [gated("", log("first")), gated(`src="/file.js"`), gated("", writes), gated("", log("last")), gated(`data-type="module"`, log("module"))];
    await tab.goto(shop.page({ body: body.join("") }));
    await tab.press("configure");
    expect(await ran(tab)).toEqual([]);
    await tab.press("back");
    await tab.press("accept");
    await expect.poll(async () => (await ran(tab)).toSorted()).toEqual(["file", "first", "last", "module", "writer", "written"]);
    expect((await ran(tab)).filter((name: string) => !/written|module/.test(name))).toEqual(["first", "file", "writer", "last"]);
    expect(await tab.run(() => document.querySelector("#text")?.previousElementSibling?.localName)).toBe("script");
    await saved(tab, 1);
  },

  "a script that innerHTML has put in never starts, and delays no other": async (tab, shop) => {
    shop.script("/dead.js", log("dead"));
    await tab.goto(shop.page({ body: `<p id="late"></p>${gated("", log("after"))}` }));
    await tab.run((html) => {
      (document.querySelector("#late") as Element).innerHTML = html;
    }, gated(`src="/dead.js"`));
    await tab.press("accept");
    await expect.poll(() => ran(tab)).toEqual(["after"]);
    await saved(tab, 1);
  },

  "images, style sheets and media wait, and leave again with the vendor's cookies": async (tab, shop) => {
    const waits = `data-requires-vendor-consent="stats"`;
    for (const name of ["image", "poster"]) shop.script(`/${name}.svg`, `<svg xmlns="http://www.w3.org/2000/svg"/>`);
    const body = `<img id="image" alt="" ${waits} data-src="/image.svg"><video id="film" ${waits} data-poster="/poster.svg" data-src="/film" controls></video>
      ${gated("", 'document.cookie="_nw=1;path=/"')}`;
    const addresses = () => tab.run(() => [...document.querySelectorAll("#image,#film")].map((one) => one.hasAttribute("src")));
    const asked = () => shop.requests.some((request) => /\/(image|poster|film)/.test(request));
    await tab.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "soft" }, body }));
    await expect.poll(() => shown(tab)).toBe(1);
    expect([await addresses(), asked()]).toEqual([[false, false], false]);
    await tab.press("accept");
    await expect.poll(addresses).toEqual([true, true]);
    await expect.poll(() => cookies(tab)).toContain("_nw");
    await saved(tab, 1);
    await reachable(tab);
    await tab.press("reopen");
    await tab.press("refuse");
    await expect.poll(addresses).toEqual([false, false]);
    await expect.poll(() => cookies(tab)).not.toContain("_nw");
    await saved(tab, 2);
  },

  "a page that is written anew still has the widget": async (tab, shop) => {
    await tab.goto(shop.page());
    await expect.poll(() => shown(tab)).toBe(1);
    await tab.run(() => {
      document.open();
      document.write("<!doctype html><title>Another</title><h1>Written anew</h1>");
      document.close();
    });
    await tab.press("refuse");
    await expect.poll(() => answers(shop)).toEqual([[false, null]]);
    await expect.poll(() => shown(tab)).toBe(0);
  },

  "an open popover is below the widget": async (tab, shop) => {
    await tab.goto(shop.page({ body: `<div id="pop" popover style="position:fixed;inset:0;width:auto;height:auto">Over it all</div>` }));
    await tab.press("refuse");
    await expect.poll(() => shown(tab)).toBe(0);
    await tab.run(() => {
      document.querySelector<HTMLElement>("#pop")?.showPopover();
      (window as any).placetSDK.openCookies();
    });
    await tab.press("accept");
    await expect.poll(() => answers(shop)).toEqual([[false, null], [true, null]]);
    await saved(tab, 2);
  },

  "names of elements and fields keep nothing from working": async (tab, shop) => {
    const names = ["currentScript", "createElement", "querySelector", "querySelectorAll", "body", "head", "cookie", "documentElement", "addEventListener"];
    const body = `${names.map((name) => `<img name="${name}" alt="">`).join("")}${gated("", 'window.ran=["stats"]')}
      <form><input name="parentNode"><iframe id="film" title="Film" data-requires-vendor-consent="video" data-src="about:blank"></iframe></form>
      <script src="/settings.js"></script><script src="${shop.cdnUrl}/shop/shop-en.js"></script>`;
    await tab.goto(shop.page({ delivery: "none", body }));
    // Drivers look with the same functions, so these buttons are pressed from inside.
    const press = (host: string, part: string) =>
      expect.poll(() => tab.run((host, part) => {
        const found = Document.prototype.querySelector.call(document, host)?.shadowRoot?.querySelector<HTMLElement>(`[part=${part}]`);
        found?.click();
        return Boolean(found);
      }, host, part)).toBe(true);
    await press("[data-vendor=video]", "allow");
    await expect.poll(() => answers(shop)).toEqual([[false, null]]);
    await press("#placet", "reopen");
    await press("#placet", "accept");
    await expect.poll(() => ran(tab)).toEqual(["stats"]);
    expect(await cookies(tab)).toContain("placet_cookies");
    await saved(tab, 2);
  },

  "where cookies are refused the choice is kept elsewhere": async (tab, shop) => {
    const head = `<script>Object.defineProperty(Document.prototype,"cookie",{get:()=>"",set:()=>{}});Object.defineProperty(navigator,"cookieEnabled",{get:()=>false})</script>`;
    const url = shop.page({ head });
    await tab.goto(url);
    await expect.poll(() => shown(tab)).toBe(1);
    expect(await tab.run(() => localStorage.length)).toBe(0);
    await tab.press("accept");
    await expect.poll(() => answers(shop)).toEqual([[true, null]]);
    await expect.poll(() => tab.run(() => Boolean(localStorage.placet_cookies))).toBe(true);
    await saved(tab, 1);
    await tab.goto(url);
    await expect.poll(() => tab.run(() => (window as any).placetSDK?.getChoices().stats)).toBe(true);
    expect(await shown(tab)).toBe(0);
  },

  "× refuses everything, and its proof says so": async (tab, shop) => {
    await tab.goto(shop.page({ settings: card }));
    await tab.press("close");
    await expect.poll(() => answers(shop)).toEqual([[false, "close"]]);
    await expect.poll(() => shown(tab)).toBe(0);
    await saved(tab, 1);
  },

  "so does Escape, from the first layer alone": async (tab, shop) => {
    await tab.goto(shop.page({ settings: card }));
    await tab.press("configure");
    await expect.poll(() => focused(tab)).toBe("title");
    await tab.key("Escape");
    await expect.poll(() => focused(tab)).toBe("configure");
    expect([await shown(tab), answers(shop)]).toEqual([1, []]);
    await tab.key("Escape");
    await expect.poll(() => answers(shop)).toEqual([[false, "close"]]);
    await saved(tab, 1);
  },

  "a countdown that runs out is no answer": async (tab, shop) => {
    await tab.goto(shop.page({ settings: { clientId: "closing", cookiesVersion: "notice" } }));
    const ends = () => tab.run(() => {
      const bar = document.querySelector("#placet")?.shadowRoot?.querySelector(".ti");
      bar?.getAnimations().forEach((countdown) => countdown.finish());
      return Boolean(bar);
    });
    await expect.poll(ends).toBe(true);
    await expect.poll(async () => (await ends(), shown(tab))).toBe(0);
    expect([await cookies(tab), await tab.run(() => localStorage.length), shop.posts]).toEqual([[""], 0, []]);
  },

  "a first visit stays at the start of a page whose body moves": async (tab, shop) => {
    const head = `<style>body{animation:in 60s}@keyframes in{from{transform:translateY(40px)}}</style>`;
    await tab.goto(shop.page({ head, body: `<div style="height:5000px">Long</div>` }));
    await expect.poll(() => focused(tab)).toBe("title");
    expect(await tab.run(() => [scrollY, document.body.scrollTop])).toEqual([0, 0]);
    const isInSight = () => tab.run(() => {
      const { top, bottom } = document.querySelector("#placet")?.shadowRoot?.querySelector("[part=banner]")?.getBoundingClientRect() ?? new DOMRect(0, -1);
      return top >= 0 && bottom <= innerHeight;
    });
    await expect.poll(isInSight).toBe(true);
  },

  "the second click of a double click does not reach what was below the widget": async (tab, shop) => {
    const body = `<button style="position:fixed;inset:0" onclick="window.ran='below'">Buy at once</button>`;
    await tab.goto(shop.page({ body }));
    await tab.twice("accept");
    await expect.poll(() => answers(shop)).toEqual([[true, null]]);
    await saved(tab, 1);
    expect(await ran(tab)).toEqual([]);
  },

  "Tab leaves a card for the page": async (tab, shop) => {
    await tab.goto(shop.page());
    await expect.poll(() => focused(tab)).toBe("title");
    const active = () => tab.run(() => document.activeElement?.id);
    await tab.run(() => document.querySelector<HTMLElement>("#search")?.focus());
    expect(await active()).toBe("search");
    const reached: (string | undefined)[] = [];
    for (let press = 0; press < 12; press++) {
      await tab.key("Tab");
      reached.push(await active());
    }
    // Behind the card comes the page or the browser itself.
    expect(reached[0]).toBe("placet");
    expect(new Set(reached).size).toBeGreaterThan(1);
    expect(await shown(tab)).toBe(1);
  },

  "placeholders take the shape of what they stand for": async (tab, shop) => {
    const frame = (look: string) => `<iframe title="Film" ${look} data-requires-vendor-consent="video" data-src="about:blank"></iframe>`;
    const body = `<style>iframe{border:0}.wide{aspect-ratio:16/9;width:100%}.pad{position:relative;padding-top:50%}.pad iframe{position:absolute;inset:0;width:100%;height:100%}</style>
      <div style="width:640px">${frame('class="wide"')}<div class="pad">${frame("")}</div>${frame('width="240" height="60"')}</div>`;
    await tab.goto(shop.page({ body }));
    const shapes = () => tab.run(() => [...document.querySelectorAll("[data-vendor=video]")].map((host) => {
      const { width, height } = host.shadowRoot?.querySelector("[part=placeholder]")?.getBoundingClientRect() ?? new DOMRect();
      return [Math.round(width), Math.round(height)];
    }));
    await expect.poll(shapes).toEqual([[640, 360], [640, 320], [240, 60]]);
  },

  "frames of the same origin follow the page around them, with one post": async (tab, shop) => {
    const inner = shop.page({ body: gated("", log("frame")) }, "/inner");
    await tab.goto(shop.page({ body: `<iframe title="One" src="${inner}"></iframe><iframe title="Two" src="${inner}"></iframe>` }));
    const frames = () => tab.run(() => [...document.querySelectorAll("iframe")].map(({ contentWindow }) => {
      const inside = contentWindow as any;
      return [Boolean(inside.placetSDK), Boolean(inside.document.querySelector("#placet")), inside.ran ?? []];
    }));
    const both = (state: unknown) => [state, state];
    await expect.poll(frames).toEqual(both([true, false, []]));
    await tab.press("accept");
    await expect.poll(frames).toEqual(both([true, false, ["frame"]]));
    await saved(tab, 1);
    expect(shop.posts).toHaveLength(1);
  },

  "markup of a stranger is no settings": async (tab, shop) => {
    // For several elements of one name, Firefox gives the first, and other browsers give them all.
    const head = `<form id=placetSettings><input name=token value=known></form><a id=placetSettings name=apiUrl href="https://evil.example/"></a>
      <script async src="${shop.cdnUrl}/shop/shop-en.js"></script>`;
    await tab.goto(shop.page({ delivery: "none", head }));
    await tab.press("accept");
    await expect.poll(() => shop.stored[0]?.body.token).toMatch(/^[0-9a-f]{44}$/);
  },

  "a document whose body comes late is not touched before": async (tab, shop) => {
    const head = `<script src="/settings.js?page=/"></script>
      <script>new MutationObserver(()=>{for(const one of document.documentElement.children)if(!/^(HEAD|BODY)$/.test(one.tagName))window.beside=one.outerHTML}).observe(document.documentElement,{childList:true})</script>
      <script src="${shop.cdnUrl}/shop/shop-en.js"></script>`;
    await tab.goto(shop.page({ delivery: "none", head }));
    await tab.press("accept");
    await saved(tab, 1);
    expect(await tab.run(() => [(window as any).beside ?? "", document.querySelector("#placet")?.parentElement?.localName])).toEqual(["", "body"]);
  },

  "mistakes of the site are said, once each": async (tab, shop) => {
    const head = `<script>window.said=[];console.error=(...all)=>said.push(all.join(" "))</script>`;
    const said = () => tab.run(() => ((window as any).said as string[]).filter((line) => line.startsWith("Placet")));
    const body = `${gated().replace('"stats"', '"statz"')}<iframe title="Film" data-requires-vendor-consent="video" src="/film.html"></iframe>`;
    await tab.goto(shop.page({ settings: { userCookiesDomain: "elsewhere.example" }, head, body }));
    await expect.poll(async () => (await said()).length).toBe(2);
    await tab.press("accept");
    await expect.poll(async () => (await said()).length).toBe(3);
    expect((await said()).join("\n")).toMatch(/never starts[^]*data-src|data-src[^]*never starts/);
    expect((await said()).at(-1)).toContain("userCookiesDomain is “elsewhere.example”");
    await saved(tab, 1);
    await reachable(tab);
    await tab.press("reopen");
    await tab.press("refuse");
    await saved(tab, 2);
    expect(await said()).toHaveLength(3);
  },

  "a number as token is taken as its digits": async (tab, shop) => {
    await tab.goto(shop.page({ settings: { token: 4711 } }));
    await tab.press("accept");
    await expect.poll(() => shop.stored[0]?.body.token).toBe("4711");
    await saved(tab, 1);
  },

  "a browser from before constructed style sheets": async (tab, shop) => {
    const head = `<script>for(const one of [Document,ShadowRoot])delete one.prototype.adoptedStyleSheets;
      window.CSSStyleSheet=class{constructor(){throw new TypeError("Illegal constructor")}}</script>`;
    await tab.goto(shop.page({ head }));
    const placed = (part: string) => tab.run((part) => {
      const one = document.querySelector("#placet")?.shadowRoot?.querySelector(`[part=${part}]`);
      return one ? getComputedStyle(one).position : "";
    }, part);
    await expect.poll(() => placed("banner")).toBe("fixed");
    await tab.press("refuse");
    await expect.poll(() => placed("reopen")).toBe("fixed");
    await saved(tab, 1);
  },

  "the reopen button keeps off what the page has below": async (tab, shop) => {
    await tab.goto(shop.page({ head: "<style>:root{--placet-bottom:90px}</style>" }));
    await tab.press("refuse");
    const below = () => tab.run(() => {
      const { bottom } = document.querySelector("#placet")?.shadowRoot?.querySelector("[part=reopen]")?.getBoundingClientRect() ?? new DOMRect();
      return Math.round(innerHeight - bottom);
    });
    await expect.poll(below).toBe(90);
    await saved(tab, 1);
  },
};
