// The package `@placet/sdk` as npm delivers it, unpacked into a folder.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const source = fileURLToPath(new URL("../../../../sdk-wasm/npm/", import.meta.url));

export interface Packed {
  readonly files: string[];
  readonly size: number;
}

/** Packs the package and puts it into `node_modules` of a folder. */
export function install(folder: string): Packed {
  const packs = mkdtempSync(join(tmpdir(), "placet-pack-"));
  try {
    const [about] = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", packs], { cwd: source, encoding: "utf8" }));
    const into = join(folder, "node_modules/@placet/sdk");
    mkdirSync(into, { recursive: true });
    execFileSync("tar", ["-xzf", join(packs, about.filename), "--strip-components=1", "-C", into]);
    return { files: about.files.map(({ path }: { path: string }) => path).sort(), size: about.size };
  } finally {
    rmSync(packs, { recursive: true });
  }
}
