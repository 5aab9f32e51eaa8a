// WebKit as Debian ships it for GTK, driven by W3C WebDriver: Playwright drives only its own build.

import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";

const driver = process.env.PLACET_WEBKIT ?? "/usr/bin/WebKitWebDriver";

async function free(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as import("node:net").AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** The driver; each session is a browser of its own, with nothing stored. */
export class WebKit {
  private constructor(
    private readonly child: ChildProcess,
    private readonly address: string,
  ) {}

  static async start(): Promise<WebKit> {
    const port = await free();
    // It has no mode without a display. `--auto-servernum` may give two drivers that start at once the same one, which
    // goes with the first of them.
    const child = spawn("xvfb-run", [`--server-num=${port}`, driver, `--port=${port}`], { stdio: "ignore", detached: true });
    const failed = new Promise<never>((_, reject) => child.once("error", reject));
    const webkit = new WebKit(child, `http://127.0.0.1:${port}`);
    const late = Date.now() + 30_000;
    for (;;) {
      try {
        await Promise.race([webkit.call("GET", "/status"), failed]);
        return webkit;
      } catch (error) {
        if (Date.now() > late || child.exitCode !== null) throw error;
        await new Promise(setImmediate);
      }
    }
  }

  async call(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(this.address + path, {
      method,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: any };
    if (!answer.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  }

  async tab(): Promise<Tab> {
    const { sessionId } = await this.call("POST", "/session", { capabilities: { alwaysMatch: {} } });
    return new Tab(this, `/session/${sessionId}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || !this.child.pid) return;
    const ended = new Promise((done) => this.child.once("exit", done));
    // The driver and its display; the browsers have ended with their sessions.
    process.kill(-this.child.pid, "SIGTERM");
    await ended;
  }
}

/** A page in a browser of its own. */
export class Tab {
  constructor(
    private readonly webkit: WebKit,
    private readonly session: string,
  ) {}

  async goto(url: string): Promise<void> {
    await this.webkit.call("POST", `${this.session}/url`, { url });
  }

  /** Runs a function in the page and gives what it returns. */
  run<T>(body: (...values: any[]) => T, ...values: unknown[]): Promise<T> {
    return this.webkit.call("POST", `${this.session}/execute/sync`, { script: `return (${body})(...arguments)`, args: values });
  }

  /** Presses what a selector finds in the shadow root of the element that another one finds, `times` times at once. */
  async click(host: string, selector: string, times = 1): Promise<void> {
    // The middle of it, once nothing lies above that.
    const find = (host: string, selector: string) => {
      const root = document.querySelector(host)?.shadowRoot ?? document;
      const element = root.querySelector(root === document ? `${host} ${selector}` : selector);
      element?.scrollIntoView({ block: "nearest" });
      const { x = 0, y = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
      const middle = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
      return element?.contains(root.elementFromPoint(middle.x, middle.y)) ? middle : null;
    };
    const late = Date.now() + 10_000;
    let middle = await this.run(find, host, selector);
    while (!middle) {
      if (Date.now() > late) throw new Error(`nothing that can be pressed: ${host} ${selector}`);
      middle = await this.run(find, host, selector);
    }
    const press = [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
    const presses = [{ type: "pointerMove", duration: 0, ...middle }, ...Array<typeof press>(times).fill(press).flat()];
    const actions = [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions: presses }];
    await this.webkit.call("POST", `${this.session}/actions`, { actions });
  }

  /** Presses a key. */
  async press(key: string): Promise<void> {
    const actions = [{ type: "key", id: "keys", actions: [{ type: "keyDown", value: key }, { type: "keyUp", value: key }] }];
    await this.webkit.call("POST", `${this.session}/actions`, { actions });
  }

  async close(): Promise<void> {
    await this.webkit.call("DELETE", this.session);
  }
}
