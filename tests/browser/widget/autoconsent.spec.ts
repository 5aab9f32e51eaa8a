// Autoconsent refuses for its users in browsers and extensions. With our rule among all of its own it finds
// the widget and refuses, whatever the widget's language. Its heuristics understand the words of a banner by TCF.

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Page } from "@playwright/test";
import { build } from "esbuild";
import { all } from "../support/all.ts";
import { read } from "./support/iab.ts";
import { expect, test as base } from "./support/shop.ts";

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const languages = readdirSync(at("service/src/render/strings")).filter((name) => name.endsWith(".json")).map((name) => name.replace(".json", ""));

interface Message { type: string; cmp?: string; result?: boolean }

const test = base.extend<{}, { tool: string }>({
  tool: [
    async ({}, use) => {
      const { outputFiles } = await build({
        stdin: {
          contents: `
            import AutoConsent from "@duckduckgo/autoconsent";
            import { autoconsent } from "@duckduckgo/autoconsent/rules/rules.json";
            import placet from "${at("deploy/autoconsent/placet.json")}";
            const said = (window.said = []);
            const heuristicMode = window.isWithoutRule ? "tier2" : "off";
            const config = { enabled: true, autoAction: "optOut", isMainWorld: true, enablePrehide: true, detectRetries: window.isWithoutRule ? 4 : 20, heuristicMode };
            const rules = window.isWithoutRule ? autoconsent : [...autoconsent, placet];
            const tool = new AutoConsent(async (message) => {
              said.push(message);
              await null;
              if (message.type === "init") tool.receiveMessageCallback({ type: "initResp", config, rules: { autoconsent: rules } });
              if (message.type === "eval") tool.receiveMessageCallback({ type: "evalResp", id: message.id, result: Boolean(eval(message.code)) });
            });`,
          resolveDir: at("tests/browser"),
        },
        bundle: true,
        write: false,
        format: "iife",
        logLevel: "error",
      });
      await use(outputFiles[0]?.text ?? "");
    },
    { scope: "worker" },
  ],
});

test("there are thirty-two languages", () => expect(languages).toHaveLength(32));

/** Results of refusing, by the rule that was used. */
const results = async (page: Page): Promise<[string?, boolean?][]> =>
  (await page.evaluate(() => (window as unknown as { said: Message[] }).said))
    .filter(({ type }) => type === "optOutResult")
    .map(({ cmp, result }) => [cmp, result]);

/** Leaves the tool to its heuristics. They do not look into shadow trees, so this page has none. */
const withoutRule = () => {
  (window as any).isWithoutRule = true;
  Element.prototype.attachShadow = function () {
    const getElementById = (id: string) => this.querySelector(`#${id}`);
    return Object.assign(this, { host: this, adoptedStyleSheets: [], getElementById }) as unknown as ShadowRoot;
  };
};

for (const language of ["en", "fr"]) {
  const settings = { clientId: "news", cookiesVersion: `news-${language}` };

  test(`refuses a banner by TCF in ${language}`, async ({ page, tool, shop, banner }) => {
    await page.goto(shop.page({ settings, lang: language }));
    await expect(banner.part("first-layer")).toBeVisible();
    await page.evaluate(tool);
    await expect.poll(() => shop.stored.length).toBe(1);
    const { accept, preferences } = shop.stored[0]!.body as any;
    expect([accept, preferences.vendors.stats, preferences.tcf.action]).toEqual([false, false, "refuse"]);
    const { consents, purposes, claims } = read(preferences.tcString);
    expect([consents, purposes, claims]).toEqual([[], [], []]);
    await expect.poll(() => results(page)).toEqual([["placet", true]]);
  });

  test(`refuses a banner by TCF by its words alone in ${language}`, async ({ page, tool, shop, banner }) => {
    await page.addInitScript(withoutRule);
    await page.goto(shop.page({ settings, lang: language }));
    await expect(banner.part("first-layer")).toBeVisible();
    await page.evaluate(tool);
    await expect.poll(() => shop.stored.length).toBe(1);
    expect((shop.stored[0]!.body as any).preferences.tcf.action).toBe("refuse");
    await expect.poll(() => results(page)).toEqual([["HEURISTIC-REJECT", true]]);
  });
}

test("finds nothing to refuse in a banner whose button has other words", async ({ page, tool, shop, banner }) => {
  await page.addInitScript(withoutRule);
  await page.goto(shop.page({ settings: { clientId: "news", cookiesVersion: "news-en" } }));
  await banner.part("refuse").evaluate((button) => (button.textContent = "Not quite"));
  await page.evaluate(tool);
  // It looks again whenever the page changes.
  const states = () =>
    page.evaluate(() => {
      document.body.append(document.createElement("hr"));
      return (window as any).said.map(({ state }: any) => state?.lifecycle);
    });
  await expect.poll(states).toContain("nothingDetected");
  expect(shop.posts).toEqual([]);
});

// The tool finds buttons by their words: of different scripts, directions and lengths, or in every language.
for (const language of all ? languages : ["ar", "de", "el", "en", "ja", "zh"]) {
  test(`refuses in ${language}`, async ({ page, tool, shop, banner }) => {
    const words = JSON.parse(await readFile(at(`service/src/render/strings/${language}.json`), "utf8")) as Record<string, string>;
    const settings = { clientId: "tongues", cookiesVersion: `in-${language}` };
    await page.goto(shop.page({ settings, lang: language }));
    await expect(banner.part("refuse")).toHaveText(words.dismiss ?? "");
    await page.evaluate(tool);
    await expect.poll(() => shop.stored.length).toBe(1);
    expect(shop.stored[0]?.body).toMatchObject({ accept: false, preferences: { vendors: { stats: false, ads: false } } });
    await expect.poll(() => results(page)).toEqual([["placet", true]]);
    await expect(banner.dialog).toHaveCount(0);
  });
}
