// WordPress itself: its files, a MariaDB of its own that nobody else can reach, PHP's web server, with
// the plugin, and a theme that does what themes do.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const tests = join(root, "tests/wordpress");
export const plugin = join(root, "deploy/wordpress/placet");
export const php = process.env.PLACET_PHP ?? "php";

/** The files of WordPress: where `cargo xtask test` found or unpacked them. */
const files = process.env.PLACET_WORDPRESS ?? join(root, "target/wordpress/usr/share/wordpress");
/** Debian keeps servers where users do not look. */
const path = [process.env.PATH, "/usr/sbin"].join(delimiter);
/** A notice is as good as an error, and compiled files are kept for the next request. */
const settings = ["error_reporting=-1", "display_errors=1", "html_errors=0", "log_errors=0", "opcache.enable_cli=1"].flatMap((line) => ["-d", line]);

/** A port that nobody listens on. PHP takes none that is not named. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** Ends when a server has said that it is ready. */
async function ready(server: ChildProcess, word: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let said = "";
    server.stderr?.on("data", (text) => {
      said += String(text);
      if (said.includes(word)) resolve();
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(said)));
  });
}

export class WordPress {
  private readonly servers: ChildProcess[] = [];

  private constructor(
    private readonly folder: string,
    readonly url: string,
  ) {}

  static async start(): Promise<WordPress> {
    // The path of a socket must be short.
    const folder = mkdtempSync(join(process.env.PLACET_TEST_FOLDER ?? tmpdir(), "wp-"));
    const wordpress = new WordPress(folder, `http://localhost:${await freePort()}`);
    try {
      await wordpress.begin();
    } catch (error) {
      wordpress.stop();
      throw error;
    }
    return wordpress;
  }

  private async begin(): Promise<void> {
    // It needs no accounts: nobody else can reach its socket.
    mkdirSync(join(this.folder, "data"));
    const database = spawn(
      "mariadbd",
      [
        "--no-defaults",
        ...(process.getuid?.() === 0 ? ["--user=root"] : []),
        `--datadir=${join(this.folder, "data")}`,
        `--socket=${this.socket}`,
        `--pid-file=${join(this.folder, "pid")}`,
        "--skip-networking",
        "--skip-grant-tables",
        "--innodb-buffer-pool-size=16M",
        "--innodb-log-file-size=8M",
        "--innodb-flush-log-at-trx-commit=0",
      ],
      { env: { ...process.env, PATH: path } },
    );
    this.servers.push(database);
    const is_ready = ready(database, "ready for connections");
    this.copy(files, ".", (from) => from !== join(files, "wp-config.php"));
    mkdirSync(join(this.site, "wp-content/mu-plugins"), { recursive: true });
    this.copy(join(tests, "wp-config.php"), "wp-config.php");
    this.copy(join(tests, "run.php"), "run.php");
    this.copy(join(tests, "others.php"), "wp-content/mu-plugins/others.php");
    this.copy(join(tests, "theme"), "wp-content/themes/shop");
    this.copy(plugin, "wp-content/plugins/placet");
    await is_ready
    this.script("install.php");
    const server = spawn(php, [...settings, "-S", new URL(this.url).host, "-t", this.site], { env: this.env });
    this.servers.push(server);
    await ready(server, "started");
  }

  private copy(from: string, to: string, filter: (from: string) => boolean = () => true): void {
    // Debian's files lead to those of other packages.
    cpSync(from, join(this.site, to), { recursive: true, dereference: true, filter: (one) => (one === from || existsSync(one)) && filter(one) });
  }

  private get site(): string {
    return join(this.folder, "site");
  }
  private get socket(): string {
    return join(this.folder, "socket");
  }
  private get env(): NodeJS.ProcessEnv {
    return { ...process.env, PLACET_TEST_SOCKET: this.socket, PLACET_TEST_SITE: this.url };
  }

  /** Runs a script of `tests/wordpress` that loads WordPress itself, and gives its output. */
  script(name: string): string {
    return execFileSync(php, [...settings, join(tests, name), this.site], { encoding: "utf8", env: this.env });
  }

  /** Runs a piece of PHP inside WordPress and gives its output. It knows `given` as `$given`. */
  async php(code: string, given: unknown = null): Promise<string> {
    const answer = await fetch(`${this.url}/run.php`, { method: "POST", body: JSON.stringify({ code, given }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  }

  /** Stores the plugin's options. */
  async options(options: Record<string, string>): Promise<void> {
    await this.php("update_option( 'placet', $given );", options);
  }

  /** Publishes a page and gives its address. */
  async post(content: string): Promise<string> {
    const code = "echo wp_insert_post( array( 'post_status' => 'publish', 'post_title' => 'A page', 'post_content' => wp_slash( $given ) ), true );";
    return `${this.url}/?p=${await this.php(code, content)}`;
  }

  stop(): void {
    for (const server of this.servers) {
      server.removeAllListeners("exit");
      server.kill("SIGKILL");
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
