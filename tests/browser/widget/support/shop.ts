// A site, an API and a CDN, each with its own origin on a free port. They serve the files that publishing
// would write for `widgets.json`. The API stores posts and fails as the test says.

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test as base, type Page } from "@playwright/test";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
/** The published files, written by `widgets.setup.ts`. */
export const folder = join(root, "target/widget-fixture");

export interface Post {
  /** Time of arrival in milliseconds. */
  readonly at: number;
  readonly path: string;
  readonly type: string | undefined;
  readonly cookie: string | undefined;
  readonly body: {
    accept: boolean;
    token: string;
    publication: string;
    consentId: string;
    age: number;
    preferences: {
      vendors: Record<string, boolean>;
      config: { identifier: string; name: string; language: string };
      googleConsentMode: Record<string, string> | null;
      action?: "close";
    };
  };
}

export interface PageOptions {
  /** Values of `window.placetSettings`. */
  readonly settings?: Record<string, unknown>;
  /** Kind of snippet: a bundle, the generic SDK, or nothing, without settings. */
  readonly delivery?: "bundle" | "generic" | "none";
  readonly head?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly lang?: string;
  /** The whole document, in place of all above. */
  readonly document?: string;
  /** Its media type; that of HTML otherwise. */
  readonly type?: string;
}

const types: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  html: "text/html; charset=utf-8",
  payload: "text/plain; charset=utf-8",
  wasm: "application/wasm",
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

export class Shop {
  /** Every request to one of the three, as `METHOD url`. */
  readonly requests: string[] = [];
  /** Consents that the API has stored, one for each consentId. */
  readonly stored: Post[] = [];
  /** Every post that reached the API, answered or not. */
  readonly posts: Post[] = [];
  /** The API's answer: a status, or none. */
  api: number | "down" = 201;
  /** Missing paths of the CDN and the API. */
  readonly missing = new Set<string>();

  /** True to let browsers keep and revalidate published files, like the server and a CDN. */
  revalidates = false;
  /** Files with conditional requests, and the answers. */
  readonly conditional: string[] = [];

  private readonly pages = new Map<string, PageOptions>();
  private readonly scripts = new Map<string, string>();

  private constructor(
    private readonly servers: Server[],
    readonly site: string,
    readonly apiUrl: string,
    readonly cdnUrl: string,
  ) {}

  static async start(): Promise<Shop> {
    const servers = [createServer(), createServer(), createServer()];
    const urls: string[] = [];
    for (const server of servers) {
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    const [site, api, cdn] = urls as [string, string, string];
    // The site has another host than the API and the CDN, as in production, so cookies and storage are
    // separate.
    const shop = new Shop(servers, site.replace("127.0.0.1", "localhost"), api, cdn);
    const handlers = [shop.onSite, shop.onApi, shop.onCdn];
    servers.forEach((server, at) =>
      server.on("request", (request: IncomingMessage, response: ServerResponse) => {
        shop.requests.push(`${request.method} ${urls[at]}${request.url}`);
        void handlers[at]?.call(shop, request, response);
      }),
    );
    return shop;
  }

  async stop(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  }

  /** Adds a page with the snippet to the site and returns its address. */
  page(options: PageOptions = {}, path = "/"): string {
    this.pages.set(path, options);
    return this.site + path;
  }

  /** Adds a script to the site. */
  script(path: string, source: string): string {
    this.scripts.set(path, source);
    return this.site + path;
  }

  /** Path for posting consents of a configuration. */
  consents(identifier = "01980000-0000-7000-8000-000000000001", project = "shop"): string {
    return `/v1/app/consents/${project}/cookies/${identifier}`;
  }

  private async onSite(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", this.site).pathname;
    const script = this.scripts.get(path);
    const options = this.pages.get(path);
    if (script !== undefined) return void send(response, 200, types.js, script);
    if (path === "/settings.js") {
      const of = new URL(request.url ?? "/", this.site).searchParams.get("page") ?? "/";
      return void send(response, 200, types.js, this.settings(this.pages.get(of) ?? {}));
    }
    if (!options) return void send(response, 404, types.html, "nothing here");
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      response.setHeader(name, value.replaceAll("{api}", this.apiUrl).replaceAll("{cdn}", this.cdnUrl));
    }
    // A page with `no-store` would not enter the back/forward cache.
    if (!response.hasHeader("Cache-Control")) response.setHeader("Cache-Control", "no-cache");
    send(response, 200, options.type ?? types.html, options.document ?? this.html(path, options));
  }

  private settings({ settings }: PageOptions): string {
    const all = { clientId: "shop", cookiesVersion: "shop-en", ...settings };
    for (const [name, value] of Object.entries(all)) if (value === null) delete (all as Record<string, unknown>)[name];
    // Records for the test: every event in order, and the SDK object.
    return `window.placetSettings=${JSON.stringify(all)};window.seen=[];
      (window._placet=window._placet||[]).push(sdk=>{window.sdk=sdk;seen.push(["queue"]);
        sdk.on("*",(detail,event)=>seen.push(detail===undefined?[event]:[event,detail]))});`;
  }

