import { open, sleep, waitSettled, waitShown, clickOn, within, CONDITIONS } from './browser.mjs';

export const policyFor = (peer) =>
  `default-src 'self'; script-src 'self'${peer.csp?.wasm ? " 'wasm-unsafe-eval'" : ''}; style-src 'self'${peer.csp?.connect ? `; connect-src 'self' ${peer.csp.connect}` : ''}`;

const PROPS = ['display', 'position', 'backgroundColor', 'backgroundImage', 'color', 'fontSize', 'fontWeight', 'borderTopWidth', 'borderTopColor', 'borderRadius', 'paddingTop', 'paddingLeft', 'width', 'height', 'left', 'top'];

const look = (page, peer, keys) =>
  page.evaluate(
    ([p, keys, props]) => {
      const W = window.__wb;
      const out = {};
      for (const k of keys) {
        const el = p[k] && W.find(p[k]);
        if (!el) { out[k] = null; continue; }
        const cs = getComputedStyle(el);
        const r = W.rectOf(el);
        out[k] = { rect: [r.x, r.y, r.w, r.h].map(Math.round), style: Object.fromEntries(props.map((n) => [n, cs[n]])) };
      }
      return out;
    },
    [peer, keys, PROPS],
  );

function diff(a, b) {
  const changes = [];
  for (const k of Object.keys(a)) {
    if (!a[k] && !b[k]) continue;
    if (!a[k] || !b[k]) { changes.push(`${k}: ${a[k] ? 'missing' : 'extra'}`); continue; }
    const moved = a[k].rect.map((v, i) => Math.abs(v - b[k].rect[i]));
    if (Math.max(...moved) > 2) changes.push(`${k}: box ${a[k].rect.join(',')} -> ${b[k].rect.join(',')}`);
    for (const n of PROPS) if (!['width', 'height', 'left', 'top'].includes(n) && a[k].style[n] !== b[k].style[n]) changes.push(`${k}.${n}: ${a[k].style[n]} -> ${b[k].style[n]}`);
  }
  return changes;
}

async function walk(browser, { peer, url, viewport, policy, screenshots }) {
  const s = await open(browser, { url: 'about:blank', peer, condition: CONDITIONS.none, viewport });
  const out = { console: [] };
  try {
    s.page.on('console', (m) => { if (m.type() === 'error') out.console.push(m.text().slice(0, 300)); });
    s.page.on('pageerror', (e) => out.console.push('pageerror: ' + String(e.message).slice(0, 300)));
    if (policy) {
      await s.context.route(url, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': policy } });
      });
    }
    await s.page.goto(url, { waitUntil: 'commit' });
    try { await waitSettled(s.page, 8000); out.visible = true; } catch { out.visible = false; }
    await sleep(1200);
    out.inPage = await s.page.evaluate((sel) => Boolean(window.__wb.find(sel)), peer.accept);
    if (screenshots) await s.page.screenshot({ path: `${screenshots}/${peer.name}-${policy ? 'csp' : 'nocsp'}.png` });
    out.banner = await look(s.page, peer, ['banner', 'accept', 'refuse', 'customise']);
    out.violations = await s.page.evaluate(() => window.__wb.csp);
    if (out.visible && peer.customise) {
      await clickOn(s.page, peer.customise);
      out.preferences = await waitShown(s.page, peer.preferences, true, 3000);
      await sleep(1000);
      out.prefsLook = await look(s.page, peer, ['preferences']);
      if (screenshots) await s.page.screenshot({ path: `${screenshots}/${peer.name}-${policy ? 'csp' : 'nocsp'}-preferences.png` });
      out.violations = await s.page.evaluate(() => window.__wb.csp);
    }
    out.errors = await s.page.evaluate(() => window.__wb.errors);
  } finally {
    await s.context.close();
  }
  // Click accept on a fresh page.
  if (out.visible) {
    const a = await open(browser, { url: 'about:blank', peer, condition: CONDITIONS.none, viewport });
    try {
      if (policy) {
        await a.context.route(url, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': policy } });
        });
      }
      await a.page.goto(url, { waitUntil: 'commit' });
      await waitSettled(a.page, 8000);
      await sleep(1200);
      await a.page.evaluate(() => window.__wb.arm());
      await clickOn(a.page, peer.accept);
      try { await within(a.page.evaluate(() => window.__wb.gone), 5000, 'accept'); out.accepts = true; } catch { out.accepts = false; }
      const more = await a.page.evaluate(() => window.__wb.csp);
      out.violations.push(...more.slice(out.violations.length));
    } finally {
      await a.context.close();
    }
  }
  return out;
}

export async function csp(browser, { peer, url, viewport, screenshots }) {
  const policy = policyFor(peer);
  const plain = await walk(browser, { peer, url, viewport, screenshots: null, policy: null });
  const strict = await walk(browser, { peer, url, viewport, screenshots, policy });
  const groups = {};
  for (const v of strict.violations) {
    const key = `${v.directive} ${v.blocked}${v.source ? ' from ' + v.source.split('/').pop() : ''}`;
    groups[key] = (groups[key] ?? 0) + 1;
  }
  const looks = [
    ...diff(plain.banner, strict.banner),
    ...(plain.prefsLook && strict.prefsLook ? diff(plain.prefsLook, strict.prefsLook) : []),
  ];
  const works = strict.visible && strict.accepts && (!peer.customise || strict.preferences);
  return {
    policy,
    verdict: !strict.visible ? (strict.inPage ? 'no: in the page, unstyled, out of sight' : 'no: no banner') : !works ? 'no' : strict.violations.length === 0 && looks.length === 0 ? 'yes' : looks.length ? 'works, looks broken' : 'works, with violations',
    visible: strict.visible, accepts: strict.accepts ?? false, preferences: strict.preferences ?? null,
    violations: groups, looks, console: strict.console.slice(0, 6), errors: strict.errors?.slice(0, 6) ?? [],
  };
}
