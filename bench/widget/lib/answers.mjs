// The time until `__tcfapi` answers on a slow phone, and until the first layer is there.
import { open, waitSettled, within } from './browser.mjs';

// Behind the stub: notes when the platform in its place answers, and when the first TCData come. The script that puts a
// function there may go on for long, and others can ask it in the next task only.
export const NOTE = `window.__answers = {};
  (() => {
    let api = window.__tcfapi;
    Object.defineProperty(window, '__tcfapi', { configurable: true, get: () => api, set: (other) => {
      api = other;
      setTimeout(() => api('ping', 2, (pong) => { if (pong.cmpLoaded) __answers.loaded ??= performance.now(); }));
    } });
    api('addEventListener', 2, (data, ok) => { if (ok && data.tcString) __answers.data ??= performance.now(); });
  })();`;

export async function answers(browser, { peer, url, condition, viewport }) {
  const s = await open(browser, { url, peer, condition, viewport });
  try {
    const heard = s.page.waitForFunction(() => window.__answers?.data, null, { timeout: 60_000 });
    await within(heard, 61_000, `${peer.name}: TCData`);
    if (peer.accept) await waitSettled(s.page);
    const { loaded, data } = await s.page.evaluate(() => window.__answers);
    const first = peer.accept ? await s.page.evaluate(() => window.__wb.t.first) : null;
    return { loaded, data, first };
  } finally {
    await s.context.close();
  }
}
