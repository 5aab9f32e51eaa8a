// The template for Google Tag Manager: its sections, its own tests, and the journey in a page, with stand-ins
// of the documented APIs that enforce its permissions.

import { isDeepStrictEqual } from "node:util";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, test, type Shop } from "./support/shop.ts";

const template = await readFile(fileURLToPath(new URL("../../../deploy/gtm/placet.tpl", import.meta.url)), "utf8");

const metadata = await readFile(fileURLToPath(new URL("../../../deploy/gtm/metadata.yaml", import.meta.url)), "utf8");

/** The text of a section. */
function section(name: string): string {
  const found = new RegExp(`^___${name}___\\n([^]*?)(?=^___[A-Z_]+___$|(?![^]))`, "m").exec(template);
  if (!found) throw new Error(`no section ${name}`);
  return (found[1] ?? "").trim();
}

interface Value { string?: string; boolean?: boolean; listItem?: Value[]; mapKey?: Value[]; mapValue?: Value[] }
interface Permission { instance: { key: { publicId: string }; param: { key: string; value: Value }[] } }
interface Parameter { name: string; type: string; subParams?: Parameter[] }

/** The values that a permission allows: texts or objects. */
function allowed(id: string): any[] {
  const permissions = JSON.parse(section("WEB_PERMISSIONS")) as Permission[];
  const one = permissions.find(({ instance }) => instance.key.publicId === id);
  const plain = (value: Value) =>
    value.mapKey
      ? Object.fromEntries(value.mapKey.map((key, at) => [key.string, value.mapValue?.[at]?.string ?? value.mapValue?.[at]?.boolean]))
      : value.string;
  return (one?.instance.param[0]?.value.listItem ?? []).map(plain);
}

test("every section is there, and code, fields and permissions agree", () => {
  expect(JSON.parse(section("INFO"))).toMatchObject({ type: "TAG", containerContexts: ["WEB"], displayName: "Placet consent" });
  const parameters = (JSON.parse(section("TEMPLATE_PARAMETERS")) as Parameter[]).flatMap((one) => [one, ...(one.subParams ?? [])]);
  const code = section("SANDBOXED_JS_FOR_WEB_TEMPLATE");
  const used = new Set([...code.matchAll(/\bdata\.(\w+)/g)].map(([, name]) => name).filter((name) => !name?.startsWith("gtmOn")));
  expect(used).toEqual(new Set(parameters.filter(({ type }) => !["GROUP", "LABEL"].includes(type)).map(({ name }) => name)));
  // Syntax that the sandbox does not support.
  expect(code).not.toMatch(/\b(new|window|document|class|async|await|this)\b|`/);
  for (const [, name] of code.matchAll(/require\('(\w+)'\)/g)) expect(code.split(name ?? "").length).toBeGreaterThan(3);
  expect(section("NOTES")).toContain("Apache-2.0");
});

test("the gallery finds its terms first, and the fields that it asks for", () => {
  expect(template).toMatch(/^___TERMS_OF_SERVICE___\n/);
  expect(section("TERMS_OF_SERVICE").replace(/\s+/g, " ")).toMatch(
    /^By creating or modifying this file you agree to Google Tag Manager's Community Template Gallery Developer Terms of Service available at https:\/\/developers\.google\.com\/tag-manager\/gallery-tos /,
  );
  const lines = metadata.split("\n").filter((line) => line && !/^ *#/.test(line));
  expect(lines.map((line) => line.replace(/:.*/, ":"))).toEqual(["homepage:", "documentation:", "versions:", "  - sha:", "    changeNotes:"]);
});

/** The scenarios of the tests section, and their common set-up. */
function scenarios(): { setup: string; list: { name: string; code: string }[] } {
  const [list = "", setup = ""] = section("TESTS").split(/^setup: \|-\n/m);
  return {
    setup,
    list: list.split(/^- name: /m).slice(1).map((text) => {
      const [name = "", code = ""] = text.split(/\n {2}code: \|-\n/);
      return { name, code };
    }),
  };
}

for (const { name, code } of scenarios().list) {
  test(`the template's own test: ${name}`, () => {
    const calls: Record<string, unknown[][]> = {};
    const mocks: Record<string, (...values: any[]) => unknown> = {};
    const api = (name: string) => (...values: unknown[]) => {
      (calls[name] ??= []).push(values);
      if (name in mocks) return mocks[name]?.(...values);
      return name === "makeInteger" ? parseInt(String(values[0]), 10) : name === "queryPermission" ? true : undefined;
    };
    const runCode = (data: object) =>
      new Function("require", "data", section("SANDBOXED_JS_FOR_WEB_TEMPLATE"))(api, {
        ...data, gtmOnSuccess: api("gtmOnSuccess"), gtmOnFailure: api("gtmOnFailure"),
      });
    const assertThat = (value: unknown) => ({
      isEqualTo: (other: unknown) => expect(value).toEqual(other),
      isUndefined: () => expect(value).toBeUndefined(),
    });
    const assertApi = (name: string) => ({
      wasCalled: () => expect(calls[name]).toBeDefined(),
      wasNotCalled: () => expect(calls[name]).toBeUndefined(),
      wasNotCalledWith: (...values: unknown[]) => expect((calls[name] ?? []).some((one) => isDeepStrictEqual(one, values))).toBe(false),
      wasCalledWith: (...values: unknown[]) => expect((calls[name] ?? []).some((one) => isDeepStrictEqual(one, values)), JSON.stringify(calls[name])).toBe(true),
    });
    const mock = (name: string, by: (...values: any[]) => unknown) => void (mocks[name] = by);
    new Function("runCode", "assertThat", "assertApi", "mock", `${scenarios().setup}\n${code}`)(runCode, assertThat, assertApi, mock);
  });
}

