// The package `@placet/sdk` as npm delivers it: its files, its types, and its wrappers with the real React
// and Vue.

import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { publint } from "publint";
import { install, source, type Packed } from "./support/packed.ts";
import { expect, test as base } from "./support/shop.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const tests = fileURLToPath(new URL("../", import.meta.url));

interface Installed extends Packed {
  /** A folder with the package in its `node_modules`, and access to those of the tests. */
  readonly folder: string;
}

const test = base.extend<{}, { packed: Installed }>({
  packed: [
    async ({}, use) => {
      await mkdir(join(tests, "out"), { recursive: true });
      const folder = await mkdtemp(join(tests, "out/npm-"));
      await use({ folder, ...install(folder) });
      await rm(folder, { recursive: true });
    },
    { scope: "worker" },
  ],
});

/** Bundles a program that uses the package for browsers, with other versions of its peers. */
async function bundled(folder: string, program: string, alias: Record<string, string> = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: folder, loader: "jsx" },
    jsx: "automatic",
    bundle: true,
    write: false,
    format: "iife",
    define: { "process.env.NODE_ENV": '"production"', __VUE_OPTIONS_API__: "true", __VUE_PROD_DEVTOOLS__: "false", __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false" },
    // With the compiler for string templates.
    alias: { vue: "vue/dist/vue.esm-bundler.js", ...alias },
  });
  return outputFiles[0]?.text ?? "";
}

test("what is in it", async ({ packed }) => {
  expect(packed.files).toEqual(["LICENSE", "README.md", "frame.js", "index.d.ts", "index.js", "package.json", "react.d.ts", "react.js", "vue.d.ts", "vue.js"]);
  expect(packed.size).toBeLessThan(13_000);
  const { messages } = await publint({ pkgDir: join(packed.folder, "node_modules/@placet/sdk"), strict: true });
  expect(messages).toEqual([]);
  // React's server rendering requires this directive.
  expect(await readFile(join(packed.folder, "node_modules/@placet/sdk/react.js"), "utf8")).toMatch(/^"use client";/);
  // It has the version of Placet.
  const version = /^version = "(.+)"$/m.exec(await readFile(join(source, "../../Cargo.toml"), "utf8"))?.[1];
  expect(JSON.parse(await readFile(join(source, "package.json"), "utf8")).version).toBe(version);
});

