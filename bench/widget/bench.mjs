// node bench.mjs --runs 15 [--only a,b] [--out results.json]
// See README.md for every option.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { buildSite } from './build.mjs';
import { launch, resolvePage, CONDITIONS, ARGS } from './lib/browser.mjs';
import { launchBare } from './lib/bare.mjs';
import { timed, heap, eager, returning } from './lib/measure.mjs';
import { quiet } from './lib/quiet.mjs';
import { sizes } from './lib/sizes.mjs';
import { a11y } from './lib/a11y.mjs';
import { csp } from './lib/csp.mjs';
import { report } from './lib/report.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));

const USAGE = `node bench.mjs [options]
  --runs N           fresh contexts per peer and condition (default 15)
  --extra-runs N     contexts per peer for heap, eager clicks and returning visitors (default 5)
  --only a,b         these peers only (the baseline page is always kept)
  --peers FILE       another peers file (default peers.json)
  --conditions LIST  none,slow (default both)
  --phases LIST      sizes,timed,extra,returning,a11y,csp (default all)
  --out FILE         results as JSON (default results.json)
  --report FILE      only print the tables of an existing results file
  --merge FILE       start from this results file, replace what is measured now
  --screenshots DIR  keep screenshots of the banner, the preferences and the CSP pages
  --chromium PATH    default /usr/bin/chromium
  --placet URL       the published bundle of a running Placet; without it Placet is left out
  --quick            one round of everything, to see that all works
  --viewport WxH     default 1280x800
  --rest MS          quiet time after the banner is still (default 1000)
  --quiet-idle X     start a timed run when this share of the machine is idle (default 0.5)
  --quiet-wait MS    ... or after this long (default 8000; 0 never waits)
  --no-build         use site/ as it is`;

function options(argv) {
  const o = {
    runs: 15, extraRuns: 5, only: null, peers: path.join(root, 'peers.json'), conditions: ['none', 'slow'],
    phases: ['sizes', 'timed', 'extra', 'returning', 'a11y', 'csp'], out: 'results.json', report: null, merge: null, screenshots: null,
    chromium: '/usr/bin/chromium', viewport: { width: 1280, height: 800 }, rest: 1000, build: true,
    quietIdle: 0.5, quietWait: 8000, placet: null,
  };
  const list = (v) => v.split(',').map((s) => s.trim()).filter(Boolean);
  for (let i = 0; i < argv.length; i++) {
    const flag = argv[i];
    const value = () => { if (++i >= argv.length) throw new Error(`${flag} needs a value\n\n${USAGE}`); return argv[i]; };
    if (flag === '--runs') o.runs = Number(value());
    else if (flag === '--extra-runs') o.extraRuns = Number(value());
    else if (flag === '--only') o.only = list(value());
    else if (flag === '--peers') o.peers = value();
    else if (flag === '--conditions') o.conditions = list(value());
    else if (flag === '--phases') o.phases = list(value());
    else if (flag === '--out') o.out = value();
    else if (flag === '--report') o.report = value();
    else if (flag === '--merge') o.merge = value();
    else if (flag === '--screenshots') o.screenshots = value();
    else if (flag === '--chromium') o.chromium = value();
    else if (flag === '--placet') o.placet = value();
    else if (flag === '--quick') Object.assign(o, { runs: 1, extraRuns: 1, quietWait: 0 });
    else if (flag === '--viewport') { const [width, height] = value().split('x').map(Number); o.viewport = { width, height }; }
    else if (flag === '--rest') o.rest = Number(value());
    else if (flag === '--quiet-idle') o.quietIdle = Number(value());
    else if (flag === '--quiet-wait') o.quietWait = Number(value());
    else if (flag === '--no-build') o.build = false;
    else if (flag === '--help') { console.log(USAGE); process.exit(0); }
    else throw new Error(`unknown option ${flag}\n\n${USAGE}`);
  }
  for (const c of o.conditions) if (!CONDITIONS[c]) throw new Error(`unknown condition ${c}`);
  return o;
}