/** Runs the template on every later page: at once, or as the `late` tag that GTM makes of it. */
async function install(page: Page, shop: Shop, late = false) {
  const run = {
    late,
    code: section("SANDBOXED_JS_FOR_WEB_TEMPLATE"),
    consent: allowed("access_consent"), globals: allowed("access_globals"), urls: allowed("inject_script"), layer: allowed("write_data_layer"),
    data: { url: "https://consent.example", clientId: "shop", cookiesVersion: "shop-signals", waitForUpdate: "500", adsDataRedaction: true, urlPassthrough: false },
  };
  expect(run.urls).toEqual(["https://*/*"]);
  // A server's address as in production.
  await page.route("https://consent.example/sdk.js", async (route) => route.fulfill({ response: await route.fetch({ url: `${shop.apiUrl}/sdk.js` }) }));
  await page.addInitScript((run) => {
    const told: unknown[] = ((window as any).told = []);
    const must = (holds: unknown, what: string) => {
      if (!holds) throw new Error(`no permission: ${what}`);
    };
    const types = (state: object) => {
      for (const type of Object.keys(state)) must(["region", "wait_for_update"].includes(type) || run.consent.some((one) => one.consentType === type && one.write), type);
    };
    const may = (key: string, how: "read" | "write" | "execute") => must(run.globals.some((one) => one.key === key && one[how]), `${how} ${key}`);
    const at = (path: string): [any, string] => {
      const names = path.split(".");
      const last = names.pop() ?? "";
      return [names.reduce((object, name) => object?.[name], window as any), last];
    };
    const apis: Record<string, (...values: any[]) => unknown> = {
      setDefaultConsentState: (state) => (types(state), told.push(["default", state])),
      updateConsentState: (state) => (types(state), told.push(["update", state])),
      gtagSet: (values) => (Object.keys(values).forEach((key) => must(run.layer.includes(key), key)), told.push(["set", values])),
      makeInteger: (value) => parseInt(String(value), 10),
      queryPermission: (what, value) => what === "inject_script" && run.urls.includes("https://*/*") && value.startsWith("https://"),
      copyFromWindow: (path) => {
        may(path, "read");
        const [object, name] = at(path);
        return object?.[name];
      },
      setInWindow: (key, value, override) => {
        may(key, "write");
        const [object, name] = at(key);
        if (!object || (name in object && !override)) return false;
        object[name] = value;
        return true;
      },
      createQueue: (key) => {
        may(key, "read");
        may(key, "write");
        const queue = ((window as any)[key] ??= []);
        return (value: unknown) => queue.push(value);
      },
      callInWindow: (path, ...values) => {
        may(path, "execute");
        const [object, name] = at(path);
        return object?.[name]?.(...values);
      },
      injectScript: (url, succeed, fail) => {
        must(url.startsWith("https://"), url);
        addEventListener("DOMContentLoaded", () => document.head.append(Object.assign(document.createElement("script"), { src: url, onload: succeed, onerror: fail })));
      },
    };
    const require = (name: string) => apis[name] ?? must(false, name);
    const begin = () => {
      new Function("require", "data", run.code)(require, { ...run.data, gtmOnSuccess: () => told.push("done"), gtmOnFailure: () => told.push("failed") });
      told.push("the first tag");
    };
    if (run.late) (window as any).begin = begin;
    else begin();
  }, run);
  return () => page.evaluate(() => (window as any).told as unknown[]);
}

