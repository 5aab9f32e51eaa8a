// node iab.mjs --list 'invented=http://127.0.0.1:1234/cdn/<project>/bench.js' [--list 'v17=…'] [--runs 7]
// The layout `iab` of a running Placet: tasks of a visit, and bytes and times beside IAB's own library without a UI.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compress } from './build.mjs';
import { CONDITIONS, launch } from './lib/browser.mjs';
import { answers, NOTE } from './lib/answers.mjs';
import { launchBare } from './lib/bare.mjs';
import { quiet } from './lib/quiet.mjs';
import { PHONE, SLOWDOWN, walk, WATCH } from './lib/walk.mjs';
import { median } from './lib/stats.mjs';
import { serve } from './server.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
const site = path.join(root, 'site/iab');
const MOST = 100;
// A stored choice is told after 5 ms at four times slowdown.
const MOST_START = (5 * SLOWDOWN) / 4;
const USAGE = `node iab.mjs --list NAME=URL [options]
  --list NAME=URL    the published bundle of a configuration with this vendor list; may be repeated
  --runs N           visits for each list and peer (default 7)
  --chromium PATH    default /usr/bin/chromium
  --quiet-idle X     visit when this share of the machine is idle (default 0.5)
  --quiet-wait MS    ... or after this long (default 8000)`;

function options(argv) {
  const o = { lists: [], runs: 7, chromium: '/usr/bin/chromium', quietIdle: 0.5, quietWait: 8000 };
  for (let i = 0; i < argv.length; i += 2) {
    const [flag, value] = [argv[i], argv[i + 1]];
    if (value === undefined) throw new Error(`${flag} needs a value\n\n${USAGE}`);
    if (flag === '--list') {
      const at = value.indexOf('=');
      o.lists.push({ name: value.slice(0, at), url: value.slice(at + 1) });
    } else if (flag === '--runs') o.runs = Number(value);
    else if (flag === '--chromium') o.chromium = value;
    else if (flag === '--quiet-idle') o.quietIdle = Number(value);
    else if (flag === '--quiet-wait') o.quietWait = Number(value);
    else throw new Error(`unknown option ${flag}\n\n${USAGE}`);
  }
  if (!o.lists.length) throw new Error(USAGE);
  return o;
}

const put = async (file, content) => {
  const buffer = Buffer.from(content);
  const { br, gz } = compress(buffer);
  await mkdir(path.dirname(path.join(site, file)), { recursive: true });
  for (const [ending, bytes] of [['', buffer], ['.br', br], ['.gz', gz]]) await writeFile(path.join(site, file + ending), bytes);
  return br.length;
};

const text = async (url) => {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer.text();
};

// The parts of a published bundle's address: `<cdn>/<project>/<name>.js`.
const parts = (url) => {
  const [, cdn, project, name] = /^(.*)\/([^/]+)\/([^/]+)\.js$/.exec(url);
  return { cdn, project, name, server: new URL(url).origin };
};

// IAB's library as its documentation puts it to use: the list is fetched, then the string of a shown layer is told.
const PLATFORM = `
import { CmpApi } from '@iabtechlabtcf/cmpapi';
import { GVL, TCModel, TCString } from '@iabtechlabtcf/core';
const api = new CmpApi(31, 1, true);
fetch('vendor-list.json').then((answer) => answer.json()).then((list) => {
  const model = new TCModel(new GVL(list));
  Object.assign(model, { cmpId: 31, cmpVersion: 1, isServiceSpecific: true, publisherCountryCode: 'FR' });
  model.setAllVendorsDisclosed();
  api.update(TCString.encode(model), true);
});`;

async function pages({ name, url }) {
  const { cdn, project, name: configuration, server } = parts(url);
  const template = await readFile(path.join(root, 'pages/shared/template.html'), 'utf8');
  const page = (file, head) => put(file, template.replace('{{head}}', () => head).replace('{{body}}', ''));
  await put('shared/article.css', await readFile(path.join(root, 'pages/shared/article.css')));
  const lines = await text(`${server}/v1/client/${project}/snippet/${configuration}`);
  const stub = /<script>([\s\S]*?)<\/script>/.exec(lines)[1];
  const bundle = await text(url);
  const weights = { stub: compress(Buffer.from(stub)).br.length, first: await put(`${name}/placet.js`, bundle) };
  const tag = '<script async src="placet.js"></script>';
  await page(`${name}/placet.html`, `<script>${stub}</script><script>${NOTE}</script>${tag}`);
  await page(`${name}/walk.html`, `<script>${stub}</script><script>${WATCH}</script>${tag}`);

  const foreign = await readFile(createRequire(import.meta.url).resolve('@iabtechlabtcf/stub/lib/stub.js'), 'utf8');
  const { outputFiles } = await build({
    stdin: { contents: PLATFORM, resolveDir: root }, bundle: true, minify: true, format: 'iife', target: 'es2022', legalComments: 'none', write: false, logLevel: 'error',
  });
  // The last line but one of a payload with flag `t` (`sdk-wasm/js/facts.js`).
  const [, , partners, texts] = (await text(`${cdn}/${project}/${configuration}.payload`)).split('\n').at(-2).split('\t');
  const version = texts.split('/')[1];
  const layers = /layers\.[0-9a-f]+\.js/.exec(bundle)[0];
  const later = [partners, texts, `sdk/${layers}`, `${project}/${configuration}.later.json`];
  const others = {
    stub: compress(Buffer.from(foreign)).br.length,
    first: await put(`${name}/platform.js`, outputFiles[0].contents),
    list: await put(`${name}/vendor-list.json`, await text(`${cdn}/tcf/vendor-list-v${version}.json`)),
  };
  await page(`${name}/core.html`, `<script>${foreign}</script><script>${NOTE}</script><script async src="platform.js"></script>`);
  const opened = await Promise.all(later.map(async (key) => compress(Buffer.from(await text(`${cdn}/${key}`))).br.length));
  weights.layers = opened.reduce((sum, bytes) => sum + bytes, 0);
  return { weights, others };
}

