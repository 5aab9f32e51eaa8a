// A visit of a page with the layers of TCF on a slow phone, and the longest task of each step.
import { within, sleep } from './browser.mjs';

export const SLOWDOWN = 6;
export const PHONE = { width: 390, height: 844 };
// A script of the page itself: nothing of a driver runs in its frames. Pages of publishers have several listeners, and
// each is told of each choice. The platform asks the stub first, which begins the time until it tells a stored choice.
export const WATCH = `window.__long = []; window.__told = [];
  new PerformanceObserver((list) => { for (const { startTime, duration } of list.getEntries()) __long.push([startTime, duration]); })
    .observe({ type: 'longtask', buffered: true });
  {
    const stub = window.__tcfapi;
    let began;
    window.__tcfapi = (...call) => {
      if (call[0] === 'ping') began ??= performance.now();
      return stub(...call);
    };
    for (let n = 3; n--;) stub('addEventListener', 2, (data) => {
      __told.push(data.eventStatus);
      if (data.eventStatus === 'tcloaded') window.__start ??= performance.now() - began;
    });
  }`;

const inWidget = (expression) => `(() => { const root = document.getElementById('placet')?.shadowRoot; return root && (${expression}); })()`;
const part = (name) => `root.querySelector('[part=${name}]')`;
const isShown = (name) => inWidget(`${part(name)}?.getBoundingClientRect().height > 0`);
// Rows come some in each frame: the number of the last half second is that of all.
const ROWS_REST = inWidget(`(() => {
  const rows = root.querySelectorAll('[part=row]').length;
  const rest = window.__rows ??= {};
  if (rest.count !== rows) Object.assign(rest, { count: rows, since: performance.now() });
  return rows > 0 && performance.now() - rest.since > 500;
})()`);

async function until(page, expression, what) {
  const wait = async () => {
    while (!(await page.evaluate(expression))) await sleep(100);
  };
  await within(wait(), 60_000, what);
}

// A press where the element is: no script of a driver looks for it.
async function press(page, expression) {
  await page.click(await page.evaluate(inWidget(`(() => {
    const element = ${expression};
    element.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  })()`)));
}

// Visits `url` in a browser of `launchBare`. Returns the steps as `[step, longest task in ms or 0, number of rows]`, where
// tasks below 50 ms count as 0, and the time in ms from the platform's first question until it tells the stored choice.
export async function walk(browser, url) {
  const visitor = await browser.visitor(PHONE);
  try {
    const page = await visitor.page();
    await page.cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    const steps = [];
    const step = async (name, act, done) => {
      const start = name.startsWith('load') ? 0 : await page.evaluate('performance.now()');
      await act();
      await until(page, done, name);
      // The browser tells of a task only after it.
      await sleep(400);
      const [long, rows] = await page.evaluate(`[__long, ${inWidget(`root.querySelectorAll('[part=row]').length`)} || 0]`);
      steps.push([name, Math.max(0, ...long.filter(([at]) => at >= start).map(([, duration]) => duration)), rows]);
    };
    const told = (event) => `window.__told?.at(-1) === '${event}'`;
    const presses = (name) => () => press(page, part(name));
    await step('load', () => page.goto(url), isShown('accept'));
    await step('open the layer of purposes', presses('configure'), isShown('tab-partners'));
    await step('open the layer of partners', presses('tab-partners'), ROWS_REST);
    await step('allow a partner', () => press(page, `root.querySelector('[data-tcf-vendor]')`), inWidget(`root.querySelector('[data-tcf-vendor][aria-checked=true]')`));
    await step('search', async () => {
      await press(page, part('search'));
      await page.cdp.send('Input.insertText', { text: 'med' });
    }, ROWS_REST);
    await step('open the layer of interests', presses('tab-interests'), ROWS_REST);
    await step('save', presses('save'), told('useractioncomplete'));
    await step('load again', () => page.goto(url), told('tcloaded'));
    const start = await page.evaluate('__start');
    await step('reopen', () => page.evaluate('placetSDK.openCookies()'), isShown('accept'));
    await step('accept all', presses('accept'), told('useractioncomplete'));
    await page.close();
    return { steps, start };
  } finally {
    await visitor.leave();
  }
}
