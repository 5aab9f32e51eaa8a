// Pages that a server has drawn and a framework takes over after `load`: nothing may be put into them before.
// Nuxt, SvelteKit and Astro have marks for a page that they have taken over. These tests set the same marks.

import { inBrowser, onServer, react18 } from "./support/react.ts";
import { expect, test } from "./support/shop.ts";

// A configuration of a project with boxes.
const settings = { clientId: "notices", cookiesVersion: "gpc" };
const BOX = "01980000-0000-7000-8000-000000000032";
const reacts: [string, Record<string, string>][] = [["19.3.1", {}], ["18.3.1", react18]];
const gated = `<section><iframe data-requires-vendor-consent="ads" data-src="/film"></iframe><div data-placet-processing="${BOX}"></div></section>`;
const covered = "section [data-vendor]";
const filled = "section input[type=checkbox]";

const shopProgram = `
    import { Suspense, startTransition } from "react";
    import { hydrateRoot } from "react-dom/client";
    let there;
    const code = new Promise((done) => (window.arrive = () => done((there = true))));
    function Film({ id, wait }) {
      // React 18 has no use(). A thrown promise suspends in both.
      if (wait && !there) throw code;
      return <section id={id}><iframe data-requires-vendor-consent="ads" data-src="/film"></iframe>
        <script type="text/plain" data-requires-vendor-consent="stats" src="/ran.js"></script>
        <img alt="" data-requires-vendor-consent="ads" data-src="/one.gif"/><div data-placet-processing="${BOX}"></div><button id={"b" + id}>b</button></section>;
    }
    export const Shop = () => <main><Film id="one" /><Suspense fallback={<p>wait</p>}><Film id="two" wait /></Suspense>
      <div dangerouslySetInnerHTML={{ __html: '${gated}' }} /></main>;
    const problem = (error) => errors.push(String(error));
    window.errors = [];
    window.begin = (root) => startTransition(() => { hydrateRoot(root, <Shop />, { onRecoverableError: problem }); });`;

for (const [version, alias] of reacts)
  test(`React ${version}: what waits is covered, and boxes are filled, when they have been taken over, part by part`, async ({ page, shop, banner }) => {
    shop.script("/ran.js", "window.ran = (window.ran || 0) + 1");
    const film = (id: string) =>
      `<section id="${id}"><iframe data-requires-vendor-consent="ads" data-src="/film"></iframe><script type="text/plain" data-requires-vendor-consent="stats" src="/ran.js"></script><img alt="" data-requires-vendor-consent="ads" data-src="/one.gif"/><div data-placet-processing="${BOX}"></div><button id="b${id}">b</button></section>`;
    // As `react-dom/server` writes it.
    const html = `<main>${film("one")}<!--$-->${film("two")}<!--/$--><div>${gated}</div></main>`;
    const url = shop.page({
      settings,
      head: "<script>window.__next_f = []</script>",
      body: `<script src="${shop.script("/program.js", await inBrowser(shopProgram, alias))}"></script><div id="root">${html}</div>`,
    });
    const begin = async () => {
      await page.waitForResponse(/boxes\.json$/);
      // More than the wait between two looks.
      await page.waitForTimeout(300);
      await page.evaluate(() => (window as any).begin(document.querySelector("#root")));
    };
    let begun = begin();
    await page.goto(url, { waitUntil: "load" });
    await expect(banner.dialog).toBeVisible();
    await begun;
    await expect(page.locator("#one [data-vendor]")).toHaveCount(1);
    // Markup of the site's own inside, too.
    await expect(page.locator("div > section > [data-vendor]")).toHaveCount(1);
    await expect(page.locator("#one input[type=checkbox]")).toHaveCount(1);
    await expect(page.locator("div > section > [data-placet-processing] > input[type=checkbox]")).toHaveCount(1);
    await expect(page.locator("#two [data-vendor], #two input")).toHaveCount(0);
    await page.evaluate(() => (window as any).arrive());
    await expect(page.locator("#two [data-vendor]")).toHaveCount(1);
    await expect(page.locator("#two input[type=checkbox]")).toHaveCount(1);
    await banner.part("accept").click();
    await expect.poll(() => page.evaluate(() => (window as any).ran)).toBe(2);
    await banner.saved();
    // A frame that is allowed from the start.
    const before = await page.evaluate(() => (window as any).errors);
    begun = begin();
    await page.goto(url, { waitUntil: "load" });
    await expect.poll(() => page.evaluate(() => (window as any).ran)).toBe(2);
    await begun;
    await page.evaluate(() => (window as any).arrive());
    await expect(page.locator("#two iframe")).toHaveAttribute("src", /film/);
    expect([before, await page.evaluate(() => (window as any).errors)]).toEqual([[], []]);
  });