  private html(path: string, options: PageOptions): string {
    const { clientId = "shop", cookiesVersion = "shop-en" } = (options.settings ?? {}) as Record<string, string>;
    const script =
      options.delivery === "generic" ? `${this.apiUrl}/sdk.js` : `${this.cdnUrl}/${clientId}/${cookiesVersion}.js`;
    const snippet =
      options.delivery === "none"
        ? ""
        : `<script src="/settings.js?page=${encodeURIComponent(path)}"></script><script async src="${script}"></script>`;
    return `<!doctype html><html lang="${options.lang ?? "en"}"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width"><title>Shop</title>
      ${options.head ?? ""}
      ${snippet}</head>
      <body><main><h1>The shop</h1><p>Things that one can buy.</p><p><button id="before">A button of the page</button></p>
      <p><input id="search" aria-label="Search"></p>${options.body ?? ""}</main></body></html>`;
  }

  private async onApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Access-Control-Allow-Origin", "*");
    const path = request.url ?? "/";
    if (!path.startsWith("/v1/")) return this.file("api", path, response);
    // The token is unknown.
    if (request.method === "GET" || path.startsWith("/v1/app/consent/")) return void send(response, 200, types.json, '{"accept":false}');
    const at = Date.now();
    let body = "";
    try {
      for await (const chunk of request) body += String(chunk);
    } catch {
      // The test is over, and its connection with it.
      return;
    }
    const post: Post = {
      at,
      path,
      type: request.headers["content-type"],
      cookie: request.headers.cookie,
      body: JSON.parse(body) as Post["body"],
    };
    this.posts.push(post);
    if (this.api === "down") return void request.socket.destroy();
    // Like the API, refuses an id that is not a UUID for good.
    if (!uuid.test(post.body.consentId)) return void send(response, 422, types.json, JSON.stringify({ status: 422, code: "invalid" }));
    if (this.api < 300 && !this.stored.some((one) => one.body.consentId === post.body.consentId)) {
      this.stored.push(post);
    }
    send(response, this.api, types.json, JSON.stringify({ consentId: post.body.consentId }));
  }

  private async onCdn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Access-Control-Allow-Origin", "*");
    await this.file("cdn", request.url ?? "/", response, request.headers["if-none-match"]);
  }

  private async file(origin: string, path: string, response: ServerResponse, known?: string): Promise<void> {
    if (this.missing.has(path)) return void send(response, 404, types.html, "not found");
    const extension = path.split(".").at(-1) ?? "";
    try {
      const content = await readFile(join(folder, origin, path));
      if (extension === "wasm") return void send(response, 200, types.wasm, content);
      const text = content
        .toString("utf8")
        .replaceAll("http://api.placet.invalid", this.apiUrl)
        .replaceAll("http://cdn.placet.invalid", this.cdnUrl);
      if (this.revalidates) {
        const tag = `"${createHash("sha256").update(text).digest("hex").slice(0, 16)}"`;
        response.setHeader("ETag", tag);
        response.setHeader("Cache-Control", "public, max-age=0");
        if (known) this.conditional.push(`${path} ${known === tag ? 304 : 200}`);
        if (known === tag) return void response.writeHead(304).end();
      }
      send(response, 200, types[extension], text);
    } catch {
      send(response, 404, types.html, "not found");
    }
  }
}

function send(response: ServerResponse, status: number, type = "text/plain", content: string | Buffer): void {
  response.writeHead(status, { "content-type": type, "cache-control": String(response.getHeader("Cache-Control") ?? "no-store") });
  response.end(content);
}

export const test = base.extend<{ shop: Shop; banner: Banner }>({
  shop: async ({}, use) => {
    const shop = await Shop.start();
    await use(shop);
    await shop.stop();
  },
  banner: async ({ page }, use) => use(new Banner(page)),
});

/** The widget by its part names. */
export class Banner {
  constructor(private readonly page: Page) {}

  part(name: string) {
    return this.page.locator(`#placet [part="${name}"]`);
  }
  get dialog() {
    return this.part("banner");
  }
  toggle(vendor: string) {
    return this.page.locator(`#placet [part="toggle"][data-vendor="${vendor}"]`);
  }
  /** Events that listeners have received: `[event, detail?]`. */
  seen(): Promise<[string, unknown?][]> {
    return this.page.evaluate(() => (window as unknown as { seen: [string, unknown?][] }).seen ?? []);
  }
  /** Names of the events so far. */
  async events(): Promise<string[]> {
    return (await this.seen()).map(([event]) => event);
  }
  /**
   * Waits until the page knows that its latest consent is stored. A page that is left earlier sends it again.
   */
  async saved(): Promise<void> {
    await expect.poll(() => this.events()).toContain("consent:saved");
  }
  /** Waits until the page learns that the API is away. A later post waits for the next page. */
  failed(): Promise<unknown> {
    return this.page.waitForEvent("requestfailed", (request) => request.url().includes("/v1/app/consents/"));
  }
  /** Cookies of the page, decoded. */
  async cookies(): Promise<Record<string, string>> {
    const text = await this.page.evaluate(() => document.cookie);
    const pairs = text.split("; ").filter(Boolean).map((pair) => pair.split("=") as [string, string]);
    return Object.fromEntries(pairs.map(([name, value]) => [name, decodeURIComponent(value)]));
  }
  /** The TC string in its cookie, of the one configuration that was answered. */
  async tcString(): Promise<string | undefined> {
    return Object.entries(await this.cookies()).find(([name]) => name.startsWith("euconsent-v2-"))?.[1];
  }
  async choice(): Promise<Record<string, unknown>> {
    return JSON.parse((await this.cookies()).placet_cookies ?? "{}") as Record<string, unknown>;
  }
}

export { expect } from "@playwright/test";
