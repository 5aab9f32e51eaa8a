// A browser whose pages are not inspected. Playwright keeps the Runtime domain of every page enabled. Then
// Chromium takes a whole stack trace wherever it may want to warn (for example at each reading of
// `document.cookie`) and parses the functions on the stack again. This work counts as the page's script, and
// no visitor's browser does it. Pages of this browser have only the domains that the caller enables.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ARGS } from './browser.mjs';

// Flags that keep pages out of the background, and Chromium's experiments out of the figures.
const STEADY = [
  '--disable-field-trial-config', '--disable-background-timer-throttling', '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows', '--disable-default-apps', '--disable-extensions', '--password-store=basic',
];

export async function launchBare({ executablePath }) {
  const profile = await mkdtemp(path.join(os.tmpdir(), 'placet-bench-'));
  const child = spawn(executablePath, [...ARGS, ...STEADY, '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const exited = new Promise((r) => child.once('exit', r));
  const root = connect(child, exited);
  return {
    visitor: (viewport) => visitor(root, viewport),
    async close() {
      await root.send('Browser.close').catch(() => {});
      await exited;
      await rm(profile, { recursive: true, force: true });
    },
  };
}

// Messages are JSON, each ended by a zero byte.
function connect(child, exited) {
  const [, , , write, read] = child.stdio;
  const waiting = new Map();
  const listeners = new Map();
  let last = 0;
  let rest = '';
  read.setEncoding('utf8');
  read.on('data', (text) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop();
    for (const m of messages.map((t) => JSON.parse(t))) {
      if (m.id === undefined) listeners.get(`${m.sessionId} ${m.method}`)?.(m.params);
      else {
        const { resolve, reject, method } = waiting.get(m.id);
        waiting.delete(m.id);
        if (m.error) reject(new Error(`${method}: ${m.error.message}`));
        else resolve(m.result);
      }
    }
  });
  // Requests to a browser that has ended are refused at once.
  let gone = false;
  write.on('error', () => {});
  exited.then(() => {
    gone = true;
    for (const { reject, method } of waiting.values()) reject(new Error(`${method}: the browser has gone`));
  });
  const session = (sessionId) => ({
    send: (method, params = {}) => new Promise((resolve, reject) => {
      if (gone) return reject(new Error(`${method}: the browser has gone`));
      const id = ++last;
      waiting.set(id, { resolve, reject, method });
      write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    }),
    on: (method, listener) => listeners.set(`${sessionId} ${method}`, listener),
  });
  return { ...session(), session };
}

// A browser context with its own cache and cookies.
async function visitor(root, { width, height }) {
  const { browserContextId } = await root.send('Target.createBrowserContext');
  return {
    async page() {
      const { targetId } = await root.send('Target.createTarget', { url: 'about:blank', browserContextId });
      const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
      const cdp = root.session(sessionId);
      await cdp.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
      return {
        cdp,
        async goto(url) {
          const { errorText } = await cdp.send('Page.navigate', { url });
          if (errorText) throw new Error(`${url}: ${errorText}`);
        },
        // Evaluates an expression and awaits its value.
        async evaluate(expression) {
          const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
          if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
          return result.value;
        },
        // Adds up a property of all objects with a prototype.
        async sum(prototype, property) {
          const { result } = await cdp.send('Runtime.evaluate', { expression: prototype });
          const { objects } = await cdp.send('Runtime.queryObjects', { prototypeObjectId: result.objectId });
          const functionDeclaration = `function () { return this.reduce((sum, one) => sum + one.${property}, 0); }`;
          const called = await cdp.send('Runtime.callFunctionOn', { objectId: objects.objectId, functionDeclaration, returnByValue: true });
          return called.result.value;
        },
        async click({ x, y }) {
          for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased']) {
            await cdp.send('Input.dispatchMouseEvent', { type, x, y, ...(type !== 'mouseMoved' && { button: 'left', clickCount: 1 }) });
          }
        },
        close: () => root.send('Target.closeTarget', { targetId }),
      };
    },
    leave: () => root.send('Target.disposeBrowserContext', { browserContextId }),
  };
}