// Milliseconds for which the network carries what Placet's script has more than that of IAB's library.
const waits = (measured) => measured
  .map(({ name, weights, others }) => `${ms(((weights.first - others.first) / CONDITIONS.slow.network.downloadThroughput) * 1000)} ms (${name})`)
  .join(', ');

const ms = (value) => (value === null ? '–' : Math.round(value).toString());
const grouped = (number) => number.toLocaleString('en-US');
const table = (head, rows) => [`| ${head.join(' | ')} |`, `|${head.map((_, at) => (at ? '---:|' : '---|')).join('')}`, ...rows.map((row) => `| ${row.join(' | ')} |`), ''].join('\n');

async function main() {
  const o = options(process.argv.slice(2));
  await rm(site, { recursive: true, force: true });
  const measured = [];
  const loads = [];
  for (const list of o.lists) measured.push({ ...list, ...(await pages(list)), walks: [], starts: [], times: { placet: [], core: [] } });
  const { server, url: base } = await serve({ dir: site });
  const browser = await launch({ executablePath: o.chromium });
  const bare = await launchBare({ executablePath: o.chromium });
  try {
    // The first visit warms the browser up.
    for (let run = -1; run < o.runs; run++)
      for (const one of measured) {
        loads.push(os.loadavg()[0]);
        await quiet(o);
        const walked = await walk(bare, `${base}/${one.name}/walk.html`);
        if (run >= 0) {
          one.walks.push(walked.steps);
          one.starts.push(walked.start);
        }
        for (const name of run % 2 ? ['placet', 'core'] : ['core', 'placet']) {
          const peer = { name, accept: name === 'placet' ? '#placet >>> [part=accept]' : null };
          await quiet(o);
          const found = await answers(browser, { peer, url: `${base}/${one.name}/${name}.html`, condition: CONDITIONS.slow, viewport: PHONE });
          if (run >= 0) one.times[name].push(found);
        }
        console.error(`${one.name}: ${run < 0 ? 'warmed up' : `visit ${run + 1} of ${o.runs}`}`);
      }
    console.log(report(measured, o.runs, browser.version(), median(loads)));
  } finally {
    await Promise.all([browser.close(), bare.close()]);
    server.close();
    server.closeAllConnections();
  }
}

function report(measured, runs, version, load) {
  const about = `Chromium ${version}, ${runs} visits for each list, after one that is not counted; load average ${load.toFixed(1)} in the median.`;
  const out = ['## The layout `iab`\n', `${about}\n`];
  out.push(`### Longest task at ${SLOWDOWN} times slowdown, ms\n`);
  out.push(
    `A visit on a phone's viewport, with three listeners of \`__tcfapi\`. Medians of the longest task of each step (most in brackets), from ` +
      `\`PerformanceObserver\`, which tells of tasks from 50 ms: 0 is a step without one. Goal: no median above ${MOST} ms.\n`,
  );
  const longest = (one, at) => one.walks.map((steps) => steps[at][1]);
  const steps = measured[0].walks[0].map(([name]) => name);
  const columns = measured.map((one) => `${one.name} (${Math.max(...one.walks[0].map(([, , rows]) => rows))} rows at most)`);
  out.push(table(['step', ...columns], steps.map((name, at) => [
    name, ...measured.map((one) => `${ms(median(longest(one, at)))} (${ms(Math.max(...longest(one, at)))})`),
  ])));
  const worst = Math.max(...measured.flatMap((one) => steps.map((_, at) => median(longest(one, at)))));
  out.push(`Goal: ${worst <= MOST ? 'met' : '**missed**'} (${ms(worst)} ms).\n`);
  const starts = measured.map((one) => median(one.starts));
  out.push(
    `On "load again", from the platform's first question to the stub until a listener is told the stored choice: ` +
      `${measured.map((one, at) => `${starts[at].toFixed(1)} ms (${one.name})`).join(', ')}, medians. ` +
      `Goal, at most ${MOST_START} ms: ${Math.max(...starts) <= MOST_START ? 'met' : '**missed**'}.\n`,
  );

  out.push('### Beside `@iabtechlabtcf/core` and `cmpapi`\n');
  out.push(
    'IAB\'s library has no UI: it reads the whole list and tells a string. Placet\'s bundle has the first layer in it. Bytes after brotli 11. ' +
      `Times under ${CONDITIONS.slow.label}, medians: from the start of the navigation until the platform stands in place of the stub and answers \`ping\` of another task, ` +
      `until a listener has TCData with a string, and until the first layer is visible. \`ping\` waits for the script: ${waits(measured)} of ours is the transfer of the bytes that the UI adds.\n`,
  );
  const rows = measured.flatMap((one) => {
    const of = (name, field) => ms(median(one.times[name].map((time) => time[field])));
    return [
      [`Placet, ${one.name}`, grouped(one.weights.stub), grouped(one.weights.first), `${grouped(one.weights.layers)} (layers, when opened)`, of('placet', 'loaded'), of('placet', 'data'), of('placet', 'first')],
      [`core + cmpapi, ${one.name}`, grouped(one.others.stub), grouped(one.others.first), `${grouped(one.others.list)} (list)`, of('core', 'loaded'), of('core', 'data'), 'no UI'],
    ];
  });
  out.push(table(['', 'stub', 'script', 'further files', '`ping`', 'TCData', 'first layer'], rows));
  return out.join('\n');
}

await main();
