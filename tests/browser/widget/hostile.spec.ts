// Pages that do to the widget what pages do: written anew after they have loaded, with dialogs, chats
// and transformed bodies of their own, printed, framed, without cookies, and set up wrongly.

import type { Page } from "@playwright/test";
import { Banner, expect, test, type Shop } from "./support/shop.ts";

const ran = (page: Page) => page.evaluate(() => (window as any).ran);
const sdk = (page: Page, method: string, ...values: unknown[]) =>
  page.evaluate(([method, values]) => (window as any).placetSDK[method as string](...(values as unknown[])), [method, values] as const);
const modal = { clientId: "bakery", cookiesVersion: "modal" };
/** Notes what the console says as errors. */
const errors = (page: Page) => {
  const said: string[] = [];
  page.on("console", (message) => message.type() === "error" && message.text().startsWith("Placet") && said.push(message.text()));
  return said;
};

test.describe("a page that is written anew after it has loaded", () => {
  for (const [name, settings] of [["card", {}], ["modal", modal]] as const) {
    test(`the widget is there and answers: ${name}`, async ({ page, shop, banner }) => {
      await page.goto(shop.page({ settings }));
      await expect(banner.dialog).toBeVisible();
      await page.evaluate(() => {
        document.open();
        document.write("<!doctype html><title>Another</title><h1>Written anew</h1><button id=other>Other</button>");
        document.close();
      });
      await banner.part("refuse").click();
      await expect(banner.dialog).toHaveCount(0);
      await expect.poll(() => shop.stored.map(({ body }) => body.accept)).toEqual([false]);
      await page.evaluate(() => document.querySelector<HTMLElement>("#other")?.click());
      await page.locator("#other").click();
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe("visible");
      await banner.part("reopen").click();
      await banner.part("accept").click();
      await expect.poll(() => shop.stored.length).toBe(2);
    });
  }
});

test.describe("above everything else", () => {
  const chat = `<div id="chat" style="position:fixed;inset:0;z-index:2147483647;background:#fed"></div>`;
  const pages: Record<string, { body: string; open?: () => unknown }> = {
    "a chat with the highest z-index": { body: chat },
    "a body that is transformed": { body: `<div style="height:3000px"></div><style>body{transform:translateY(0);margin:0}</style>` },
    "an open dialog": { body: `<dialog id="dialog"><button>Inside</button></dialog>`, open: () => document.querySelector<HTMLDialogElement>("#dialog")?.showModal() },
    "a dialog above a dialog": {
      body: `<dialog id="below">Below</dialog><dialog id="dialog"><button>Inside</button></dialog>`,
      open: () => document.querySelectorAll("dialog").forEach((one) => one.showModal()),
    },
    "an open popover": { body: `<div id="pop" popover style="position:fixed;inset:0;width:auto;height:auto">Over it all</div>`, open: () => document.querySelector<HTMLElement>("#pop")?.showPopover() },
    "a full screen": { body: `<div id="film" style="background:#000">Film</div>`, open: () => document.querySelector("#film")?.requestFullscreen() },
  };
  for (const [name, { body, open }] of Object.entries(pages)) {
    test(`${name}: the banner is seen, and answers`, async ({ page, shop, banner }) => {
      await page.goto(shop.page({ body }));
      await expect(banner.dialog).toBeVisible();
      if (open) {
        await banner.part("refuse").click();
        await expect(banner.dialog).toHaveCount(0);
        await page.evaluate(open);
        await sdk(page, "openCookies");
      }
      // A chat comes late, behind everything in the document.
      await page.evaluate(() => document.querySelector("#chat")?.parentElement?.parentElement?.append(document.querySelector("#chat") as Element));
      // The pointer meets the button itself, not what the page has above.
      await banner.part("accept").click();
      await expect(banner.dialog).toHaveCount(0);
      await expect.poll(() => shop.stored.at(-1)?.body.accept).toBe(true);
    });
  }

  test("a dialog that the page opens above the banner: who asks for the banner finds it above", async ({ page, shop, banner }) => {
    await page.goto(shop.page({ body: `<dialog id="dialog"><button>Inside</button></dialog>` }));
    await expect(banner.dialog).toBeVisible();
    await page.evaluate(() => document.querySelector<HTMLDialogElement>("#dialog")?.showModal());
    await sdk(page, "openCookies");
    await banner.part("accept").click();
    await expect.poll(() => shop.stored.at(-1)?.body.accept).toBe(true);
  });

  test("a dialog that closes leaves the banner on the page", async ({ page, shop, banner }) => {
    await page.goto(shop.page({ body: `<dialog id="dialog"><button>Inside</button></dialog>` }));
    await banner.part("refuse").click();
    await page.evaluate(() => document.querySelector<HTMLDialogElement>("#dialog")?.showModal());
    await sdk(page, "openCookies");
    await expect(banner.dialog).toBeVisible();
    await page.evaluate(() => document.querySelector<HTMLDialogElement>("#dialog")?.close());
    await banner.part("accept").click();
    await expect.poll(() => shop.stored.at(-1)?.body.accept).toBe(true);
    await banner.part("reopen").click();
    await expect(banner.dialog).toBeVisible();
  });

  const moving = "body{animation:in 60s}@keyframes in{from{transform:translateY(40px)}}";
  for (const style of ["body{transform:translateY(0)}", "html{filter:none}body{contain:layout;overflow:auto}", moving]) {
    test(`a first visit stays at the start of the page: ${style}`, async ({ page, shop, banner }) => {
      await page.goto(shop.page({ head: `<style>${style}</style>`, body: `<div style="height:5000px">Long</div>` }));
      await expect(page.getByRole("heading", { level: 2 })).toBeFocused();
      expect(await page.evaluate(() => [scrollY, document.body.scrollTop])).toEqual([0, 0]);
      await expect(banner.dialog).toBeInViewport({ ratio: 1 });
    });
  }
});

