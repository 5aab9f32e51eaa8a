// Pages that a server has drawn and a framework takes over after `load`: nothing may be put into them before.
// Nuxt, SvelteKit and Astro have marks for a page that they have taken over. These tests set the same marks.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { expect, test } from "./support/shop.ts";

const tests = fileURLToPath(new URL("../", import.meta.url));
const gated = `<section><iframe data-requires-vendor-consent="ads" data-src="/film"></iframe></section>`;
const covered = "section [data-vendor]";

async function react(): Promise<string> {
  const program = `
    import { Suspense, use, startTransition } from "react";
    import { hydrateRoot } from "react-dom/client";
    const code = new Promise((done) => (window.arrive = done));
    function Film({ id, wait }) {
      if (wait) use(code);
      return <section id={id}><iframe data-requires-vendor-consent="ads" data-src="/film"></iframe>
        <script type="text/plain" data-requires-vendor-consent="stats" src="/ran.js"></script>
        <img alt="" data-requires-vendor-consent="ads" data-src="/one.gif"/><button id={"b" + id}>b</button></section>;
    }
    export const Shop = () => <main><Film id="one" /><Suspense fallback={<p>wait</p>}><Film id="two" wait /></Suspense>
      <div dangerouslySetInnerHTML={{ __html: '${gated}' }} /></main>;
    const problem = (error) => errors.push(String(error));
    window.errors = [];
    window.begin = (root) => startTransition(() => { hydrateRoot(root, <Shop />, { onRecoverableError: problem }); });`;
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: tests, loader: "jsx" },
    jsx: "automatic",
    bundle: true,
    write: false,
    format: "iife",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles[0]?.text ?? "";
}

test("React 19.3.1: what waits is covered when it has been taken over, part by part", async ({ page, shop, banner }) => {
  shop.script("/ran.js", "window.ran = (window.ran || 0) + 1");
  const film = (id: string) =>
    `<section id="${id}"><iframe data-requires-vendor-consent="ads" data-src="/film"></iframe><script type="text/plain" data-requires-vendor-consent="stats" src="/ran.js"></script><img alt="" data-requires-vendor-consent="ads" data-src="/one.gif"/><button id="b${id}">b</button></section>`;
  // As `react-dom/server` writes it.
  const html = `<main>${film("one")}<!--$-->${film("two")}<!--/$--><div>${gated}</div></main>`;
  const url = shop.page({
    head: "<script>window.__next_f = []</script>",
    body: `<script src="${shop.script("/program.js", await react())}"></script><div id="root">${html}</div>`,
  });
  const begin = async () => {
    // More than the wait between two looks.
    await page.waitForTimeout(300);
    await page.evaluate(() => (window as any).begin(document.querySelector("#root")));
  };
  await page.goto(url, { waitUntil: "load" });
  await expect(banner.dialog).toBeVisible();
  await begin();
  await expect(page.locator("#one [data-vendor]")).toHaveCount(1);
  // Markup of the site's own inside, too.
  await expect(page.locator("div > section > [data-vendor]")).toHaveCount(1);
  await expect(page.locator("#two [data-vendor]")).toHaveCount(0);
  await page.evaluate(() => (window as any).arrive());
  await expect(page.locator("#two [data-vendor]")).toHaveCount(1);
  await banner.part("accept").click();
  await expect.poll(() => page.evaluate(() => (window as any).ran)).toBe(2);
  await banner.saved();
  // A frame that is allowed from the start.
  const before = await page.evaluate(() => (window as any).errors);
  await page.goto(url, { waitUntil: "load" });
  await expect.poll(() => page.evaluate(() => (window as any).ran)).toBe(2);
  await begin();
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
  test(`${name}: what waits is covered when the page has been taken over`, async ({ page, shop, banner }) => {
    await page.goto(shop.page({ body }), { waitUntil: "load" });
    await expect(banner.dialog).toBeVisible();
    await page.waitForTimeout(500);
    await expect(page.locator(covered)).toHaveCount(0);
    await page.evaluate(done);
    await expect(page.locator(covered)).toHaveCount(1);
  });
}

test("a framework that never takes over keeps no placeholder back", async ({ page, shop }) => {
  await page.goto(shop.page({ body: `${gated}<script>window.__sveltekit_1abc = {}</script>` }));
  await expect(page.locator(covered)).toHaveCount(1, { timeout: 15_000 });
});
