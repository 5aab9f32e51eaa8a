// Pages with a configuration of the `iab` layout: the bundle with `iab.js`, a TC string that allows everything, and
// the widget of another layout around them.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
// @ts-expect-error a script without types
import { decode, encode } from "../../../../sdk-wasm/js/codec.js";
import { folder, type PageOptions, type Shop } from "./shop.ts";

const sdk = fileURLToPath(new URL("../../../../target/web/sdk/", import.meta.url));

export interface Model {
  [field: string]: any;
}

export const read = (text: string): Model => decode(text) as Model;
export const write = (model: Model): string => encode(model) as string;

const letters = (two: string) => ((two.charCodeAt(0) - 65) << 6) + two.charCodeAt(1) - 65;

/** Everything allowed: Google (755) and four others, one of them (9) for special purposes alone. */
export const allowed: Model = {
  version: 2, created: 0, updated: 0, cmp: 31, cmpVersion: 1, screen: 0, language: letters("EN"), list: 178, policy: 5,
  own: 1, custom: 0, features: [1, 2], purposes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], interests: [2, 7, 8, 9, 10, 11],
  hidden: 0, country: letters("FR"), consents: [2, 8, 12, 755], claims: [2, 12],
  rules: [[7, 1, [[2, 8]]]], disclosed: [2, 8, 9, 12, 755],
};

/** Name of the cookie with the string of the configuration below. */
export const STRING = "euconsent-v2-01980000-0000-7000-8000-000000000004";

export interface Iab {
  readonly flags?: string;
  /** A flag of the plain configuration that this one lacks. */
  readonly without?: string;
  readonly round?: number;
  readonly applies?: "a" | "s";
  readonly mspa?: string;
  readonly additional?: string;
  /** `name|id|purposes`, with `|i` where they are legitimate interests, of vendors of the configuration. */
  readonly own?: readonly string[];
  readonly text?: string;
  readonly configuration?: string;
  /** Of another configuration, or another project, that is otherwise the same. */
  readonly identifier?: string;
  readonly project?: string;
}

/** The inline stub of the snippet. */
export const stub = async (): Promise<string> => {
  const manifest = await readFile(join(sdk, "manifest.txt"), "utf8");
  const name = /^stub\.\S+/m.exec(manifest)?.[0] ?? "";
  return `<script>${await readFile(join(sdk, name), "utf8")}</script>`;
};

/** The payload of a configuration with frameworks. */
export const payload = async (iab: Iab = {}): Promise<string> => {
  const { flags = "t", round = 1, applies = "a", mspa = "", additional = "", own = [], configuration = "shop-signals" } = iab;
  const plain = await readFile(join(folder, "cdn/shop", `${configuration}.payload`), "utf8");
  const lines = plain.split("\n");
  const head = (lines[0] ?? "").split("\t");
  head[6] = (head[6] ?? "").replace(iab.without ?? "", "") + flags;
  head[1] = iab.project ?? head[1] ?? "";
  head[2] = iab.identifier ?? head[2] ?? "";
  lines[0] = head.join("\t");
  const facts = [round, applies, "shop/x.partners.1.txt", "tcf/178/en.1.txt", mspa, additional, ...own].join("\t");
  return [...lines, facts, iab.text ?? write(allowed)].join("\n");
};

/** Adds a page whose bundle has `iab.js`. `stub: false` leaves out the lines before all tags. */
export const page = async (shop: Shop, iab: Iab & { stub?: boolean } = {}, options: PageOptions = {}, path = "/"): Promise<string> => {
  const template = await readFile(join(sdk, "bundle-iab.js"), "utf8");
  const put = (text: string) =>
    text.replaceAll("http://api.placet.invalid", shop.apiUrl).replaceAll("__PLACET_CDN_URL__", shop.cdnUrl);
  const literal = JSON.stringify(put(await payload(iab)));
  const source = put(template).split("__PLACET_PAYLOAD__").join(literal);
  const bundle = `/iab${path === "/" ? "" : path}.js`;
  shop.script(bundle, source);
  const head = `${iab.stub === false ? "" : await stub()}${options.head ?? ""}
    <script src="/settings.js?page=${encodeURIComponent(path)}"></script><script async src="${bundle}"></script>`;
  return shop.page({ ...options, head, delivery: "none" }, path);
};