test.describe("a modal widget", () => {
  test("the page behind it is out of reach and stands still, and is as before after it", async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: modal, body: `<div style="height:5000px">Long</div>` }));
    await expect(banner.dialog).toBeVisible();
    await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe("hidden");
    await page.mouse.move(10, 10);
    await page.mouse.wheel(0, 900);
    await page.evaluate(() => document.querySelector<HTMLElement>("#search")?.focus());
    expect(await page.evaluate(() => [document.activeElement?.id, scrollY])).toEqual(["placet", 0]);
    for (let press = 0; press < 10; press++) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => ["placet", ""].includes(document.activeElement?.id ?? ""))).toBe(true);
    }
    await banner.part("refuse").click();
    await expect(banner.dialog).toHaveCount(0);
    await page.locator("#search").fill("in reach");
    expect(await page.evaluate(() => document.documentElement.getAttribute("style") || "")).toBe("");
  });

  test("Escape leads back, then closes; the browser's own way out does not leave half of it", async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: modal }));
    await banner.part("configure").click();
    await page.keyboard.press("Escape");
    await expect(banner.part("configure")).toBeFocused();
    // As the back gesture of a phone, which is no key.
    await page.evaluate(() => document.querySelector("#placet")?.shadowRoot?.querySelector("dialog")?.close());
    await expect.poll(() => page.evaluate(() => document.querySelector("#placet")?.shadowRoot?.querySelector("dialog")?.matches(":modal"))).toBe(true);
    await banner.part("title").focus();
    await page.keyboard.press("Escape");
    await expect(banner.dialog).toHaveCount(0);
    expect(shop.posts).toEqual([]);
  });
});

test("a card leaves the page in reach: no modal dialog, and Tab goes on", async ({ page, shop, banner }) => {
  await page.goto(shop.page());
  await expect(page.getByRole("heading", { level: 2 })).toBeFocused();
  await expect(page.getByRole("dialog")).not.toHaveAttribute("aria-modal");
  const reached = new Set<string | undefined>();
  for (let press = 0; press < 12; press++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.id));
  }
  expect([...reached]).toEqual(expect.arrayContaining(["placet", "search"]));
  await expect(banner.dialog).toBeVisible();
});