const updates = (told: unknown[]) => told.filter((one) => Array.isArray(one) && one[0] === "update");
const granted = { ad_storage: "granted", ad_user_data: "granted", ad_personalization: "granted", analytics_storage: "granted" };

test("in a page: denied before the first tag, the widget, and one update for each choice", async ({ page, shop, banner }) => {
  const told = await install(page, shop);
  await page.goto(shop.page({ delivery: "none", head: "<script>window.seen=[]</script>" }));
  // The page's own settings would take precedence. These are the template's.
  await expect(page.getByRole("dialog", { name: "Your privacy" })).toBeVisible();
  const before = await told();
  expect(before.slice(0, 3)).toEqual([
    ["default", expect.objectContaining({ ad_storage: "denied", analytics_storage: "denied", security_storage: "granted", wait_for_update: 500 })],
    ["set", { ads_data_redaction: true, url_passthrough: false }],
    "the first tag",
  ]);
  await expect.poll(told).toContainEqual("done");
  expect(updates(before)).toEqual([]);
  await banner.part("accept").click();
  await expect.poll(async () => updates(await told())).toEqual([["update", granted]]);
  await page.reload();
  await expect.poll(async () => updates(await told())).toEqual([["update", granted]]);
  expect(await told()).not.toContain("failed");
});

test("in a page that has the SDK already: the stored choice is reported, and a new one", async ({ page, shop, banner }) => {
  const told = await install(page, shop, true);
  await page.goto(shop.page({ settings: { cookiesVersion: "shop-signals" } }));
  await banner.part("accept").click();
  await banner.saved();
  await page.reload();
  await expect.poll(() => banner.events()).toContain("cookies:complete");
  await page.evaluate(() => (window as any).begin());
  expect(updates(await told())).toEqual([["update", granted]]);
  await page.evaluate(() => (window as any).placetSDK.openCookies());
  await banner.part("refuse").click();
  await expect.poll(async () => updates(await told()).length).toBe(2);
  expect(updates(await told())[1]).toEqual(["update", expect.objectContaining({ ad_storage: "denied", analytics_storage: "denied" })]);
});

test("in a page with settings of its own: they stay, and the widget comes", async ({ page, shop, banner }) => {
  const told = await install(page, shop, true);
  await page.goto(shop.page({ delivery: "none", head: "<script>window.seen=[];window.placetSettings={token:'visitor-4711'}</script>" }));
  await page.evaluate(() => {
    (window as any).begin();
    dispatchEvent(new Event("DOMContentLoaded"));
  });
  await expect(page.getByRole("dialog", { name: "Your privacy" })).toBeVisible();
  await banner.part("accept").click();
  await expect.poll(() => shop.stored[0]?.body.token).toBe("visitor-4711");
  expect(await told()).not.toContain("failed");
});
