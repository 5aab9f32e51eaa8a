// A project of a framework: its packages, its production build, and its production server.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { install } from "./packed.ts";

export const projects = fileURLToPath(new URL("../../frameworks/", import.meta.url));

const environment = {
  ...process.env,
  CI: "1",
  NODE_ENV: "production",
  ASTRO_TELEMETRY_DISABLED: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
};

/** Minutes that the packages, and then the build, may take. */
const limit = 6;

export class Framework {
  private constructor(
    private readonly server: ChildProcess,
    /** Its address, without a slash at the end. */
    readonly origin: string,
  ) {}

  /** Installs, builds and serves the project in a folder of `projects`, whose server may serve more than one. */
  static async start(project: string, name: string): Promise<Framework> {
    const folder = join(projects, project);
    await packages(folder);
    install(folder);
    await npm(folder, "run", "build", "--if-present");
    const port = await freePort();
    const server = spawn("npm", ["start", ...(name === project ? [] : ["--", name])], {
      cwd: folder,
      // A group of its own, since npm starts the server as its child.
      detached: true,
      env: { ...environment, HOST: "localhost", HOSTNAME: "localhost", PORT: String(port) },
    });
    let said = "";
    for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (said += String(text)));
    const framework = new Framework(server, `http://localhost:${port}`);
    for (const end = Date.now() + 60_000; ; await new Promise((done) => setTimeout(done, 50))) {
      const answer = await fetch(framework.origin).catch(() => undefined);
      if (answer?.ok) return framework;
      if (Date.now() < end && server.exitCode === null) continue;
      framework.stop();
      throw new Error(`${name} does not start: ${answer?.status}\n${said}`);
    }
  }

  stop(): void {
    if (this.server.pid !== undefined && this.server.exitCode === null) process.kill(-this.server.pid);
  }
}

/** Installs the packages of the lock file, unless they are there: npm keeps no exact copy of it. */
async function packages(folder: string): Promise<void> {
  const installed = join(folder, "node_modules/.installed-lock.json");
  const wanted = readFileSync(join(folder, "package-lock.json"), "utf8");
  try {
    if (readFileSync(installed, "utf8") === wanted) return;
  } catch {
    // Nothing is installed.
  }
  rmSync(installed, { force: true });
  await npm(folder, "ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund");
  writeFileSync(installed, wanted);
}

async function npm(folder: string, ...args: string[]): Promise<void> {
  const options = { cwd: folder, env: environment, timeout: limit * 60_000, maxBuffer: 1 << 26 };
  await promisify(execFile)("npm", args, options).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`npm ${args.join(" ")} in ${folder}: ${String(error)}\n${error.stdout ?? ""}\n${error.stderr ?? ""}`);
  });
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
