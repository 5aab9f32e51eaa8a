// Stripe on this machine: `localstripe`, with its missing prices and pages for paying and cancelling in front of it.

import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../oracles/venv/bin/localstripe", import.meta.url));
const KEY = "sk_test_placet";

const page = (title: string, button: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><form method="post"><button>${button}</button></form>`;

export class Stripe {
  /** The customer of the page that was opened last, and the page that it leads back to. */
  private customer = "";
  private back = "";

  private constructor(
    private readonly process: ChildProcess,
    private readonly inner: string,
    private readonly server: Server,
    /** Its address. */
    readonly url: string,
  ) {}

  static async start(): Promise<Stripe> {
    const child = spawn(program, ["--port", "0", "--from-scratch"], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, PYTHONUNBUFFERED: "1" },
    });
    // `======== Running on http://[::]:40123 ========`
    const port = await new Promise<string>((resolve, reject) => {
      child.once("exit", () => reject(new Error("localstripe ended")));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const found = /Running on .*:(\d+)/.exec(line)?.[1];
        if (found) resolve(found);
      });
    });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stripe = new Stripe(child, `http://127.0.0.1:${port}`, server, url);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      void stripe.answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    await stripe.call("POST", "/v1/plans", { id: "gold", amount: "4900", currency: "eur", interval: "month", "product[name]": "Placet" });
    return stripe;
  }

  /** The flags with which Placet uses it. */
  get flags(): string[] {
    return ["--billing", "stripe", "--stripe-secret-key", KEY, "--stripe-events-secret", "whsec_placet", "--stripe-price", "gold", "--stripe-api-url", this.url];
  }

  private async call(method: string, path: string, form?: Record<string, string>): Promise<Record<string, unknown>> {
    const answer = await fetch(this.inner + path, {
      method,
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/x-www-form-urlencoded" },
      ...(form && { body: new URLSearchParams(form) }),
    });
    const said = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(said)}`);
    return said;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = request.url ?? "/";
    if (request.method === "GET" && path.startsWith("/v1/checkout/sessions?")) {
      // Its pages are paid as soon as they are left.
      response.end(JSON.stringify({ data: [] }));
      return;
    }
    const opens = { "/v1/checkout/sessions": "/pay", "/v1/billing_portal/sessions": "/cancel" }[path];
    if (opens) {
      const form = new URLSearchParams(body);
      this.customer = form.get("customer") ?? "";
      this.back = form.get("success_url") ?? form.get("return_url") ?? "";
      response.end(JSON.stringify({ id: "cs_1", url: this.url + opens }));
      return;
    }
    if (path === "/pay" || path === "/cancel") {
      const pays = path === "/pay";
      if (request.method === "GET") {
        response.setHeader("content-type", "text/html");
        response.end(pays ? page("Checkout", "Pay 49 EUR") : page("Portal", "Cancel"));
        return;
      }
      await (pays ? this.pay() : this.cancel());
      response.writeHead(303, { location: this.back }).end();
      return;
    }
    const price = /^\/v1\/prices\/(\w+)\?/.exec(path)?.[1];
    if (price) {
      // `localstripe` has plans alone.
      const { id, currency, amount, interval, interval_count, product } = await this.call("GET", `/v1/plans/${price}?expand[]=product`);
      response.end(JSON.stringify({ id, currency, unit_amount: amount, recurring: { interval, interval_count }, product, tax_behavior: "exclusive" }));
      return;
    }
    const passed = await fetch(this.inner + path, {
      method: request.method ?? "GET",
      headers: { authorization: request.headers.authorization ?? "", "content-type": request.headers["content-type"] ?? "" },
      ...(body && { body }),
    });
    response.writeHead(passed.status, { "content-type": "application/json" }).end(await passed.text());
  }

  private async pay(): Promise<void> {
    const card = { type: "card", "card[number]": "4242424242424242", "card[exp_month]": "12", "card[exp_year]": "2035", "card[cvc]": "123" };
    const { id } = await this.call("POST", "/v1/payment_methods", card);
    await this.call("POST", `/v1/payment_methods/${String(id)}/attach`, { customer: this.customer });
    await this.call("POST", `/v1/customers/${this.customer}`, { "invoice_settings[default_payment_method]": String(id) });
    await this.call("POST", "/v1/subscriptions", { customer: this.customer, "items[0][plan]": "gold" });
  }

  private async cancel(): Promise<void> {
    const { data } = (await this.call("GET", `/v1/subscriptions?customer=${this.customer}`)) as unknown as { data: { id: string }[] };
    for (const { id } of data) await this.call("DELETE", `/v1/subscriptions/${id}`);
  }

  async stop(): Promise<void> {
    this.process.removeAllListeners("exit");
    this.process.kill();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
