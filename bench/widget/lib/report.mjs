import { summary, pairedRatio, pairedDelta, median, clean } from './stats.mjs';

const kb = (n) => (n == null ? '–' : (n / 1000).toFixed(n < 10_000 ? 2 : 1));
const ms = (n, d = 0) => (n == null ? '–' : n.toFixed(d));
const table = (head, rows) => [`| ${head.join(' | ')} |`, `|${head.map((_, i) => (i ? '---:' : '---')).join('|')}|`, ...rows.map((r) => `| ${r.join(' | ')} |`)].join('\n');

export function stats(results) {
  const byRound = (peer, condition, key) => new Map(results.timed.filter((r) => r.peer === peer && r.condition === condition).map((r) => [r.round, r[key]]));
  const of = (peer, condition, key) => summary([...byRound(peer, condition, key).values()]);
  const ratio = (peer, condition, key) => pairedRatio(byRound(peer, condition, key), byRound(results.reference, condition, key));
  const over = (peer, condition, key) => (results.baseline ? pairedDelta(byRound(peer, condition, key), byRound(results.baseline, condition, key)) : { median: null, ci: [null, null] });
  const back = (peer, key) => new Map((results.returning ?? []).filter((r) => r.peer === peer).map((r) => [r.round, r[key]]));
  const returned = (peer, key) => summary([...back(peer, key).values()]);
  const returnedOver = (peer, key) => (results.baseline ? pairedDelta(back(peer, key), back(results.baseline, key)) : { median: null, ci: [null, null] });
  const extra = (peer, kind, key, condition) => clean(results.extra.filter((r) => r.peer === peer && r.kind === kind && (!condition || r.condition === condition)).map((r) => r[key]));
  return { byRound, of, ratio, over, extra, back, returned, returnedOver };
}

