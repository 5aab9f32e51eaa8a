// Gated scripts that React draws in the browser. React makes them by `innerHTML`, and browsers run none of those.

import type { Page } from "@playwright/test";
import { inBrowser, react18 } from "./support/react.ts";
import { expect, test } from "./support/shop.ts";

const log = (name: string) => `(window.ran=window.ran||[]).push(${JSON.stringify(name)});`;
const ran = (page: Page): Promise<string[]> => page.evaluate(() => (window as any).ran ?? []);
const gated = (text: string, more = "") => `<script type="text/plain" data-requires-vendor-consent="stats" ${more}>${text}</script>`;
const odd = /\/sdk\/odd\.[0-9a-f]+\.js$/;

/** A program that draws scripts into `#root`, and takes them away with `hide()`. */
const drawing = (scripts: string) => `
  import { useState } from "react";
  import { createRoot } from "react-dom/client";
  const wait = { type: "text/plain", "data-requires-vendor-consent": "stats" };
  const log = (name) => "(window.ran=window.ran||[]).push(" + JSON.stringify(name) + ");";
  function Shop() {
    const [shown, show] = useState(true);
    window.hide = () => show(false);
    return <section>{shown && <div id="drawn">${scripts}</div>}<p>{shown ? "shown" : "hidden"}</p></section>;
  }
  window.root = createRoot(document.querySelector("#root"));
  root.render(<Shop />);`;

for (const [version, alias] of [["19.3.1", {}], ["18.3.1", react18]] as const) {
  test(`React ${version}: they start in the order of the document, and React goes on with its own elements`, async ({ page, shop, banner }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    shop.script("/slow.js", `${log("slow")}window.beside = document.currentScript.parentNode.id`);
    // Sent only when the page has had its time to run what comes behind it.
    await page.route("**/slow.js", async (route) => {
      await page.evaluate(() => new Promise((done) => requestIdleCallback(() => done(null), { timeout: 1_000 })));
      await route.continue();
    });
    shop.script("/quick.js", log("quick"));
    shop.script("/soon.js", "window.soon = 1");
    const scripts = `
      <script {...wait}>{log("first") + 'let scripts = 9; window.text = [1<scripts, "</script><!-- <Script>", \`</SCRIPT>\`]'}</script>
      <script {...wait} src="/slow.js" id="slow" data-of="mine &quot;</script>&quot;" />
      <script {...wait}>{log("after slow")}</script>
      <script {...wait} src="/nowhere.js" />
      <script {...wait} src="/quick.js" />
      <script {...wait} noModule src="/old.js" />
      <script {...wait} async data-by="react" src="/soon.js" />
      <script {...wait} data-type="module">window.module = 1</script>
      <script {...wait}>{"document.write('<em id=written>An advert</em>');" + log("wrote")}</script>`;
    const program = shop.script("/program.js", await inBrowser(drawing(scripts), alias));
    await page.goto(shop.page({ body: `<div id="root"></div><script src="${program}"></script>${gated(log("last"))}` }));
    await expect(page.locator("#drawn")).toHaveCount(1);
    await page.evaluate(() => document.querySelector("#slow")?.addEventListener("load", () => ((window as any).told = "load")));
    expect(await ran(page)).toEqual([]);
    await banner.part("accept").click();
    await expect.poll(() => ran(page)).toEqual(["first", "slow", "after slow", "quick", "wrote", "last"]);
    await expect.poll(() => page.evaluate(() => ["text", "beside", "told", "soon", "module"].map((name) => (window as any)[name]))).toEqual([
      [true, "</script><!-- <Script>", "</SCRIPT>"], "drawn", "load", 1, 1,
    ]);
    await expect(page.locator("#drawn > #written")).toBeVisible();
    // A copy of the page would run nothing, and has each script waiting once.
    const scriptsOf = (more: string) => page.locator(`#drawn script${more}`).count();
    const drawn = version === "19.3.1" ? 8 : 9;
    expect([await scriptsOf("[type='text/plain']"), await scriptsOf("[data-requires-vendor-consent]"), await scriptsOf("")]).toEqual([2 * drawn, drawn, 2 * drawn]);
    await page.evaluate(() => (window as any).hide());
    await expect(page.getByText("hidden")).toBeVisible();
    await expect(page.locator("#drawn")).toHaveCount(0);
    expect(errors.filter((text) => !text.includes("404"))).toEqual([]);
    // With the choice from the start they run once.
    await banner.saved();
    await page.reload();
    // The page's own script need not wait for what React has not drawn yet.
    const others = async (): Promise<string[]> => (await ran(page)).filter((name) => name !== "last");
    await expect.poll(others).toEqual(["first", "slow", "after slow", "quick", "wrote"]);
    expect((await ran(page)).filter((name) => name === "last")).toHaveLength(1);
  });
}

