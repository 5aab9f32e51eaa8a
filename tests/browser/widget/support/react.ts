// Programs with the real React: for browsers, and for a server that draws their page.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Shop } from "./shop.ts";

const tests = fileURLToPath(new URL("../../", import.meta.url));

/** The oldest React that the package allows, in place of the newest. */
export const react18 = { react: "react-18", "react-dom": "react-dom-18" };

async function bundled(program: string, format: "iife" | "cjs", alias: Record<string, string>): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: tests, loader: "jsx" },
    jsx: "automatic",
    bundle: true,
    write: false,
    format,
    platform: format === "cjs" ? "node" : "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    alias,
  });
  return outputFiles[0]?.text ?? "";
}

/**
 * A page's markup with scripts that wait for `stats`, made by `innerHTML` as React makes them, with its key, and one of a
 * stranger. Those that run tell `window.ran`; `/file.js` is one of them.
 */
export function drawn(shop: Shop): string {
  shop.script("/file.js", "ran.push('file')");
  const gated = (text: string, more = "") => `<script type="text/plain" data-requires-vendor-consent="stats" ${more}>${text}</script>`;
  const scripts = [gated("ran.push('inline')"), gated("", `src="/file.js"`), gated("ran.push('evil')")].join("");
  return `<div id="root"></div>${gated("ran.push('last')")}
    <script>
      window.ran = [];
      root.innerHTML = ${JSON.stringify(scripts).replaceAll("</script>", "<\\/script>")};
      for (const script of [...root.children].slice(0, 2)) script.__reactFiber$1abc = {};
    </script>`;
}

/** A script for a page. */
export const inBrowser = (program: string, alias: Record<string, string> = {}): Promise<string> => bundled(program, "iife", alias);

/** Runs a program on a server. Returns the text that it prints. */
export async function onServer(program: string, alias: Record<string, string> = {}): Promise<string> {
  return execFileSync("node", ["-"], { input: await bundled(program, "cjs", alias), encoding: "utf8" }).trim();
}