export function report(results) {
  const s = stats(results);
  const peers = results.peers.filter((p) => p.name !== results.baseline);
  const timed = peers.filter((p) => results.timed.some((r) => r.peer === p.name));
  const heaped = peers.filter((p) => results.extra.some((r) => r.kind === 'heap' && r.peer === p.name));
  const out = [];
  const m = results.machine;
  out.push(`## Widget benchmark`, '', `${m.cpu}, ${m.cores} cores, ${m.memoryGiB} GiB, ${m.kernel}; Node ${m.node}; Chromium ${m.chromium}; viewport ${m.viewport.width}x${m.viewport.height}. Started ${results.started}.`);
  const loads = clean(results.rounds.map((r) => r.load1));
  if (loads.length) out.push('', `Rounds: ${results.rounds.length}; load average during them ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}, median ${median(loads).toFixed(1)}. Failed attempts: ${results.failures.length}.`);
  out.push('', table(['peer', 'version', 'as measured'], peers.map((p) => [p.name, results.versions[p.name] ?? '', p.notes ?? ''])));

  if (Object.values(results.sizes).some(Boolean)) {
    out.push('', '### Bytes and requests at first visit (kB = 1000 bytes; the article and its stylesheet excluded)', '');
    const kind = (z, k) => (z.first.byKind[k] ? kb(z.first.byKind[k].br) : '0');
    out.push(table(['peer', 'requests', 'round trips in a row', 'brotli', 'js', 'wasm', 'css', 'json', 'gzip', 'raw', 'on the wire, headers included', 'more when preferences open (brotli)', 'non-loopback requests'],
      peers.filter((p) => results.sizes[p.name]).map((p) => {
        const z = results.sizes[p.name];
        return [p.name, z.first.files, z.chain, `**${kb(z.first.br)}**`, kind(z, 'js'), kind(z, 'wasm'), kind(z, 'css'), kind(z, 'json'), kb(z.first.gzip), kb(z.first.raw), kb(z.wire), z.lazy.files ? `${kb(z.lazy.br)} (${z.lazy.files})` : '0', z.external.length];
      })));
  }
  for (const [c, cond] of Object.entries(results.conditions)) {
    if (!results.timed.some((r) => r.condition === c)) continue;
    out.push('', `### Time to banner and click: ${cond.label}`, '');
    const q = (p, k, d = 0) => { const v = s.of(p, c, k); return v.median == null ? '–' : `**${ms(v.median, d)}** [${ms(v.p25, d)}–${ms(v.p75, d)}]`; };
    const x = (p, k) => { const r = s.ratio(p, c, k); return r.median == null ? '–' : `${r.median.toFixed(2)} (${r.ci.map((v) => v?.toFixed(2) ?? '–').join('–')})`; };
    out.push(table(['peer', 'n', 'banner visible, ms', `ratio to ${results.reference}`, 'at rest, ms', 'clicks ignored after visible, ms', 'FCP of the page, ms', 'CLS', 'click → gone, ms', 'click → stored, ms', 'click → gone and stored, ms', 'ratio', 'slowest click event, ms'],
      timed.map((p) => {
        // Within one context: time from the first visible frame to the first click with an effect.
        const dead = clean(results.extra.filter((r) => r.kind === 'eager' && r.peer === p.name && r.condition === c).map((r) => r.eager - r.first));
        return [p.name, s.of(p.name, c, 'first').n, q(p.name, 'first'), x(p.name, 'first'), ms(s.of(p.name, c, 'settled').median), dead.length ? `+${ms(median(dead))}` : '–', q(p.name, 'fcp'), ms(s.of(p.name, c, 'cls').median, 4), ms(s.of(p.name, c, 'gone').median), ms(s.of(p.name, c, 'stored').median, 1), q(p.name, 'done'), x(p.name, 'done'), ms(s.of(p.name, c, 'inp').median)];
      }).concat(results.baseline ? [[results.baseline, s.of(results.baseline, c, 'fcp').n, '–', '–', '–', '–', q(results.baseline, 'fcp'), ms(s.of(results.baseline, c, 'cls').median, 4), '–', '–', '–', '–', '–']] : [])));
    out.push('', `### Main thread: ${cond.label}`, '', 'CPU = thread time of the main thread from CDP Performance (threadTicks); "over baseline" = median of the same-round differences to the page without a widget.', '');
    const d = (p, k) => { const v = s.over(p, c, k); return v.median == null ? '–' : `${ms(v.median, 1)} (${v.ci.map((n) => ms(n, 1)).join('–')})`; };
    out.push(table(['peer', 'task CPU, ms', 'over baseline', 'script CPU, ms', 'over baseline', 'style+layout CPU, ms', 'task, wall ms', 'script, wall ms', 'long tasks', 'long task total, ms', 'blocking (over 50), ms', 'DOM nodes', 'listeners'],
      [...timed, ...(results.baseline ? [{ name: results.baseline }] : [])].map((p) => [p.name, q(p.name, 'taskCpu', 1), p.name === results.baseline ? '–' : d(p.name, 'taskCpu'), q(p.name, 'scriptCpu', 1), p.name === results.baseline ? '–' : d(p.name, 'scriptCpu'), ms(s.of(p.name, c, 'layoutCpu').median, 1), ms(s.of(p.name, c, 'taskWall').median, 1), ms(s.of(p.name, c, 'scriptWall').median, 1), ms(s.of(p.name, c, 'longCount').median, 0), ms(s.of(p.name, c, 'longTotal').median), ms(s.of(p.name, c, 'blocking').median), ms(s.of(p.name, c, 'nodes').median), ms(s.of(p.name, c, 'listeners').median)])));
  }
  if (results.extra.some((r) => r.kind === 'heap')) {
    out.push('', '### Memory with the banner open (after a full collection, in a page that no tool looked into before)', '');
    const base = results.baseline ? median(s.extra(results.baseline, 'heap', 'heap')) : null;
    out.push(table(['peer', 'JS heap, kB', 'over baseline, kB', 'wasm memory, kB', 'sum over baseline, kB', 'heap before collection, kB'],
      [...heaped, ...(results.baseline ? [{ name: results.baseline }] : [])].map((p) => {
        const h = median(s.extra(p.name, 'heap', 'heap')), w = median(s.extra(p.name, 'heap', 'wasmBytes'));
        const raw = s.of(p.name, Object.keys(results.conditions)[0], 'heapRaw').median;
        return [p.name, kb(h), base == null || h == null ? '–' : kb(h - base), kb(w), base == null || h == null ? '–' : kb(h - base + w), kb(raw)];
      })));
  }
  if (results.returning?.length) {
    out.push('', '### A returning visitor who has accepted: warm cache, every file to be asked for again', '', 'CPU over baseline = median of the same-round differences of thread time to the page without a widget, up to the resting page; no tool looked into the pages meanwhile.', '');
    const d = (p, k) => { const v = s.returnedOver(p, k); return v.median == null ? '–' : `${ms(v.median, 1)} (${v.ci.map((n) => ms(n, 1)).join('–')})`; };
    out.push(table(['peer', 'n', 'requests', 'answered 304', 'on the wire, kB', 'script CPU over baseline, ms', 'task CPU over baseline, ms', 'asks again'],
      peers.filter((p) => s.returned(p.name, 'wire').n).map((p) => {
        const m = (k) => s.returned(p.name, k).median;
        return [p.name, s.returned(p.name, 'wire').n, m('requests'), m('unchanged'), `**${kb(m('wire'))}**`, `**${d(p.name, 'scriptCpu')}**`, d(p.name, 'taskCpu'), [...s.back(p.name, 'asks').values()].some(Boolean) ? '**yes**' : 'no'];
      })));
  }
  if (Object.values(results.a11y).some(Boolean)) {
    const count = (a) => {
      if (!a) return '–';
      const by = {};
      for (const v of a.violations) by[v.impact] = (by[v.impact] ?? 0) + v.nodes;
      const parts = ['critical', 'serious', 'moderate', 'minor'].filter((k) => by[k]).map((k) => `${by[k]} ${k}`);
      return a.violations.length ? `**${a.violations.length}** (${parts.join(', ')})` : '**0**';
    };
    const ids = (a) => (a ? a.violations.map((v) => `${v.id}×${v.nodes}${v.tags.some((t) => t.startsWith('wcag')) ? '' : ' (best practice)'}`).join(', ') || 'none' : '–');
    out.push('', '### axe-core: rules violated (elements by impact)', '');
    out.push(table(['peer', 'banner open', 'rules', 'preferences open', 'rules'], [...peers, ...(results.baseline ? [{ name: results.baseline }] : [])].filter((p) => results.a11y[p.name]).map((p) => {
      const a = results.a11y[p.name];
      return [p.name + (p.ownUi ? ' (own UI)' : ''), count(a.axeBanner), ids(a.axeBanner), a.axePreferences ? count(a.axePreferences) : p.customise === null ? 'no such view' : '–', a.axePreferences ? ids(a.axePreferences) : '–'];
    })));
    const yes = (v) => (v == null ? '–' : v ? 'yes' : '**no**');
    out.push('', '### Keyboard and semantics', '');
    out.push(table(['peer', 'banner role / name', 'focus moves to banner', 'Tabs to accept / refuse / customise', 'banner traps focus', 'Enter / Space accept', 'Escape on banner', 'preferences opened by', 'role / modal / name', 'focus moves in', 'focus stays in', 'Escape closes', 'focus returns to', 'accept / refuse size, px'],
      peers.filter((p) => results.a11y[p.name]).map((p) => {
        const a = results.a11y[p.name];
        const f = a.preferences;
        const sem = (x) => (x ? `${x.axRole ?? x.role ?? x.tag}` : '–');
        return [p.name + (p.ownUi ? ' (own UI)' : ''), `${sem(a.banner)}${a.banner?.modal ? ' modal' : ''} / ${a.banner?.axName ? 'named' : '**no name**'}`, yes(a.focusOnOpen), `${a.tabs.accept ?? '**never**'} / ${a.tabs.refuse ?? '**never**'} / ${p.customise ? a.tabs.customise ?? '**never**' : 'n/a'}`, a.bannerTrapsFocus ? 'yes' : 'no', `${yes(a.enterAccepts)} / ${yes(a.spaceAccepts)}`,
          a.escapeOnBanner.closes ? `closes${a.escapeOnBanner.stored ? ', **stores consent**' : ', nothing granted'}` : 'stays', f?.openedBy ?? 'no such view', f?.semantics ? `${sem(f.semantics)} / ${f.semantics.modal ? 'modal' : '**not modal**'} / ${f.semantics.axName ? 'named' : '**no name**'}` : '–', yes(f?.focusInside), f?.focusLeaves == null ? '–' : f.focusLeaves ? `**no**, ${f.focusLeaves} of 68 (${f.leavesTo[0]})` : 'yes', yes(f?.escapeCloses), f?.focusReturns ?? '–', ['accept', 'refuse'].map((k) => a.sizes?.[k]?.join('x') ?? '–').join(' / ')];
      })));
  }
  if (Object.values(results.csp).some(Boolean)) {
    out.push('', "### Strict CSP: default-src 'self'; script-src 'self'; style-src 'self' (plus 'wasm-unsafe-eval' and a connect-src with its own server where the peer needs it)", '');
    out.push(table(['peer', 'verdict', 'banner shows', 'accept works', 'preferences open', 'violations', 'what looks different'],
      peers.filter((p) => results.csp[p.name]).map((p) => {
        const v = results.csp[p.name];
        const list = Object.entries(v.violations).map(([k, n]) => `${k} ×${n}`).join('; ') || 'none';
        return [p.name, `**${v.verdict}**${p.csp?.wasm ? ' (wasm-unsafe-eval)' : ''}`, v.visible ? 'yes' : '**no**', !v.visible ? 'not tried' : v.accepts ? 'yes' : '**no**', v.preferences == null ? '–' : v.preferences ? 'yes' : 'no', list, v.looks.length ? `${v.looks.length} differences: ${v.looks.slice(0, 3).join('; ')}` : 'nothing'];
      })));
  }
  const best = bests(results, s, peers, timed);
  if (best) out.push('', '### The number to beat, metric by metric', '', `Complete widgets only (a banner with accept, refuse and customise, and the product's own preferences view); the others are shown next to them.`, '', best);
  if (results.failures.length) out.push('', `Failures: ${results.failures.map((f) => `${f.what} (${f.message})`).join('; ')}`);
  return out.join('\n');
}

