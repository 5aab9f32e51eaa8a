// Builds site/ from pages/*/page.mjs and the packages in node_modules:
// one folder per page, every asset also stored as .br (quality 11) and .gz (level 9).
import { mkdir, rm, readFile, writeFile, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import zlib from 'node:zlib';
import { build, transform } from 'esbuild';

const root = path.dirname(fileURLToPath(import.meta.url));
const site = path.join(root, 'site');
const modules = path.join(root, 'node_modules');
const target = 'es2022';

export function compress(buffer) {
  return {
    br: zlib.brotliCompressSync(buffer, {
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: 11,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: buffer.length,
      },
    }),
    gz: zlib.gzipSync(buffer, { level: 9 }),
  };
}

async function emit(file, contents) {
  const buffer = Buffer.isBuffer(contents) ? contents : Buffer.from(contents);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, buffer);
  const { br, gz } = compress(buffer);
  await writeFile(file + '.br', br);
  await writeFile(file + '.gz', gz);
}

async function bundle(outDir, name, spec) {
  const virtual = {
    name: 'virtual',
    setup(b) {
      b.onResolve({ filter: /^\.\// }, (args) =>
        args.namespace === 'file' && spec.files?.[args.path.slice(2)] !== undefined && args.importer.endsWith('<stdin>')
          ? { path: args.path.slice(2), namespace: 'virtual', sideEffects: true }
          : undefined,
      );
      b.onLoad({ filter: /.*/, namespace: 'virtual' }, (args) => ({
        contents: spec.files[args.path],
        loader: path.extname(args.path).slice(1),
        resolveDir: root,
      }));
    },
  };
  const result = await build({
    stdin: { contents: spec.contents, loader: spec.loader ?? 'js', resolveDir: root, sourcefile: '<stdin>' },
    bundle: true,
    minify: true,
    format: 'esm',
    target,
    platform: 'browser',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    write: false,
    metafile: true,
    outfile: path.join(outDir, name),
    plugins: [virtual],
    logLevel: 'warning',
  });
  for (const out of result.outputFiles) await emit(out.path, Buffer.from(out.contents));
  // Bytes by package, minified, before compression.
  const share = {};
  for (const [file, out] of Object.entries(result.metafile.outputs)) {
    for (const [input, info] of Object.entries(out.inputs)) {
      const m = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/);
      const key = m ? m[1] : '(page)';
      (share[path.basename(file)] ??= {})[key] = (share[path.basename(file)]?.[key] ?? 0) + info.bytesInOutput;
    }
  }
  return share;
}

// Builds the site. `addresses` maps names to running servers that pages fetch from. Pages without their
// server are left out.
export async function buildSite({ quiet = false, addresses = {} } = {}) {
  await rm(site, { recursive: true, force: true });
  const template = await readFile(path.join(root, 'pages/shared/template.html'), 'utf8');
  await emit(path.join(site, 'shared/article.css'), await readFile(path.join(root, 'pages/shared/article.css')));
  const shares = {};
  for (const entry of await readdir(path.join(root, 'pages'), { withFileTypes: true })) {
    const source = path.join(root, 'pages', entry.name, 'page.mjs');
    if (!entry.isDirectory() || !existsSync(source)) continue;
    const page = await import(pathToFileURL(source));
    const out = path.join(site, entry.name);
    const fetched = Object.entries(page.fetched ?? {});
    if (!fetched.every(([, name]) => addresses[name])) continue;
    for (const [to, name] of fetched) {
      const response = await fetch(addresses[name]);
      if (!response.ok) throw new Error(`${addresses[name]}: ${response.status}`);
      await emit(path.join(out, to), Buffer.from(await response.arrayBuffer()));
    }
    for (const [to, from] of Object.entries(page.copy ?? {})) {
      await emit(path.join(out, to), await readFile(path.join(modules, from)));
    }
    for (const [to, code] of Object.entries(page.scripts ?? {})) {
      const min = await transform(code, { minifyWhitespace: true, minifySyntax: true, target, charset: 'utf8' });
      await emit(path.join(out, to), min.code);
    }
    for (const [to, spec] of Object.entries(page.bundles ?? {})) {
      shares[entry.name] = await bundle(out, to, spec);
    }
    const html = template.replace('{{head}}', () => page.head).replace('{{body}}', () => page.body);
    await emit(path.join(out, 'index.html'), html.replace(/\n{2,}/g, '\n'));
    if (!quiet) console.error(`built ${entry.name}`);
  }
  await writeFile(path.join(site, 'bundle-shares.json'), JSON.stringify(shares, null, 1));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildSite();
