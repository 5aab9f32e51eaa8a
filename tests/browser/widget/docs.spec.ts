// The examples of the guide run unchanged, except for names of the test.

import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Locator } from "@playwright/test";
import { expect, test } from "./support/shop.ts";

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const guide = readFileSync(root("docs/integrate.md"), "utf8");

/** The examples in a language that contain a text, in order. */
function examples(language: string, holds: string): string[] {
  const found = [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name, code]) => name === language && code?.includes(holds))
    .map(([, , code]) => code as string);
  expect(found.length, `${language} with ${holds}`).toBeGreaterThan(0);
  return found;
}

const example = (language: string, holds: string): string => examples(language, holds)[0] as string;

test("both snippets show the widget, and what waits starts with consent", async ({ page, shop, banner }) => {
  shop.script("/stats.js", "window.measured = true");
  await page.route("**/*.example/**", (route) => route.fulfill({ contentType: "text/css", body: "" }));
  await page.route("https://www.youtube-nocookie.com/**", (route) => route.fulfill({ contentType: "text/html", body: "a film" }));
  // The published files, at the paths of the guide.
  const published: Record<string, string> = {
    "<project id>": "shop",
    "<configuration name>": "shop-en",
    "https://consent.example/cdn": shop.cdnUrl,
    "https://consent.example": shop.apiUrl,
    '"matomo"': '"stats"',
    '"youtube"': '"video"',
    '"fonts"': '"map"',
  };
  const real = (code: string) => Object.entries(published).reduce((code, [word, ours]) => code.replaceAll(word, ours), code);
  const listening = `<script>window.startMatomo = () => (window.started = true);${real(example("js", "startMatomo").replace("choices.matomo", "choices.stats"))}</script>`;
  const loader = example("html", "/sdk.js");
  // As the guide says of settings that name a configuration.
  const named = loader.replace("index.json", "shop-en.payload").replace(" }", ', cookiesVersion: "shop-en" }');
  for (const [path, snippet, early] of [["/one", example("html", "<configuration name>.js"), []], ["/two", loader, ["index.json", "shop-en.payload"]], ["/three", named, ["shop-en.payload"]]] as const) {
    shop.requests.length = 0;
    await page.context().clearCookies();
    await page.goto(shop.page({ delivery: "none", head: listening + real(snippet), body: real(example("html", "data-src=")) }, path));
    await expect(banner.dialog, path).toBeVisible();
    // The SDK takes what the browser has loaded early.
    expect(shop.requests.filter((one) => /\/(index\.json|shop-en\.payload)$/.test(one)).map((one) => one.replace(/^.*\//, ""))).toEqual(early);
    expect(await page.evaluate(() => [(window as any).measured, (window as any).started])).toEqual([undefined, undefined]);
    await expect(page.locator("iframe[src]")).toHaveCount(0);
    await banner.part("accept").click();
    await expect.poll(() => page.evaluate(() => [(window as any).measured, (window as any).started])).toEqual([true, true]);
    await expect(page.frameLocator("iframe[data-src]").getByText("a film")).toBeVisible();
    await expect(page.locator("img[data-src]")).toHaveAttribute("src", "https://pixel.example/1.gif");
    await expect(page.locator("link[data-href]")).toHaveAttribute("href", "https://fonts.example/a.css");
  }
});

test("a style sheet of the page reaches the parts of the guide", async ({ page, shop, banner }) => {
  const style = `<style>${example("css", "::part(banner)")}</style>`;
  const box = '<form><div data-placet-processing="01980000-0000-7000-8000-0000000000d7"></div></form><iframe title="Film" width="400" height="300" data-requires-vendor-consent="stats" data-src="about:blank"></iframe>';
  await page.goto(shop.page({ settings: { clientId: "pills", cookiesVersion: "pills" }, head: style, body: box }));
  const styles = (locator: Locator, ...names: string[]) =>
    locator.evaluate((element, names) => names.map((name) => getComputedStyle(element).getPropertyValue(name)), names);
  expect(await styles(banner.dialog, "border-radius", "box-shadow")).toEqual(["0px", "none"]);
  expect(await styles(banner.part("title"), "font-family")).toEqual(['"Shop Serif", serif']);
  for (const name of ["accept", "refuse"]) expect(await styles(banner.part(name), "letter-spacing")).toEqual(["0.3008px"]);
  expect(await styles(page.locator("[part=box]"), "border-top-width")).toEqual(["0px"]);
  expect(await styles(page.locator("[part=placeholder]"), "border-radius")).toEqual(["0px"]);
});

test("the guide names each part, and no other", () => {
  const templates = (folder: string): string[] =>
    readdirSync(root(folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? templates(path) : [...readFileSync(root(path), "utf8").matchAll(/ part=([a-z-]+)/g)].map(([, part]) => part as string);
    });
  const [, table = ""] = /^\| Where \| Parts \|\n(.*?)\n\n/ms.exec(guide) ?? [];
  const named = [...table.matchAll(/`([a-z-]+)`/g)].map(([, part]) => part as string).filter((part) => !part.startsWith("data-"));
  const offer = readFileSync(root("sdk-wasm/js/withdraw.js"), "utf8").matchAll(/make\(.*?, '([a-z]+)', /g);
  // The script adds the last answer, the details of a service, and the offer to reload after a withdrawal.
  const made = ["last-answer", "details", ...[...offer].map(([, part]) => part as string)];
  expect([...new Set(named)].sort()).toEqual([...new Set([...templates("service/templates"), ...made])].sort());
});

test("servers read the cookies that the widget writes, in three languages", async ({ page, context, shop, banner }) => {
  await page.goto(shop.page());
  await banner.part("configure").click();
  await banner.toggle("stats").click();
  for (let step = 0; step < 3; step++) await banner.part("next").click();
  const cookies = await context.cookies();
  const header = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const asked = ["stats", "ads", "stat", ""];
  const expected = [true, false, false, false];

  const node = `${example("js", "function hasConsent")}
    const [header, asked] = JSON.parse(process.argv[1]);
    console.log(JSON.stringify(asked.map((vendor) => vendor !== "" && hasConsent(header, vendor))));`;
  expect(JSON.parse(execFileSync("node", ["-e", node, JSON.stringify([header, asked])], { encoding: "utf8" }))).toEqual(expected);
  expect(JSON.parse(execFileSync("node", ["-e", node, JSON.stringify([null, asked])], { encoding: "utf8" }))).toEqual([false, false, false, false]);

  const php = `${example("php", "function has_consent").replace(/^<\?php.*/, "")}
    $_SERVER["HTTP_COOKIE"] = $argv[1];
    echo json_encode(array_map(fn($vendor) => $vendor !== '' && has_consent($vendor), json_decode($argv[2])));`;
  expect(JSON.parse(execFileSync(process.env.PLACET_PHP ?? "php", ["-r", php, "--", header, JSON.stringify(asked)], { encoding: "utf8" }))).toEqual(expected);

  const python = `import json, sys\n${example("python", "def has_consent")}
header, asked = json.loads(sys.argv[1])
print(json.dumps([vendor != "" and has_consent(header, vendor) for vendor in asked]))`;
  expect(JSON.parse(execFileSync("python3", ["-c", python, JSON.stringify([header, asked])], { encoding: "utf8" }))).toEqual(expected);
});

test("tokens are signed alike in three languages", () => {
  const env = { ...process.env, PLACET_TOKEN_SECRET: "a secret of the shop" };
  const signed = `customer-42.${createHmac("sha256", "a secret of the shop").update("customer-42").digest("hex")}`;
  const run = (program: string, args: string[]) => execFileSync(program, args, { encoding: "utf8", env }).trim();
  const php = example("php", "hash_hmac").replace(/^<\?php/, "");
  expect(run(process.env.PLACET_PHP ?? "php", ["-r", `$customer = "customer-42"; ${php} echo $token;`])).toBe(signed);
  const node = `const customer = "customer-42"; ${example("js", "createHmac(\"sha256\", process.env.PLACET_TOKEN_SECRET)")} console.log(token);`;
  expect(run("node", ["--input-type=module", "-e", node])).toBe(signed);
  expect(run("python3", ["-c", `customer = "customer-42"\n${example("python", "PLACET_TOKEN_SECRET")}\nprint(token)`])).toBe(signed);
});