for (const [name, body, done] of [
  ["Nuxt", `<div id="__nuxt">${gated}</div><script>window.__NUXT__ = {}; document.body.append(document.querySelector("#__nuxt")); document.querySelector("#__nuxt").__vue_app__ = { $nuxt: { isHydrating: true } }</script>`,
    `document.querySelector("#__nuxt").__vue_app__.$nuxt.isHydrating = false`],
  ["SvelteKit", `${gated}<script>window.__sveltekit_1abc = {}</script>`, `document.body.append(Object.assign(document.createElement("div"), { id: "svelte-announcer" }))`],
  ["Astro", `<astro-island ssr client="load">${gated}</astro-island>`, `document.querySelector("astro-island").removeAttribute("ssr")`],
] as const) {
  test(`${name}: what waits is covered, and a box is filled, when the page has been taken over`, async ({ page, shop, banner }) => {
    const boxes = page.waitForResponse(/boxes\.json$/);
    await page.goto(shop.page({ settings, body }), { waitUntil: "load" });
    await expect(banner.dialog).toBeVisible();
    await boxes;
    await page.waitForTimeout(500);
    await expect(page.locator(`${covered}, ${filled}`)).toHaveCount(0);
    await page.evaluate(done);
    await expect(page.locator(covered)).toHaveCount(1);
    await expect(page.locator(filled)).toHaveCount(1);
  });
}

for (const [version, alias] of reacts)
  test(`React ${version}: a whole document with the snippet in its head is taken over as the server has drawn it`, async ({ page, shop, banner }) => {
    const settingsOf = `window.placetSettings = ${JSON.stringify(settings)}; window.errors = []`;
    const whole = `
      const Whole = ({ src }) => <html lang="en"><head><title>Shop</title><script dangerouslySetInnerHTML={{ __html: ${JSON.stringify(`window.__next_f = []; ${settingsOf}`)} }} />
          <script async src={src} /></head>
        <body><main><h1>Shop</h1><form id="order"><div data-placet-processing="${BOX}" data-name="news" /><button id="send">Send</button></form></main></body></html>;`;
    const server = `${whole}
      import { renderToString } from "react-dom/server";
      console.log("<!doctype html>" + renderToString(<Whole src="${shop.cdnUrl}/notices/gpc.js" />));`;
    const program = `${whole}
      import { hydrateRoot } from "react-dom/client";
      window.begin = () => hydrateRoot(document, <Whole src="${shop.cdnUrl}/notices/gpc.js" />, { onRecoverableError: (error) => errors.push(String(error)) });`;
    const url = shop.page({ document: await onServer(server, alias) });
    const boxes = page.waitForResponse(/boxes\.json$/);
    await page.goto(url, { waitUntil: "load" });
    await expect(banner.dialog).toBeVisible();
    await boxes;
    // More than the wait between two looks.
    await page.waitForTimeout(300);
    await page.evaluate(() => ((window as any).kept = document.querySelector("#send")));
    await page.addScriptTag({ content: await inBrowser(program, alias) });
    await page.evaluate(() => (window as any).begin());
    await expect(page.locator("#order input[name=news]")).toHaveCount(1);
    await banner.part("accept").click();
    await expect(banner.part("reopen")).toBeVisible();
    expect(await page.evaluate(() => [(window as any).errors, (window as any).kept.isConnected])).toEqual([[], true]);
  });

test("a framework that never takes over keeps no placeholder and no box back", async ({ page, shop }) => {
  await page.goto(shop.page({ settings, body: `${gated}<script>window.__sveltekit_1abc = {}</script>` }));
  await expect(page.locator(covered)).toHaveCount(1, { timeout: 15_000 });
  await expect(page.locator(filled)).toHaveCount(1);
});