async function startServer(...more) {
  const child = spawn(process.execPath, [path.join(root, 'server.mjs'), ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`server exited with ${code}`)));
  });
  return { url, stop: () => child.kill() };
}

const pressure = async () => {
  try { return Number((await readFile('/proc/pressure/cpu', 'utf8')).match(/some avg10=([\d.]+)/)[1]); } catch { return null; }
};

async function machine(browser, o) {
  const cpu = os.cpus();
  return {
    cpu: cpu[0]?.model, cores: cpu.length, memoryGiB: +(os.totalmem() / 2 ** 30).toFixed(1), kernel: `${os.type()} ${os.release()}`,
    node: process.version, chromium: browser.version(), args: ARGS, viewport: o.viewport,
  };
}

async function packageVersions(peers) {
  const out = {};
  for (const p of peers) {
    if (p.version) out[p.name] = p.version;
    else if (p.package) {
      const v = JSON.parse(await readFile(path.join(root, 'node_modules', p.package, 'package.json'), 'utf8'));
      out[p.name] = `${p.package} ${v.version}`;
    } else out[p.name] = '';
  }
  return out;
}

async function main() {
  const o = options(process.argv.slice(2));
  if (o.report) { console.log(report(JSON.parse(await readFile(o.report, 'utf8')))); return; }
  const file = JSON.parse(await readFile(o.peers, 'utf8'));
  const baseline = file.peers.find((p) => p.name === file.baseline) ?? null;
  let peers = file.peers.filter((p) => p !== baseline && (p.name !== 'placet' || o.placet));
  // Only Placet has a server that stores the proof. A strict policy must name it.
  for (const p of peers) if (p.csp?.connect) p.csp.connect = new URL(o.placet).origin;
  if (o.only) {
    const unknown = o.only.filter((n) => !file.peers.some((p) => p.name === n));
    if (unknown.length) throw new Error(`no such peer: ${unknown.join(', ')}`);
    peers = peers.filter((p) => o.only.includes(p.name));
  }
  const all = [...(baseline ? [baseline] : []), ...peers];
  for (const p of all) resolvePage(p, 'http://127.0.0.1/'); // refuses anything but loopback before starting
  if (o.build) await buildSite({ quiet: true, addresses: { placet: o.placet } });
  if (o.screenshots) await mkdir(o.screenshots, { recursive: true });
  const server = await startServer();
  let browser = await launch({ executablePath: o.chromium });
  const bare = await launchBare({ executablePath: o.chromium });
  const wants = (p, phase) => o.phases.includes(phase) && (!p.phases || p.phases.includes(phase));
  const say = (...x) => console.error(`[${new Date().toISOString().slice(11, 19)}]`, ...x);
  const results = o.merge
    ? JSON.parse(await readFile(o.merge, 'utf8'))
    : { sizes: {}, timed: [], extra: [], returning: [], a11y: {}, csp: {}, rounds: [], failures: [] };
  Object.assign(results, {
    started: results.started ?? new Date().toISOString(), machine: await machine(browser, o), runs: o.runs, extraRuns: o.extraRuns,
    reference: peers.some((p) => p.name === file.reference) ? file.reference : peers[0]?.name ?? null,
    baseline: baseline?.name ?? null, conditions: Object.fromEntries(o.conditions.map((c) => [c, CONDITIONS[c]])),
    peers: o.merge ? [...(results.peers ?? []).filter((p) => !all.some((q) => q.name === p.name)), ...all] : all,
    versions: { ...results.versions, ...(await packageVersions(all)) },
  });
  try { results.bundleShares = JSON.parse(await readFile(path.join(root, 'site/bundle-shares.json'), 'utf8')); } catch {}
  const context = (peer) => ({ peer, url: resolvePage(peer, server.url), viewport: o.viewport, restMs: o.rest, screenshots: o.screenshots });
  const attempt = async (what, fn) => {
    for (let n = 0; n < 2; n++) {
      try { return await fn(); } catch (e) {
        say(`${what}: ${e.message.split('\n')[0]}`);
        results.failures.push({ what, message: e.message.split('\n')[0] });
        if (!browser.isConnected()) browser = await launch({ executablePath: o.chromium });
      }
    }
    return null;
  };
  const save = () => writeFile(o.out, JSON.stringify(results));
  try {
    if (o.phases.includes('sizes')) {
      for (const p of peers.filter((p) => wants(p, 'sizes'))) results.sizes[p.name] = await attempt(`sizes ${p.name}`, () => sizes(browser, context(p)));
      if (baseline) results.sizes[baseline.name] = await attempt('sizes baseline', () => sizes(browser, context(baseline)));
      say('sizes done'); await save();
    }
    if (o.phases.includes('timed')) {
      results.timed = results.timed.filter((r) => !all.some((p) => p.name === r.peer));
      // A discarded pass warms the file cache, the fonts and the browser.
      const turn = all.filter((p) => wants(p, 'timed'));
      for (const p of turn) await attempt(`warm-up ${p.name}`, () => timed(browser, { ...context(p), condition: CONDITIONS.none }));
      for (let round = 0; round < o.runs; round++) {
        for (const c of o.conditions) {
          // The peers take turns, and each round begins with the next peer.
          for (let k = 0; k < turn.length; k++) {
            const p = turn[(k + round) % turn.length];
            const idleBefore = await quiet(o);
            const r = await attempt(`timed ${c} ${p.name}`, () => timed(browser, { ...context(p), condition: CONDITIONS[c] }));
            if (r) results.timed.push({ peer: p.name, condition: c, round, idleBefore, ...r });
          }
        }
        results.rounds.push({ round, load1: os.loadavg()[0], cpuPressure10: await pressure() });
        say(`round ${round + 1}/${o.runs}, load ${os.loadavg()[0].toFixed(1)}`); await save();
      }
    }
    if (o.phases.includes('extra')) {
      results.extra = results.extra.filter((r) => !all.some((p) => p.name === r.peer));
      for (let round = 0; round < o.extraRuns; round++) {
        for (const p of all.filter((p) => wants(p, 'extra'))) {
          const h = await attempt(`heap ${p.name}`, () => heap(bare, context(p)));
          if (h) results.extra.push({ kind: 'heap', peer: p.name, round, ...h });
        }
        for (const c of o.conditions) for (const p of peers.filter((p) => wants(p, 'extra'))) {
          await quiet(o);
          const e = await attempt(`eager ${c} ${p.name}`, () => eager(browser, { ...context(p), condition: CONDITIONS[c] }));
          if (e) results.extra.push({ kind: 'eager', condition: c, peer: p.name, round, ...e });
        }
      }
      say('extra done'); await save();
    }
    if (o.phases.includes('returning')) {
      results.returning = (results.returning ?? []).filter((r) => !all.some((p) => p.name === r.peer));
      const warm = await startServer('--revalidate');
      const turn = all.filter((p) => wants(p, 'returning'));
      try {
        for (let round = 0; round < o.extraRuns; round++) for (let k = 0; k < turn.length; k++) {
          const p = turn[(k + round) % turn.length];
          await quiet(o);
          const r = await attempt(`returning ${p.name}`, () => returning(bare, { ...context(p), url: resolvePage(p, warm.url) }));
          if (r) results.returning.push({ peer: p.name, round, ...r });
        }
      } finally {
        warm.stop();
      }
      say('returning done'); await save();
    }
    if (o.phases.includes('a11y')) {
      for (const p of all.filter((p) => wants(p, 'a11y'))) results.a11y[p.name] = await attempt(`a11y ${p.name}`, () => a11y(browser, context(p)));
      say('a11y done'); await save();
    }
    if (o.phases.includes('csp')) {
      for (const p of peers.filter((p) => wants(p, 'csp'))) results.csp[p.name] = await attempt(`csp ${p.name}`, () => csp(browser, context(p)));
      say('csp done'); await save();
    }
  } finally {
    results.finished = new Date().toISOString();
    await save();
    await browser.close();
    await bare.close();
    server.stop();
  }
  console.log(report(results));
}

await main().catch((e) => { console.error(e.message); process.exitCode = 1; });