test("markup that a stranger has put into the page by innerHTML never runs, nor in what React draws", async ({ page, shop, banner }) => {
  const evil = gated(log("evil"));
  const scripts = `<script {...wait}>{log("React's")}</script><p dangerouslySetInnerHTML={{ __html: ${JSON.stringify(evil)} }} />`;
  const program = shop.script("/program.js", await inBrowser(drawing(scripts)));
  await page.goto(shop.page({ body: `<div id="root"></div><script src="${program}"></script><div id="chat"></div>${gated(log("marked"), "id=marked")}${gated(log("last"))}` }));
  await page.evaluate((evil) => {
    const chat = document.querySelector("#chat") as HTMLElement;
    chat.innerHTML = evil + evil;
    // Programs give elements members of their own.
    Object.assign(chat.lastChild as object, { __vnode: {} });
    Object.assign(document.querySelector("#marked") as object, { mine: 1 });
  }, evil);
  await banner.part("accept").click();
  await expect.poll(() => ran(page)).toEqual(["React's", "marked", "last"]);
  expect(await page.locator("p script, #chat script").count()).toBe(3);
});

test("a choice that is taken back while a script of React's waits for its part: it does not run until it is allowed again", async ({ page, shop, banner }) => {
  const program = shop.script("/program.js", await inBrowser(drawing(`<script {...wait}>{log("React's")}</script>`)));
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route(odd, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(shop.page({ body: `<div id="root"></div><script src="${program}"></script>${gated(log("last"))}` }));
  const asked = page.waitForRequest(odd);
  await banner.part("accept").click();
  await asked;
  // A script behind it waits for it.
  expect(await ran(page)).toEqual([]);
  await banner.part("reopen").click();
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.length).toBe(2);
  const arrived = page.waitForEvent("requestfinished", (request) => odd.test(request.url()));
  release();
  await arrived;
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 1_000 })));
  expect(await ran(page)).toEqual([]);
  await banner.part("reopen").click();
  await banner.part("accept").click();
  await expect.poll(() => ran(page)).toEqual(["React's", "last"]);
});

test("without its part a script of React's does not run, and keeps nobody back", async ({ page, shop, banner }) => {
  const program = shop.script("/program.js", await inBrowser(drawing(`<script {...wait}>{log("React's")}</script><script {...wait} src="/other.js" />`)));
  await page.route(odd, (route) => route.abort());
  await page.goto(shop.page({ body: `<div id="root"></div><script src="${program}"></script>${gated(log("last"))}` }));
  await banner.part("accept").click();
  await expect.poll(() => ran(page)).toEqual(["last"]);
});

test("a strict policy of nonces with Trusted Types: React's scripts with the page's nonce run, and no other", async ({ page, shop, banner }) => {
  shop.script("/file.js", log("file"));
  // As React makes them, where the page gives it a policy.
  const nonce = `nonce="n1"`;
  const drawn = `${gated(log("inline"), nonce)}${gated("", `${nonce} src="/file.js"`)}${gated(log("guessed"), `nonce="n2"`)}${gated(log("none"))}`;
  shop.script("/draw.js", `
    const root = document.querySelector("#root");
    root.innerHTML = trustedTypes.createPolicy("page", { createHTML: (text) => text }).createHTML(${JSON.stringify(drawn)});
    for (const script of root.children) script.__reactFiber$1abc = {};`);
  const body = `<div id="root"></div><script nonce="n1" src="/draw.js"></script>${gated(log("last"), nonce)}`;
  const headers = { "Content-Security-Policy": "default-src 'none'; script-src 'nonce-n1' 'wasm-unsafe-eval'; style-src 'none'; connect-src {api} {cdn}; require-trusted-types-for 'script'; trusted-types placet page" };
  const head = `<script nonce="n1" src="/settings.js"></script><script nonce="n1" async src="${shop.cdnUrl}/shop/shop-en.js"></script>`;
  const violations: string[] = [];
  await page.exposeFunction("violated", (text: string) => /favicon/.test(text) || violations.push(text));
  await page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (event) => (window as any).violated(`${event.violatedDirective} ${event.blockedURI}`)),
  );
  await page.goto(shop.page({ delivery: "none", settings: { nonce: "n1" }, head, body, headers }));
  await banner.part("accept").click();
  await expect.poll(() => ran(page)).toEqual(["inline", "file", "last"]);
  expect(violations).toEqual([]);
});