for (const [name, settings] of [["card", {}], ["modal", modal]] as const) {
  test(`on paper the page stands alone: ${name}`, async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings }));
    await expect(banner.dialog).toBeVisible();
    await page.emulateMedia({ media: "print" });
    await expect(banner.dialog).toBeHidden();
    await expect(banner.part("overlay")).toBeHidden();
    await expect(page.getByText("Things that one can buy.")).toBeVisible();
    await page.emulateMedia({ media: null });
    await banner.part("accept").click();
    await page.emulateMedia({ media: "print" });
    await expect(banner.part("reopen")).toBeHidden();
  });
}

test("a document whose body comes late is not touched before", async ({ page, shop, banner }) => {
  const head = `<script src="/settings.js?page=/"></script>
    <script>new MutationObserver(()=>{for(const one of document.documentElement.children)if(!/^(HEAD|BODY)$/.test(one.tagName))window.beside=one.outerHTML}).observe(document.documentElement,{childList:true})</script>
    <script src="${shop.cdnUrl}/shop/shop-en.js"></script>`;
  await page.goto(shop.page({ delivery: "none", head }));
  await expect(banner.dialog).toBeVisible();
  expect(await page.evaluate(() => [(window as any).beside, document.querySelector("#placet")?.parentElement?.localName])).toEqual([undefined, "body"]);
  await banner.part("accept").click();
  await expect.poll(() => shop.stored.length).toBe(1);
});

