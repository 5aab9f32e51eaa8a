// The real program on a free port, with its own data folder, on either database.

import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";

export type Engine = "sqlite" | "postgres";
export const engines: readonly Engine[] = ["sqlite", "postgres"];

/** The program. */
export const binary =
  process.env.PLACET_BINARY ??
  fileURLToPath(new URL("../../../target/debug/placet", import.meta.url));

export class Placet {
  private constructor(
    readonly engine: Engine,
    /** Its address for browsers, without a slash at the end. */
    readonly url: string,
    readonly dataDir: string,
    private readonly process: ChildProcess,
    private readonly database: Database | undefined,
  ) {}

  /** Starts a server that has a domain name, as passkeys need. */
  static async named(engine: Engine): Promise<Placet> {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    return Placet.start(engine, ["--base-url", url], { port, url });
  }

  /** Starts the server and waits until it is ready. */
  static async start(engine: Engine, flags: readonly string[] = [], at?: { port: number; url: string }): Promise<Placet> {
    // A folder in memory if `cargo xtask test` provides one, which needs no disk.
    const place = process.env.PLACET_TEST_FOLDER ?? tmpdir();
    const dataDir = await mkdtemp(join(place, "placet-browser-"));
    const database = engine === "postgres" ? await Database.make() : undefined;
    const child = spawn(
      binary,
      ["serve", "--listen", `127.0.0.1:${at?.port ?? 0}`, "--data-dir", dataDir, "--rate-limit", "off", ...flags],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...(database && { PLACET_DATABASE_URL: database.url }) },
      },
    );
    child.stderr.pipe(createWriteStream(join(dataDir, "log")));
    const url = await listening(child).catch(async (error: unknown) => {
      const log = await readFile(join(dataDir, "log"), "utf8").catch(() => "");
      throw new Error(`placet does not start: ${String(error)}\n${log}`);
    });
    await ready(url);
    return new Placet(engine, at?.url ?? url, dataDir, child, database);
  }

  /** Runs another command of the program on its data; `input` is its standard input. Returns what it prints. */
  async run(args: readonly string[], input = ""): Promise<string> {
    const child = spawn(binary, [...args, "--data-dir", this.dataDir], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...(this.database && { PLACET_DATABASE_URL: this.database.url }) },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += String(text)));
    child.stdin.end(input);
    const code = await new Promise((ended) => child.once("exit", ended));
    if (code !== 0) throw new Error(`placet ${args.join(" ")} ended with ${String(code)}: ${said}`);
    return said;
  }

  /** Runs a statement on its database, which is on PostgreSQL. */
  async sql(text: string): Promise<void> {
    if (!this.database) throw new Error("the database is a file");
    await this.database.ask(text);
  }

  /** Its log. */
  async log(): Promise<string> {
    return readFile(join(this.dataDir, "log"), "utf8");
  }

  /** Stops it like a service manager, and removes its data. */
  async stop(): Promise<void> {
    const ended = this.ended();
    this.process.kill("SIGTERM");
    const code = await ended;
    await this.database?.drop();
    await rm(this.dataDir, { recursive: true, force: true });
    if (code !== 0) throw new Error(`placet ended with ${code}`);
  }

  private ended(): Promise<number | null> {
    const { process: child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  }
}

/** A port that nobody listens on. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Waits until it is ready: its worker may start after the address is known. */
async function ready(url: string): Promise<void> {
  for (const end = Date.now() + 30_000; ; await new Promise((done) => setTimeout(done, 50))) {
    const answer = await fetch(`${url}/health/ready`);
    if (answer.ok) return;
    const text = await answer.text();
    if (Date.now() > end) throw new Error(`placet is not ready: ${answer.status} ${text}`);
  }
}

/** Reads its address from the line that it prints. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`it ended with ${code}`)));
    const lines = createInterface({ input: child.stdout! });
    lines.on("line", (line) => {
      const address = /listens on (http:\/\/\S+)/.exec(line)?.[1];
      if (address) resolve(address);
    });
  });
}

/** A new database on the server of `PLACET_TEST_POSTGRES`. */
class Database {
  private constructor(
    readonly url: string,
    private readonly name: string,
    private readonly server: string,
  ) {}

  static async make(): Promise<Database> {
    const server = process.env.PLACET_TEST_POSTGRES;
    if (!server) throw new Error("PLACET_TEST_POSTGRES is not set: run `cargo xtask test`");
    const name = `browser_${randomUUID().replaceAll("-", "")}`;
    await Database.on(server, `CREATE DATABASE ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    return new Database(url.href, name, server);
  }

  async ask(sql: string): Promise<void> {
    await Database.on(this.url, sql);
  }

  async drop(): Promise<void> {
    await Database.on(this.server, `DROP DATABASE ${this.name} WITH (FORCE)`);
  }

  private static async on(server: string, sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }
}