for (const [module, moduleResolution] of [["nodenext", "nodenext"], ["esnext", "bundler"]] as const) {
  test(`types, found by ${moduleResolution}`, async ({ packed }) => {
    const folder = join(packed.folder, `types-${moduleResolution}`);
    await mkdir(folder);
    await cp(join(here, "npm/types.tsx"), join(folder, "types.tsx"));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    const compilerOptions = { module, moduleResolution, target: "es2022", lib: ["es2022", "dom"], types: [], jsx: "react-jsx", strict: true, noEmit: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.tsx"] }));
    const said = (() => {
      try {
        return execFileSync(join(tests, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
      } catch (error) {
        return String((error as { stdout: unknown }).stdout);
      }
    })();
    expect(said.split("\n").filter((line) => !line.includes("node_modules/@vue") && line.includes("error"))).toEqual([]);
  });
}

test("on a server nothing happens", async ({ packed }) => {
  await writeFile(join(packed.folder, "server.mjs"), `
    import { load, on, push, subscribe, currentChoices } from "@placet/sdk";
    import { createElement as h } from "react";
    import { renderToString } from "react-dom/server";
    import { Consent, Placet } from "@placet/sdk/react";
    import { createSSRApp } from "vue";
    import { renderToString as renderVue } from "vue/server-renderer";
    import { Consent as VueConsent, placet } from "@placet/sdk/vue";
    load({ url: "https://consent.example" }).then(() => process.exit(1));
    push(() => process.exit(1));
    on("ready", () => process.exit(1))();
    let watcher = () => {};
    const kept = new WeakRef(watcher);
    subscribe(watcher);
    watcher = undefined;
    const options = { url: "https://consent.example", clientId: "p1" };
    const app = createSSRApp({ components: { VueConsent }, template: '<VueConsent vendor="a">yes<template #fallback>no</template></VueConsent>' });
    const html = renderToString(h("div", null, h(Placet, options), h(Consent, { vendor: "a", fallback: "no" }, "yes")));
    console.log(html, await renderVue(app.use(placet, options)), JSON.stringify(currentChoices()));
    // A server could not bear a leak at each request.
    setTimeout(() => (gc(), console.log(String(kept.deref() === undefined))));`);
  expect(execFileSync("node", ["--expose-gc", "server.mjs"], { cwd: packed.folder, encoding: "utf8" }).replaceAll(/<!--.*?-->/g, "").trim()).toBe("<div>no</div> no {}\ntrue");
});

test("a server reads the choice in its cookies", async ({ page, packed, shop, banner, context }) => {
  // The cookies that the SDK itself has set, with a setting that renames one.
  await page.goto(shop.page({ settings: { jsonCookieName: "mine" } }));
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  for (let step = 0; step < 3; step++) await banner.part("next").click();
  await banner.saved();
  const header = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  await writeFile(join(packed.folder, "cookies.mjs"), `
    import { readChoices } from "@placet/sdk";
    const header = ${JSON.stringify(header)};
    const mine = { jsonCookieName: "mine" };
    const lists = header.replace(/mine=[^;]*/, (all) => {
      const stored = JSON.parse(decodeURIComponent(all.slice(5)));
      return "mine=" + encodeURIComponent(JSON.stringify(Object.fromEntries(Object.entries(stored).filter(([key]) => key.startsWith("$$")))));
    });
    const later = Date.now() + 400 * 86400000;
    const wrong = ["", null, undefined, "mine", "mine=%", "mine=[]", "mine=null", "mine=%7B%22%24%24completed%22%3Atrue%7D"];
    // Left over from before the site named a domain.
    const older = "mine=%7B%7D; placet_authorized_vendors=%2Cads%2C; ";
    console.log(JSON.stringify([header, lists, "a=b; " + header, older + lists].map((text) => readChoices(text, mine))));
    console.log(JSON.stringify([readChoices(header), readChoices(header, mine, later), ...wrong.map((text) => readChoices(text, mine))].map(String)));`);
  const said = execFileSync("node", ["cookies.mjs"], { cwd: packed.folder, encoding: "utf8" }).trim().split("\n");
  const choice = await page.evaluate(() => (window as any).placetSDK.getChoices());
  expect(choice).toMatchObject({ stats: true, ads: false });
  expect(JSON.parse(said[0] ?? "")).toEqual([choice, choice, choice, choice]);
  expect(new Set(JSON.parse(said[1] ?? ""))).toEqual(new Set(["undefined"]));
});

test("load, the queue and events, in a page", async ({ page, packed, shop, banner }) => {
  const program = await bundled(packed.folder, `
    import { load, on, push, currentChoices, subscribe } from "@placet/sdk";
    const heard = (window.heard = []);
    const end = on("open", () => heard.push("too late"));
    end();
    on("cookies:complete", (choices, event) => heard.push([event, choices.stats]));
    push((sdk) => heard.push(["push", typeof sdk.openCookies]));
    const twice = (choices, event) => heard.push(["once", event]);
    const once = on("cookies:complete", twice);
    on("cookies:complete", twice);
    push(once);
    const options = { url: "${shop.apiUrl}/", clientId: "shop", cookiesVersion: "shop-en", token: "visitor-4711" };
    Promise.all([load(options), load(options)]).then(([one, other]) => heard.push(["loaded", one === other && one === window.placetSDK]));
    window.choices = currentChoices;
    window.subscribe = subscribe;`);
  await page.goto(shop.page({ delivery: "none", body: `<script src="${shop.script("/program.js", program)}"></script>` }));
  await banner.part("accept").click();
  await expect.poll(() => page.evaluate(() => (window as any).heard)).toEqual([["push", "function"], ["loaded", true], ["cookies:complete", true], ["once", "cookies:complete"]]);
  await expect.poll(() => shop.stored[0]?.body.token).toBe("visitor-4711");
  expect(await page.evaluate(() => document.querySelectorAll("script[src*='sdk.js']").length)).toBe(1);
  // The choices are there for those who never subscribe, and are told to those who subscribe late.
  expect(await page.evaluate(() => (window as any).choices().stats)).toBe(true);
  const told = page.evaluate(() => new Promise((resolve) => {
    const end = (window as any).subscribe(() => (end(), resolve((window as any).choices().stats)));
  }));
  expect(await told).toBe(true);
  const silent = page.evaluate(() => new Promise((resolve) => {
    (window as any).subscribe(() => resolve("called"), { replay: false });
    setTimeout(() => resolve("silent"));
  }));
  expect(await silent).toBe("silent");
});

test("a server that is away rejects, and the next call tries again; a bundle by its address", async ({ page, packed, shop, banner }) => {
  const program = await bundled(packed.folder, `
    import { load } from "@placet/sdk";
    window.load = () => load({ src: "${shop.cdnUrl}/shop/shop-en.js", integrity: window.integrity }).then(() => "loaded", (error) => error.message);`);
  shop.missing.add("/shop/shop-en.js");
  await page.goto(shop.page({ delivery: "none", body: `<script src="${shop.script("/program.js", program)}"></script>` }));
  expect(await page.evaluate(() => (window as any).load())).toBe(`Placet: ${shop.cdnUrl}/shop/shop-en.js could not be loaded. Nothing is allowed.`);
  shop.missing.clear();
  expect(await page.evaluate(() => (window as any).load())).toBe("loaded");
  await expect(banner.dialog).toBeVisible();
});

test("a strict policy with a nonce and Trusted Types", async ({ page, packed, shop, banner }) => {
  const program = await bundled(packed.folder, `
    import { load } from "@placet/sdk";
    load({ url: "${shop.apiUrl}", clientId: "shop", cookiesVersion: "shop-en", nonce: "n1" });`);
  const policy = "default-src 'none'; script-src 'nonce-n1' 'wasm-unsafe-eval'; connect-src {api} {cdn}; require-trusted-types-for 'script'; trusted-types placet placet-npm";
  await page.goto(shop.page({ delivery: "none", headers: { "Content-Security-Policy": policy }, body: `<script nonce="n1" src="${shop.script("/program.js", program)}"></script>` }));
  await expect(banner.part("accept")).toBeVisible();
});

const react = (api: string) => `
  import { StrictMode, useState } from "react";
  import { createRoot } from "react-dom/client";
  import { Consent, ConsentBox, ConsentFrame, Placet, openCookies, useAnswered, useChoices, useConsent } from "@placet/sdk/react";
  function Shop() {
    const [count, setCount] = useState(0);
    const video = useConsent("ads");
    const [terms, setTerms] = useState("41");
    return <form id="order">
      <Placet url="${api}" clientId="notices" cookiesVersion="order" token="visitor-4711" />
      <button type="button" id="count" onClick={() => setCount(count + 1)}>{count}</button>
      <Consent vendor="stats" fallback={<p id="stats">without</p>}><p id="stats">with</p></Consent>
      {video ? <p id="ads">with</p> : <button type="button" id="ask" onClick={() => openCookies("ads")}>ask</button>}
      <output>{Object.keys(useChoices()).join()}</output>
      <p id="answered">{String(useAnswered())}</p>
      <ConsentFrame vendor="stats" src={"/film-" + count} title="Film" width={320} height="180" placeholder="/film.svg" allowFullScreen id="film" />
      <ConsentBox id="01980000-0000-7000-8000-000000000032" name="team" required />
      <button type="button" id="turn" onClick={() => setTerms("32")}>turn</button>
      <div id="turned"><ConsentBox id={"01980000-0000-7000-8000-0000000000" + terms} name="turned" required={terms === "32"} /></div>
    </form>;
  }
  const root = document.body.appendChild(document.createElement("div"));
  createRoot(root).render(<StrictMode><Shop /></StrictMode>);`;

const vue = (api: string) => `
  import { createApp, ref } from "vue";
  import { Consent, ConsentBox, ConsentFrame, openCookies, placet, useAnswered, useChoices, useConsent } from "@placet/sdk/vue";
  const Shop = {
    components: { Consent, ConsentBox, ConsentFrame },
    setup: () => ({ count: ref(0), terms: ref("41"), answered: useAnswered(), video: useConsent("ads"), choices: useChoices(), openCookies }),
    template: \`<form id="order">
      <button type="button" id="count" @click="count++">{{ count }}</button>
      <Consent vendor="stats"><p id="stats">with</p><template #fallback><p id="stats">without</p></template></Consent>
      <p v-if="video" id="ads">with</p><button v-else type="button" id="ask" @click="openCookies('ads')">ask</button>
      <output>{{ Object.keys(choices).join() }}</output>
      <p id="answered">{{ String(answered) }}</p>
      <ConsentFrame vendor="stats" :src="'/film-' + count" title="Film" :width="320" height="180" placeholder="/film.svg" allowfullscreen id="film" />
      <ConsentBox id="01980000-0000-7000-8000-000000000032" name="team" required />
      <button type="button" id="turn" @click="terms = '32'">turn</button>
      <div id="turned"><ConsentBox :id="'01980000-0000-7000-8000-0000000000' + terms" name="turned" :required="terms === '32'" /></div>
    </form>\`,
  };
  const root = document.body.appendChild(document.createElement("div"));
  createApp(Shop).use(placet, { url: "${api}", clientId: "notices", cookiesVersion: "order", token: "visitor-4711" }).mount(root);`;

// The newest versions, and the oldest that the package's `peerDependencies` allow.
const frameworks = [
  ["React", "19.3.1", react, {}],
  ["React", "18.3.1", react, { react: "react-18", "react-dom": "react-dom-18" }],
  ["Vue", "3.5.45", vue, {}],
  ["Vue", "3.3.13", vue, { vue: "vue-3.3/dist/vue.esm-bundler.js" }],
] as const;

for (const [name, version, of, alias] of frameworks) {
  test(`${name} ${version}: what is shown follows the choice, and a box stays through renders`, async ({ page, packed, shop, banner }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    const program = await bundled(packed.folder, of(shop.apiUrl), alias);
    expect(program).toContain(`"${version}"`);
    await page.goto(shop.page({ delivery: "none", body: `<script type="module" src="${shop.script("/program.js", program)}"></script>` }));
    await expect(page.locator("#answered")).toHaveText("false");
    const film = page.locator("#film");
    await expect(film.getByRole("button").first()).toBeVisible();
    await expect(film.locator("iframe")).toHaveAttribute("data-placeholder", "/film.svg");
    await banner.part("close").click();
    await expect(page.locator("#stats")).toHaveText("without");
    await expect(page.locator("output")).toHaveText("stats,ads");
    await page.locator("#ask").click();
    await expect(banner.toggle("ads")).toBeVisible();
    await banner.toggle("ads").click();
    await banner.part("next").click();
    await banner.part("next").click();
    await expect(page.locator("#ads")).toHaveText("with");
    await expect(page.locator("#stats")).toHaveText("without");
    await expect(page.locator("output")).toHaveText("stats,ads");
    const box = page.getByRole("checkbox", { name: "J’accepte que mon message soit lu par toute l’équipe" }).first();
    await box.check();
    await expect(box).toHaveAttribute("required");
    await page.locator("#count").click();
    await expect(page.locator("#count")).toHaveText("1");
    await expect(box).toBeChecked();
    // Another id is another box: its text, its answer, and whether it is required.
    const turned = page.locator("#turned");
    await expect(turned.getByRole("checkbox", { name: "Terms of sale" })).not.toBeChecked();
    await expect(turned.getByRole("checkbox")).not.toHaveAttribute("required");
    await page.locator("#turn").click();
    await expect(turned.getByRole("checkbox", { name: "J’accepte" })).toBeChecked();
    await expect(turned.getByRole("checkbox")).toHaveAttribute("required");
    await banner.part("reopen").click();
    await banner.part("next").click();
    await banner.part("accept").click();
    await expect(page.locator("#stats")).toHaveText("with");
    await expect(page.locator("#answered")).toHaveText("true");
    const frame = film.locator("iframe");
    await expect(frame).toHaveAttribute("src", /film-1$/);
    await expect(frame).toHaveAttribute("height", "180");
    await expect(frame).toHaveAttribute("allowfullscreen", "");
    await expect(frame).toBeVisible();
    // Another address is another frame.
    await page.locator("#count").click();
    await expect(frame).toHaveAttribute("src", /film-2$/);
    await page.reload();
    await expect(page.locator("#stats")).toHaveText("with");
    await expect(page.locator("#answered")).toHaveText("true");
    await page.evaluate(() => (window as any).placetSDK.clear());
    await expect(page.locator("#stats")).toHaveText("without");
    await expect(page.locator("#answered")).toHaveText("false");
    await expect(film.getByRole("button").first()).toBeVisible();
    expect(errors.filter((text) => !text.includes("404"))).toEqual([]);
  });
}

for (const [name, version, program] of [
  ["React", "19.3.1", (options: string) => `
    import { createRoot } from "react-dom/client";
    import { ConsentFrame, Placet } from "@placet/sdk/react";
    const root = document.body.appendChild(document.createElement("div"));
    createRoot(root).render(<><ConsentFrame vendor="video" src="/film" title="Film" /><Placet {...${options}} /></>);`],
  ["Vue", "3.5.45", (options: string) => `
    import { createApp, h, onMounted } from "vue";
    import { load } from "@placet/sdk";
    import { ConsentFrame } from "@placet/sdk/vue";
    const root = document.body.appendChild(document.createElement("div"));
    const setup = () => (onMounted(() => setTimeout(() => load(${options}))), () => h(ConsentFrame, { vendor: "video", src: "/film", title: "Film" }));
    createApp({ setup }).mount(root);`],
] as const) {
  test(`${name} ${version}: a frame that is drawn before the widget has come takes the nonce of its settings`, async ({ page, packed, shop, banner }) => {
    const said: string[] = [];
    page.on("console", (message) => message.text().startsWith("Placet") && said.push(message.text()));
    const source = await bundled(packed.folder, program(JSON.stringify({ url: shop.apiUrl, clientId: "shop", cookiesVersion: "shop-en", nonce: "n1" })));
    shop.page({ delivery: "none" }, "/film");
    const policy = "default-src 'none'; script-src 'nonce-n1' 'wasm-unsafe-eval'; connect-src {api} {cdn}; frame-src 'self'";
    await page.goto(shop.page({ delivery: "none", headers: { "Content-Security-Policy": policy }, body: `<script nonce="n1" src="${shop.script("/program.js", source)}"></script>` }));
    await banner.part("accept").click();
    await expect(page.locator("iframe")).toHaveAttribute("src", /\/film$/);
    await expect(page.locator("iframe")).toBeVisible();
    expect(said).toEqual([]);
  });
}

for (const [name, version, program] of [
  ["React", "19.3.1", `
    import { createRoot } from "react-dom/client";
    import { Consent } from "@placet/sdk/react";
    window.begin = (root) => createRoot(root).render(<Consent vendor="stats" fallback={<p id="stats">without</p>}><p id="stats">with</p></Consent>);`],
  ["Vue", "3.5.45", `
    import { createApp } from "vue";
    import { Consent } from "@placet/sdk/vue";
    window.begin = (root) => createApp({ components: { Consent }, template: '<Consent vendor="stats"><p id="stats">with</p><template #fallback><p id="stats">without</p></template></Consent>' }).mount(root);`],
] as const) {
  test(`${name} ${version}: what was chosen on an earlier page is known where the SDK was there first`, async ({ page, packed, shop, banner }) => {
    const source = await bundled(packed.folder, program);
    await page.goto(shop.page({ body: `<script src="${shop.script("/program.js", source)}"></script><div id="root"></div>` }));
    await banner.part("accept").click();
    await banner.saved();
    await page.reload();
    await expect(banner.part("reopen")).toBeVisible();
    await page.evaluate(() => (window as any).begin(document.querySelector("#root")));
    await expect(page.locator("#stats")).toHaveText("with");
  });
}

test("Vue 3.5.45: a page from a server is taken over as it was rendered, and follows then", async ({ page, packed, shop, banner }) => {
  const errors: string[] = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  const app = `
    import { createSSRApp } from "vue";
    import { Consent } from "@placet/sdk/vue";
    const consent = '<Consent vendor="stats"><p class="stats">with</p><template #fallback><p class="stats">without</p></template></Consent>';
    const make = () => createSSRApp({ components: { Consent }, template: '<div>' + consent + consent + '</div>' });`;
  const source = await bundled(packed.folder, `${app} window.begin = (root) => make().mount(root);`);
  await writeFile(join(packed.folder, "rendered.mjs"), `${app} import { renderToString } from "vue/server-renderer"; console.log(await renderToString(make()));`);
  const html = execFileSync("node", ["rendered.mjs"], { cwd: packed.folder, encoding: "utf8" }).trim();
  await page.goto(shop.page({ body: `<script src="${shop.script("/program.js", source)}"></script><div id="root">${html}</div>` }));
  await banner.part("accept").click();
  await banner.saved();
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await expect(page.locator(".stats")).toHaveText(["without", "without"]);
  await page.evaluate(() => (window as any).begin(document.querySelector("#root")));
  await expect(page.locator(".stats")).toHaveText(["with", "with"]);
  expect(errors.filter((text) => /hydrat/i.test(text))).toEqual([]);
});