test("the second click of a double click does not reach what was below the widget", async ({ page, shop, banner }) => {
  const body = `<button id="below" style="position:fixed;inset:0" onclick="window.ran='below'">Buy at once</button>`;
  await page.goto(shop.page({ body }));
  const box = await banner.part("accept").boundingBox();
  await page.mouse.dblclick((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
  await expect.poll(() => shop.stored.length).toBe(1);
  expect(await ran(page)).toBeUndefined();
  // Soon after it may be pressed.
  await page.locator("#below").click({ position: { x: 10, y: 10 } });
  expect(await ran(page)).toBe("below");
});

test("what a gated script writes stands behind it, runs in order, and is named in the panel", async ({ page, shop, banner }) => {
  shop.script("/first.js", "window.ran=['first']");
  const body = `<p id="before-it">Before</p><script id="writer" type="text/plain" data-requires-vendor-consent="stats">
      document.write('<em id="written">An advert</em>');
      document.writeln('<scr' + 'ipt src="/first.js"></scr' + 'ipt><scr' + 'ipt>window.inline=1;document.write("<b>and more</b>")</scr' + 'ipt>');
    </script><p id="after-it">After</p>`;
  await page.goto(`${shop.page({ body })}?placet-debug`);
  await banner.part("accept").click();
  await expect(page.locator("#written")).toBeVisible();
  await expect.poll(() => ran(page)).toEqual(["first"]);
  await expect(page.locator("b", { hasText: "and more" })).toBeVisible();
  expect(await page.evaluate(() => [...document.querySelectorAll("#before-it,#writer,#written,#after-it")].map(({ id }) => id))).toEqual(["before-it", "writer", "written", "after-it"]);
  await expect(page.locator("h1")).toHaveText("The shop");
  await expect(page.locator("#placet-debug")).toContainText("document.write");
  // The page may write as before.
  expect(await page.evaluate(() => document.write === Document.prototype.write)).toBe(true);
});

test.describe("mistakes of the site are said, once each", () => {
  const wrong: [string, Record<string, unknown>, RegExp][] = [
    ["the domain of another host", { userCookiesDomain: "elsewhere.example" }, /userCookiesDomain is “elsewhere\.example”/],
    ["SameSite=None without https", { userCookiesSameSite: "None", userCookiesSecure: true }, /need https/],
    ["a name that no cookie can have", { jsonCookieName: "my choice;1" }, /no name for a cookie/],
    ["a list under such a name", { allVendorsCookieName: "all;1" }, /the list “all;1” is not kept/],
    ["two lists under one name", { authorizedVendorsCookieName: "list", allVendorsCookieName: "list" }, /the list “list” is not kept/],
  ];
  for (const [name, settings, message] of wrong) {
    test(name, async ({ page, shop, banner }) => {
      const said = errors(page);
      if (name.startsWith("SameSite")) {
        // Of loopback addresses browsers take what they take of https alone elsewhere.
        await page.addInitScript(() => {
          const own = Object.getOwnPropertyDescriptor(Document.prototype, "cookie") as PropertyDescriptor;
          Object.defineProperty(document, "cookie", { get: () => own.get?.call(document), set: (text: string) => text.includes(";Secure") || own.set?.call(document, text) });
        });
      }
      await page.goto(`${shop.page({ settings })}?placet-debug`);
      await banner.part("accept").click();
      await expect.poll(() => said).toEqual([expect.stringMatching(message)]);
      await expect(page.locator("#placet-debug")).toContainText(message);
      await banner.part("reopen").click();
      await banner.part("refuse").click();
      await expect.poll(() => shop.stored.length).toBe(2);
      expect(said).toHaveLength(1);
    });
  }

  test("gated elements that never start, or that do not wait", async ({ page, shop, banner }) => {
    const said = errors(page);
    shop.script("/ran.js", "window.ran=1");
    const body = `<script type="text/plain" data-requires-vendor-consent="statz">1</script>
      <script data-requires-vendor-consent="stats" src="/ran.js"></script>
      <iframe title="Film" data-requires-vendor-consent="video" src="/film.html"></iframe>`;
    const wrong = [
      "does not wait: it needs type=\"text/plain\".",
      "has loaded before it was allowed: its src has to be data-src.",
      "never starts: the configuration has no service of that name.",
    ];
    await page.goto(`${shop.page({ body })}?placet-debug`);
    await expect.poll(() => said.map((one) => one.replace(/^.*> /, "")).sort()).toEqual(wrong);
    for (const line of wrong) await expect(page.locator("#placet-debug")).toContainText(`> ${line}`);
    // It comes back as it was, not as “undefined”.
    await expect(page.locator("iframe")).toHaveAttribute("src", "about:blank");
    await banner.part("accept").click();
    await expect(page.locator("iframe")).toHaveAttribute("src", /\/film\.html$/);
    expect(said).toHaveLength(3);
  });

  for (const [name, nonce] of [["a nonce that is not the page's", 'nonce="wrong"'], ["no nonce where the settings have one", ""]] as const)
    test(name, async ({ page, shop, banner }) => {
      const said = errors(page);
      const body = `<iframe title="Film" ${nonce} data-requires-vendor-consent="video" data-src="about:blank"></iframe>`;
      await page.goto(`${shop.page({ settings: { nonce: "right" }, body })}?placet-debug`);
      await banner.part("accept").click();
      await expect.poll(() => said).toEqual([expect.stringMatching(/nonce is not that/)]);
      for (const line of ["its nonce is not that of the settings", "does not start: its nonce"]) await expect(page.locator("#placet-debug")).toContainText(line);
      await expect(page.locator("iframe")).not.toHaveAttribute("src");
    });

  test("a page in XHTML, in which markup of HTML cannot be drawn", async ({ page, shop, banner }) => {
    const said = errors(page);
    const document = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Shop</title>
      <script src="/settings.js"></script><script async="" src="${shop.cdnUrl}/shop/shop-en.js"></script></head>
      <body><h1>The shop</h1></body></html>`;
    await page.goto(shop.page({ document, type: "application/xhtml+xml" }));
    await expect.poll(() => said).toEqual([expect.stringMatching(/XHTML\. Nothing is allowed\.$/)]);
    await expect(page.getByRole("heading", { name: "The shop" })).toBeVisible();
    await expect(banner.dialog).toHaveCount(0);
  });

  test("a number as token is taken as its digits", async ({ page, shop, banner }) => {
    await page.goto(shop.page({ settings: { token: 4711 } }));
    await banner.part("accept").click();
    await expect.poll(() => shop.stored[0]?.body.token).toBe("4711");
    await sdk(page, "setToken", 4712);
    await banner.part("reopen").click();
    await banner.part("refuse").click();
    await expect.poll(() => shop.stored[1]?.body.token).toBe("4712");
  });
});

test("placeholders take the shape of what they stand for", async ({ page, shop, banner }) => {
  const frame = (id: string, look: string) => `<iframe id="${id}" title="${id}" ${look} data-requires-vendor-consent="video" data-src="/film.html"></iframe>`;
  const body = `<style>iframe{border:0}.wide{aspect-ratio:16/9;width:100%}.pad{position:relative;padding-top:50%}.pad iframe{position:absolute;inset:0;width:100%;height:100%}.set{width:400px;height:300px}.gone{display:none}</style>
    <div style="width:640px"><div id="a">${frame("wide", 'class="wide"')}</div><div id="b" class="pad">${frame("pad", "")}</div>
    <div id="c">${frame("set", 'class="set"')}</div><div id="d">${frame("small", 'width="240" height="60"')}</div>${frame("gone", 'class="gone"')}${frame("pixel", 'width="1" height="1"')}</div>`;
  await page.goto(shop.page({ body }));
  await banner.part("close").click();
  await expect(page.locator("[part=placeholder]")).toHaveCount(4);
  const size = (parent: string) => page.locator(`${parent} [part=placeholder]`).boundingBox().then((box) => [Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)]);
  expect(await Promise.all(["#a", "#b", "#c", "#d"].map(size))).toEqual([[640, 360], [640, 320], [400, 300], [240, 60]]);
  // In the least of them the way to allow it is still in reach.
  await page.locator("#d [part=allow]").click();
  await expect(page.locator("#small")).toBeVisible();
  await expect(page.locator("[part=placeholder]")).toHaveCount(0);
});

test("video, audio, embedded objects and sources wait as frames do", async ({ page, shop, banner }) => {
  const asked = new Set<string>();
  await page.route("https://media.example/**", (route) => (asked.add(new URL(route.request().url()).pathname), route.abort()));
  const gate = `data-requires-vendor-consent="video"`;
  const of = (name: string) => `https://media.example/${name}`;
  const body = `<video id="film" ${gate} data-src="${of("film")}" data-poster="${of("poster")}" controls preload="auto"></video>
    <video id="sourced" ${gate} controls preload="auto"><source data-src="${of("source")}" type="video/mp4"></video>
    <audio id="song" ${gate} data-src="${of("song")}" controls preload="auto"></audio>
    <embed id="embed" type="text/html" ${gate} data-src="${of("embed")}"><object id="object" type="text/html" ${gate} data-data="${of("object")}"></object>
    <picture><source ${gate} data-srcset="${of("picture")}"><img alt=""></picture>`;
  await page.goto(shop.page({ body }));
  await banner.part("close").click();
  await expect(page.locator("[part=placeholder]")).toHaveCount(5);
  expect([...asked]).toEqual([]);
  await page.locator("[part=allow]").first().click();
  await expect.poll(() => [...asked].sort()).toEqual(["/embed", "/film", "/object", "/picture", "/poster", "/song", "/source"]);
  await expect(page.locator("#film")).toBeVisible();
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect(page.locator("[part=placeholder]")).toHaveCount(5);
  expect(await page.evaluate(() => [...document.querySelectorAll("[src*=media],[srcset*=media],[data*=media],[poster*=media]")].length)).toBe(0);
});

test("where cookies are refused the choice is kept elsewhere, and nothing before it", async ({ page, context, shop, banner }) => {
  await page.addInitScript(() => {
    Object.defineProperty(document, "cookie", { get: () => "", set: () => {} });
    Object.defineProperty(navigator, "cookieEnabled", { get: () => false });
  });
  const said = errors(page);
  await page.goto(shop.page());
  await expect(banner.dialog).toBeVisible();
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  for (let step = 0; step < 3; step++) await banner.part("next").click();
  await expect.poll(() => shop.stored.length).toBe(1);
  await expect.poll(() => page.evaluate(() => Boolean(localStorage.placet_cookies))).toBe(true);
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  expect(await sdk(page, "getChoices")).toMatchObject({ stats: true, ads: false });
  expect(said).toEqual([]);
  // Also when the site names its visitor.
  await sdk(page, "setToken", "visitor-4711");
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  expect(await sdk(page, "getChoices")).toMatchObject({ stats: true, ads: false });
  await sdk(page, "clear");
  await page.reload();
  await expect(banner.dialog).toBeVisible();
  expect(await context.cookies()).toEqual([]);
});

test("a browser from before constructed style sheets", async ({ page, shop, banner }) => {
  await page.addInitScript(() => {
    for (const one of [Document, ShadowRoot]) delete (one.prototype as any).adoptedStyleSheets;
    (window as any).CSSStyleSheet = class {
      constructor() {
        throw new TypeError("Illegal constructor");
      }
    };
  });
  const headers = { "Content-Security-Policy": "default-src 'none'; script-src 'nonce-page' 'unsafe-eval' {cdn} {api} 'self'; style-src 'nonce-page'; connect-src {api} {cdn}" };
  await page.goto(shop.page({ headers, settings: { nonce: "page" }, body: `<iframe title="Film" nonce="page" data-requires-vendor-consent="video" data-src="about:blank"></iframe>` }));
  const styled = (part: string) => page.locator(`#placet [part=${part}]`).evaluate((one) => getComputedStyle(one).position);
  await expect(banner.dialog).toBeVisible();
  expect(await styled("banner")).toBe("fixed");
  await banner.part("configure").click();
  await banner.part("back").click();
  await banner.part("refuse").click();
  expect(await styled("reopen")).toBe("fixed");
  await expect(page.locator("[part=placeholder]")).toHaveCSS("display", "grid");
});

test("frames of the same origin follow the page around them", async ({ page, shop, banner }) => {
  const inner = shop.page({ body: `<script type="text/plain" data-requires-vendor-consent="stats">window.ran=1</script>` }, "/inner");
  await page.goto(shop.page({ body: `<iframe title="One" src="${inner}"></iframe><iframe title="Two" src="${inner}"></iframe>` }));
  await expect(banner.dialog).toBeVisible();
  const frames = () => page.frames().slice(1);
  for (const frame of frames()) {
    await expect.poll(() => frame.evaluate(() => Boolean((window as any).placetSDK))).toBe(true);
    expect(await frame.evaluate(() => document.querySelector("#placet"))).toBeNull();
  }
  await banner.part("accept").click();
  for (const frame of frames()) await expect.poll(() => frame.evaluate(() => (window as any).ran)).toBe(1);
  await new Banner(page).saved();
  expect(shop.posts).toHaveLength(1);
  expect(await Promise.all(frames().map((frame) => frame.evaluate(() => document.querySelector("#placet"))))).toEqual([null, null]);
});

test("an answer in a frame of the same origin is sent while both pages stay", async ({ page, shop, banner }) => {
  const inner = shop.page({}, "/inner");
  await page.goto(shop.page({ body: `<iframe title="One" width="900" height="600" src="${inner}"></iframe>` }));
  await banner.part("refuse").click();
  await banner.saved();
  const frame = page.frames()[1];
  await frame?.evaluate(() => (window as any).placetSDK.openCookies());
  await page.frameLocator("iframe").locator("#placet [part=accept]").click();
  await expect.poll(() => shop.stored.map(({ body }) => body.accept)).toEqual([false, true]);
  await expect.poll(() => sdk(page, "getChoices")).toMatchObject({ stats: true });
});

test("the reopen button keeps off what the page has below", async ({ page, shop, banner }) => {
  await page.goto(shop.page({ head: "<style>:root{--placet-bottom:90px}</style>" }));
  await banner.part("accept").click();
  const box = await banner.part("reopen").boundingBox();
  expect(Math.round((page.viewportSize()?.height ?? 0) - (box?.y ?? 0) - (box?.height ?? 0))).toBe(90);
});

test("what stands at the lower edge keeps off the bar of a phone", async ({ page, context, shop, banner }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await (await context.newCDPSession(page)).send("Emulation.setSafeAreaInsetsOverride", { insets: { bottom: 34 } });
  const below = (name: string) => banner.part(name).evaluate((part) => Math.round(innerHeight - part.getBoundingClientRect().bottom));
  await page.goto(shop.page());
  await expect.poll(() => below("banner")).toBe(34);
  await banner.part("accept").click();
  expect(await below("reopen")).toBe(34);
  await page.goto(shop.page({ settings: { clientId: "bakery", cookiesVersion: "bar" } }));
  await expect(banner.dialog).toHaveCSS("padding-bottom", "34px");
});

test.describe("under a policy of nonces, without a nonce in the settings", () => {
  const open = async (page: Page, shop: Shop, banner: Banner, src: string, strangers = "", body = "") => {
    const gated = (name: string, nonce: string) =>
      `<script type="text/plain" ${nonce} data-requires-vendor-consent="stats" src="${shop.script(`/${name}.js`, `(window.ran||=[]).push("${name}")`)}"></script>`;
    const head = `<script nonce="n1" src="/settings.js"></script>${strangers}${gated("guessed", `nonce="n2"`)}${gated("without", "")}
      <script nonce="n1" async src="${src}"></script>`;
    const headers = { "Content-Security-Policy": "script-src 'nonce-n1' 'strict-dynamic' 'wasm-unsafe-eval'" };
    await page.goto(shop.page({ delivery: "none", head, headers, body: gated("ours", `nonce="n1"`) + body }));
    await banner.part("accept").click();
  };

  for (const delivery of ["bundle", "generic"] as const)
    test(`a gated script that a stranger has put in does not start: ${delivery}`, async ({ page, shop, banner }) => {
      shop.page({ delivery: "none" }, "/film");
      const frame = `<iframe title="Film" data-requires-vendor-consent="stats" data-src="/film"></iframe>`;
      await open(page, shop, banner, delivery === "bundle" ? `${shop.cdnUrl}/shop/shop-en.js` : `${shop.apiUrl}/sdk.js`, "", frame);
      await expect.poll(() => ran(page)).toEqual(["ours"]);
      // The policy speaks of scripts alone.
      await expect(page.frameLocator("iframe[title=Film]").getByRole("heading")).toHaveText("The shop");
      expect(await ran(page)).toEqual(["ours"]);
    });

  test("an image that stands for the running script brings no nonce", async ({ page, shop, banner }) => {
    await open(page, shop, banner, `${shop.cdnUrl}/shop/shop-en.js`, `<img name="currentScript" nonce="n2" alt="">`);
    await expect.poll(() => ran(page)).toEqual(["ours"]);
  });
});

test.describe("elements that authors of content have given names", () => {
  const hosts = { banner: "#placet", film: "[data-vendor=ads]", changed: "#placet-changed" };
  /** Presses a part as soon as it is there. Locators look with functions of the document, which are named as well. */
  const press = (page: Page, host: keyof typeof hosts, part: string) =>
    expect.poll(() => page.evaluate(([host, part]) => {
      const found = Document.prototype.querySelector.call(document, host)?.shadowRoot?.querySelector<HTMLElement>(part);
      found?.click();
      return Boolean(found);
    }, [hosts[host], part] as const)).toBe(true);
  const first = (page: Page, selector: string) =>
    page.evaluate((selector) => Document.prototype.querySelector.call(document, selector)?.outerHTML, selector);
  const cookies = async (page: Page) => (await page.context().cookies()).map(({ name }) => name);
  /** An image for everything that a document has. */
  const named = async (page: Page) => {
    const names = await page.evaluate(() => {
      const all: string[] = [];
      for (let one: object = Document.prototype; one !== Object.prototype; one = Object.getPrototypeOf(one)) all.push(...Object.getOwnPropertyNames(one));
      return all;
    });
    expect(names).toEqual(expect.arrayContaining(["currentScript", "createElement", "body", "cookie", "addEventListener", "parentNode"]));
    return names.map((name) => `<img name="${name}" alt="">`).join("");
  };

  for (const delivery of ["bundle", "generic", "bundle without WebAssembly"] as const) {
    test(`keep nothing of the widget from working: ${delivery}`, async ({ page, shop }) => {
      if (delivery.includes("without")) await page.addInitScript(() => delete (window as any).WebAssembly);
      const terms = "01980000-0000-7000-8000-000000000041";
      const settings = { clientId: "notices", cookiesVersion: "soft" };
      const src = delivery === "generic" ? `${shop.apiUrl}/sdk.js` : `${shop.cdnUrl}/notices/soft.js`;
      shop.script("/stats.js", "window.ran=1;Object.getOwnPropertyDescriptor(Document.prototype,'cookie').set.call(document,'_nw=1;path=/')");
      shop.page({ delivery: "none" }, "/film");
      const body = `${await named(page)}<script type="text/plain" data-requires-vendor-consent="stats" src="/stats.js"></script>
        <iframe id="film" title="Film" data-requires-vendor-consent="ads" data-src="/film"></iframe>
        <div id="terms" data-placet-contract="${terms}"></div><script src="/settings.js"></script><script src="${src}"></script>`;
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      await page.goto(`${shop.page({ delivery: "none", settings, body })}?placet-debug`);
      await press(page, "film", "[part=once]");
      expect(await first(page, "#film")).toContain('src="http');
      await press(page, "banner", "[part=accept]");
      await expect.poll(() => ran(page)).toBe(1);
      await expect.poll(() => shop.stored.map(({ body }) => body.accept)).toEqual([true]);
      expect(await cookies(page)).toEqual(expect.arrayContaining(["placet_cookies", "_nw"]));
      await press(page, "banner", "[part=reopen]");
      await press(page, "banner", "[part=refuse]");
      await press(page, "changed", "[part=dismiss]");
      expect(await cookies(page)).not.toContain("_nw");
      expect(await first(page, "#terms > [type=checkbox]")).toBeDefined();
      expect(await first(page, "#placet-debug")).toBeDefined();
      expect(errors).toEqual([]);
    });
  }

  test("keep no layer of TCF from opening", async ({ page, shop }) => {
    const body = `${await named(page)}<script src="/settings.js"></script><script src="${shop.cdnUrl}/news/news-few.js"></script>`;
    await page.goto(shop.page({ delivery: "none", settings: { clientId: "news", cookiesVersion: "news-few" }, body }));
    await press(page, "banner", "[part=configure]");
    await press(page, "banner", "[data-purpose='1']");
    await press(page, "banner", "[part=save]");
    await expect.poll(() => shop.stored.length).toBe(1);
    expect((await cookies(page)).join()).toContain("euconsent-v2-");
  });

  test("stand for no variable of the SDK, nor for an interface", async ({ page, shop }) => {
    const names = ["_placet", "__tcfapi", "__gpp", "__tcfapiLocator", "__gppLocator", "Turbo"];
    const forms = names.map((name) => `<form id="${name}"><input name="push"><input name="events"><input name="cache"></form>`);
    const body = `${forms.join("")}<form id="placetSDK"><input name="on"></form>
      <script>placetSettings={clientId:"news",cookiesVersion:"news-few"}</script><script src="${shop.cdnUrl}/news/news-few.js"></script>`;
    await page.goto(shop.page({ delivery: "none", body }));
    await press(page, "banner", "[part=refuse]");
    await expect.poll(() => shop.stored.length).toBe(1);
    const own = () => [typeof (window as any).__tcfapi, typeof (window as any).__gpp, document.querySelectorAll("iframe[name$=Locator]").length];
    expect(await page.evaluate(own)).toEqual(["function", "function", 2]);
  });

  test("and fields of forms keep no placeholder and no box from coming", async ({ page, shop }) => {
    const terms = "01980000-0000-7000-8000-000000000041";
    const body = `<form data-requires-vendor-consent="ads"><input name="matches"></form>
      <form data-placet-contract="${terms}"><input name="closest"></form>
      <form><input name="parentNode"><iframe title="Film" data-requires-vendor-consent="ads" data-src="/film"></iframe></form>
      <div id="terms" data-placet-contract="${terms}"></div>`;
    await page.goto(shop.page({ settings: { clientId: "notices", cookiesVersion: "soft" }, body }));
    await expect(page.locator("[data-vendor=ads] [part=placeholder]")).toBeVisible();
    await expect(page.locator("#terms > [type=checkbox]")).toHaveCount(1);
  });
});
