// Makes `prebid.js` and `licences.txt`. Both are in the repository, because Prebid's package has 14,000 files and takes
// 100 MB where the bundle takes 0.2.
import { readFile, readdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { metafile } = await build({
  entryPoints: [at("entry.js")],
  outfile: at("prebid.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  banner: { js: "/* Prebid and its libraries. licences.txt has their licences. Made by build.mjs. */" },
  metafile: true,
});

const names = Object.keys(metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
const texts = [...new Set(names)].filter(Boolean).sort().map(async (name) => {
  const folder = at(`node_modules/${name}`);
  const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
  const text = file ? await readFile(`${folder}/${file}`, "utf8") : "";
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
});
await writeFile(at("licences.txt"), (await Promise.all(texts)).join("\n---\n\n"));
