// Reads the API's document as programs of others do: makes types of it, checks a program against them, and runs
// that program.

import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const here = fileURLToPath(new URL(".", import.meta.url));
const asked = [];
for await (const part of process.stdin) asked.push(part);
const { document, base } = JSON.parse(Buffer.concat(asked).toString());
const folder = mkdtempSync(join(tmpdir(), "placet-client-"));
try {
  symlinkSync(join(here, "node_modules"), join(folder, "node_modules"));
  // A field with a default may be left out of what is sent.
  writeFileSync(join(folder, "schema.d.ts"), astToString(await openapiTS(document, { defaultNonNullable: false })));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const program = readFileSync(join(here, "main-job.ts"), "utf8");
  const source = join(folder, "main-job.ts");
  writeFileSync(source, program);
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
  };
  const checked = ts.createProgram([source, join(folder, "schema.d.ts")], options);
  const types = ts
    .getPreEmitDiagnostics(checked)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  let job = null;
  if (types.length === 0) {
    const { outputText } = ts.transpileModule(program, {
      compilerOptions: { target: options.target, module: ts.ModuleKind.ESNext },
    });
    writeFileSync(join(folder, "main-job.js"), outputText);
    const { mainJob } = await import(pathToFileURL(join(folder, "main-job.js")).href);
    job = await mainJob(base, "typescript");
  }
  console.log(JSON.stringify({ types, job }));
} finally {
  rmSync(folder, { recursive: true });
}
