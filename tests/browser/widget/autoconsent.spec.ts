// Autoconsent refuses for its users in browsers and extensions. With our rule among all of its own it finds
// the widget and refuses, whatever the widget's language.

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test as base } from "./support/shop.ts";

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const languages = readdirSync(at("service/src/render/strings")).map((name) => name.replace(".json", ""));

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
            const config = { enabled: true, autoAction: "optOut", isMainWorld: true, enablePrehide: true, detectRetries: 20 };
            const tool = new AutoConsent(async (message) => {
              said.push(message);
              await null;
              if (message.type === "init") tool.receiveMessageCallback({ type: "initResp", config, rules: { autoconsent: [...autoconsent, placet] } });
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

for (const language of languages) {
  test(`refuses in ${language}`, async ({ page, tool, shop, banner }) => {
    const words = JSON.parse(await readFile(at(`service/src/render/strings/${language}.json`), "utf8")) as Record<string, string>;
    const settings = { clientId: "tongues", cookiesVersion: `in-${language}` };
    await page.goto(shop.page({ settings, lang: language }));
    await expect(banner.part("refuse")).toHaveText(words.dismiss ?? "");
    await page.evaluate(tool);
    await expect.poll(() => shop.stored.length).toBe(1);
    expect(shop.stored[0]?.body).toMatchObject({ accept: false, preferences: { vendors: { stats: false, ads: false } } });
    const said = () => page.evaluate(() => (window as unknown as { said: Message[] }).said);
    await expect.poll(async () => (await said()).filter(({ type }) => type === "optOutResult")).toEqual([expect.objectContaining({ cmp: "placet", result: true })]);
    await expect(banner.dialog).toHaveCount(0);
  });
}
