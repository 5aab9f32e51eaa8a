// A customer's web site: another origin with the pages of a test.

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Page {
  readonly html: string;
  /** Headers such as a strict `Content-Security-Policy`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class Site {
  private readonly pages = new Map<string, Page>();
  /** Requested paths, in order. */
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  static async start(): Promise<Site> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const site = new Site(server, `http://127.0.0.1:${port}`);
    server.on("request", (request: IncomingMessage, response) => {
      const path = new URL(request.url ?? "/", site.origin).pathname;
      site.asked.push(path);
      const page = site.pages.get(path);
      if (!page) {
        response.writeHead(404).end();
        return;
      }
      const type = path.endsWith(".js") ? "text/javascript" : "text/html";
      response.writeHead(200, { "content-type": `${type}; charset=utf-8`, ...page.headers });
      response.end(page.html);
    });
    return site;
  }

  /** Adds a page (or a script, by its ending) and returns its address. */
  put(path: string, page: Page | string): string {
    this.pages.set(path, typeof page === "string" ? { html: page } : page);
    return this.origin + path;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