function bests(results, s, peers, timed) {
  const complete = timed.filter((p) => p.customise && !p.ownUi);
  const others = timed.filter((p) => !complete.includes(p));
  if (complete.length < 2) return null;
  const base = results.baseline ? median(s.extra(results.baseline, 'heap', 'heap')) : null;
  const heaped = (p) => (base == null ? NaN : (median(s.extra(p.name, 'heap', 'heap')) ?? NaN) - base);
  const size = (k) => (p) => results.sizes[p.name]?.first?.[k] ?? null;
  const metrics = [
    ['brotli, kB', size('br'), kb], ['raw, kB', size('raw'), kb], ['requests', size('files'), String], ['round trips in a row', (p) => results.sizes[p.name]?.chain ?? null, String],
  ];
  for (const [c, cond] of Object.entries(results.conditions)) {
    const tag = c === 'none' ? 'unthrottled' : c;
    const m = (k) => Object.assign((p) => s.of(p.name, c, k).median, { timed: [c, k] });
    const d = (k) => Object.assign((p) => s.over(p.name, c, k).median, { timed: [c, k] });
    metrics.push(
      [`banner visible, ${tag}, ms`, m('first'), ms], [`banner at rest, ${tag}, ms`, m('settled'), ms],
      [`clicks ignored after visible, ${tag}, ms`, (p) => median(results.extra.filter((r) => r.kind === 'eager' && r.peer === p.name && r.condition === c).map((r) => r.eager - r.first)), ms],
      [`task CPU over baseline, ${tag}, ms`, d('taskCpu'), (n) => ms(n, 1)],
      [`script CPU over baseline, ${tag}, ms`, d('scriptCpu'), (n) => ms(n, 1)],
      [`long tasks total, ${tag}, ms`, m('longTotal'), ms], [`blocking over 50 ms, ${tag}, ms`, m('blocking'), ms],
      [`click → stored, ${tag}, ms`, m('stored'), (n) => ms(n, 1)], [`click → gone and stored, ${tag}, ms`, m('done'), ms],
    );
  }
  if (results.returning?.length) {
    metrics.push(
      ['returning visitor: on the wire, kB', (p) => s.returned(p.name, 'wire').median, kb],
      ['returning visitor: script CPU over baseline, ms', (p) => s.returnedOver(p.name, 'scriptCpu').median, (n) => ms(n, 1)],
    );
  }
  metrics.push(
    ['JS heap over baseline, kB', heaped, kb],
    ['JS heap over baseline and wasm memory, kB', (p) => heaped(p) + (median(s.extra(p.name, 'heap', 'wasmBytes')) ?? 0), kb],
    ['DOM nodes over baseline', (p) => s.over(p.name, Object.keys(results.conditions)[0], 'nodes').median, String],
    ['axe rules violated, banner + preferences', (p) => { const a = results.a11y[p.name]; return a ? a.axeBanner.violations.length + (a.axePreferences?.violations.length ?? 0) : null; }, String],
  );
  const rows = metrics.map(([label, get, fmt]) => {
    const ranked = complete.map((p) => [p.name, get(p)]).filter(([, v]) => v != null && Number.isFinite(v)).sort((a, b) => a[1] - b[1]);
    if (!ranked.length) return null;
    const [holder, lowest] = ranked[0];
    const same = ranked.filter(([, v]) => fmt(v) === fmt(lowest)).map(([n]) => n);
    // For timed values: the peers that cannot be told from the best one, because the interval of their
    // same-round differences contains zero.
    const near = get.timed
      ? ranked.filter(([n]) => !same.includes(n)).filter(([n]) => {
          const [lo, hi] = pairedDelta(s.byRound(n, ...get.timed), s.byRound(holder, ...get.timed)).ci;
          return lo !== null && lo <= 0 && hi >= 0;
        }).map(([n]) => n)
      : [];
    return [label, `**${fmt(lowest)}**`, same.join(', '), near.join(', ') || '–', ...others.map((p) => { const v = get(p); return v == null || !Number.isFinite(v) ? '–' : fmt(v); })];
  }).filter(Boolean);
  return table(['metric', 'to beat', 'held by', 'not told apart from it', ...others.map((p) => `${p.name}${p.ownUi ? ' (own UI)' : p.customise ? '' : ' (notice only)'}`)], rows);
}
