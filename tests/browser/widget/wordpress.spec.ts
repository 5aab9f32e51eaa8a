// The WordPress plugin: its own tests in PHP, and a page that PHP makes.

import { execFileSync, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "./support/shop.ts";

const php = process.env.PLACET_PHP ?? "php";
const root = fileURLToPath(new URL("../../../", import.meta.url));
const plugin = join(root, "deploy/wordpress/placet");

test("every file is PHP, and the plugin's own tests pass", () => {
  for (const folder of [plugin, join(plugin, "includes")]) {
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".php"))) {
      expect(execFileSync(php, ["-l", join(folder, file)], { encoding: "utf8" })).toContain("No syntax errors");
    }
  }
  const said = execFileSync(php, ["-d", "error_reporting=E_ALL", "-d", "display_errors=stderr", join(root, "tests/wordpress/plugin.php")], { encoding: "utf8" });
  expect(said.match(/^✓/gm)?.length).toBeGreaterThan(35);
});

/** A port that nobody listens on. PHP takes none that is not named. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

test("PHP reads on the next request what the visitor chose in the widget", async ({ page, shop, banner }) => {
  const options = { url: shop.apiUrl, client_id: "shop", cookies_version: "shop-en", published_url: shop.cdnUrl, gated: "my-stats stats" };
  const address = `localhost:${await freePort()}`;
  const server = spawn(php, ["-S", address, join(root, "tests/wordpress/site.php")], { env: { ...process.env, PLACET_OPTIONS: JSON.stringify(options) } });
  try {
    await new Promise<void>((resolve, reject) => {
      let said = "";
      server.stderr.on("data", (text) => {
        said += String(text);
        if (said.includes("started")) resolve();
      });
      server.once("error", reject);
      server.once("exit", () => reject(new Error(said)));
    });
    await page.goto(`http://${address}/`);
    await expect(banner.dialog).toBeVisible();
    await expect(page.locator("#stats")).toHaveText("no");
    expect(await page.evaluate(() => (window as any).ran)).toBeUndefined();
    await banner.part("configure").click();
    await banner.toggle("stats").click();
    for (let step = 0; step < 3; step++) await banner.part("next").click();
    await expect.poll(() => page.evaluate(() => (window as any).ran)).toBe(1);
    await expect.poll(() => shop.stored.length).toBe(1);
    await page.reload();
    await expect(page.locator("#stats")).toHaveText("yes");
    await expect(page.locator("#ads")).toHaveText("no");
    await expect(banner.part("reopen")).toBeVisible();
  } finally {
    server.kill();
  }
});
