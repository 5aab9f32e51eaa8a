// The projects of `docs/frameworks.md`, built and served by the frameworks' own production commands, and walked.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { all } from "../support/all.ts";
import { Framework, projects } from "./support/framework.ts";
import { expect, test, type Shop } from "./support/shop.ts";

const guide = readFileSync(fileURLToPath(new URL("../../../docs/frameworks.md", import.meta.url)), "utf8");

/** Names of the guide, and those of the tests. */
const names: Record<string, string> = {
  "<project id>": "notices",
  "<configuration name>": "gpc",
  "<id of a consent box>": "01980000-0000-7000-8000-000000000032",
  matomo: "stats",
  youtube: "ads",
};

test("the guide shows the projects' files as they are built", () => {
  const shown = [...guide.matchAll(/<!-- built as: (\S+) -->\n```\w+\n(.*?)^```$/gms)];
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.length, "examples without a file").toBe([...guide.matchAll(/^```\w+$/gm)].length);
  for (const [, path = "", code = ""] of shown) {
    // Hosts keep their names.
    const ours = Object.entries(names).reduce((code, [word, ours]) => code.replaceAll(new RegExp(`${word}(?!-nocookie)`, "g"), ours), code);
    expect(readFileSync(join(projects, path), "utf8"), path).toContain(ours);
  }
  // Two projects have one policy.
  const [one, other] = ["next", "nuxt"].map((name) => readFileSync(join(projects, name, "policy.js"), "utf8"));
  expect(one).toBe(other);
});

/** Answers for the hosts of the guide: Placet, statistics, and films. */
async function hosts(page: Page, shop: Shop): Promise<string[]> {
  const asked: string[] = [];
  await page.route(/^https:\/\/[^/]*(\.example|youtube-nocookie\.com)\//, async (route) => {
    const request = route.request();
    const { host, pathname } = new URL(request.url());
    if (host !== "consent.example") {
      asked.push(host + pathname);
      const script = `window.ran = [...(window.ran ?? []), ${JSON.stringify(pathname)}]`;
      return route.fulfill(
        host === "stats.example" ? { contentType: "text/javascript", body: script } : { contentType: "text/html", body: "a film" },
      );
    }
    const url = pathname.startsWith("/cdn/") ? shop.cdnUrl + pathname.slice(4) : shop.apiUrl + pathname;
    const response = await route.fetch({ url });
    if (pathname.endsWith(".wasm")) return route.fulfill({ response });
    const text = await response.text();
    const body = text.replaceAll(shop.cdnUrl, "https://consent.example/cdn").replaceAll(shop.apiUrl, "https://consent.example");
    return route.fulfill({ response, body });
  });
  return asked;
}

// `again`: going back to a page runs its gated script once more.
const frameworks = [
  { name: "next", again: false },
  { name: "nuxt", again: true },
  { name: "sveltekit", again: true },
  { name: "astro", again: false },
  { name: "htmx", again: true },
  { name: "turbo", project: "htmx", again: true },
];

test.describe("built and walked", () => {
  // Installing and building takes minutes and hundreds of megabytes.
  test.skip(!all, "in the full matrix only");
  test.describe.configure({ mode: "default", timeout: 15 * 60_000 });

  for (const { name, project = name, again } of frameworks) {
    test(name, async ({ page, shop, banner }) => {
      const framework = await Framework.start(project, name);
      try {
        const said: string[] = [];
        page.on("pageerror", (error) => said.push(`${page.url()}: ${String(error)}`));
        page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(`${page.url()}: ${message.text()}`));
        const asked = await hosts(page, shop);
        const ran = () => page.evaluate(() => (window as any).ran ?? []);
        const film = page.frameLocator("iframe[src*='youtube-nocookie']").getByText("a film");
        const placeholder = page.locator("[data-vendor] [part=placeholder]");
        const waits = async () => {
          await expect(placeholder).toBeVisible();
          await expect(page.locator("iframe[src]")).toHaveCount(0);
          await expect(page.getByRole("button", { name: "Allow videos" })).toBeVisible();
        };
        const plays = async () => {
          await expect(film).toBeVisible();
          await expect(placeholder).toHaveCount(0);
          await expect(page.getByText("Videos play.")).toBeVisible();
        };
        const two = page.getByRole("heading", { name: "Two" });
        const box = page.getByRole("checkbox", { name: "J’accepte que mon message soit lu" });

        await page.goto(framework.origin);
        await expect(banner.dialog).toBeVisible();
        await waits();
        await expect(page.locator("#server")).toHaveText("The server counts nothing.");
        await expect(box).toBeVisible();

        // Refused, and on to another page and back, in the same document.
        await page.evaluate(() => ((window as any).same = true));
        await banner.part("refuse").click();
        await expect(banner.part("reopen")).toBeVisible();
        await waits();
        await page.getByRole("link", { name: "On" }).click();
        await expect(two).toBeVisible();
        await waits();
        await page.goBack();
        await expect(box).toBeVisible();
        await waits();
        await page.goForward();
        await expect(two).toBeVisible();
        await waits();
        expect(asked).toEqual([]);

        // The component opens the widget at its vendor; closed, that changes nothing.
        await page.getByRole("button", { name: "Allow videos" }).click();
        await expect(banner.toggle("ads")).toBeVisible();
        await banner.part("close").click();
        await waits();

        // Accepted on the second page.
        await banner.part("reopen").click();
        await banner.part("accept").click();
        await plays();
        await expect.poll(ran).toEqual(["/b.js"]);
        await page.goBack();
        await expect(box).toBeVisible();
        await plays();
        await expect.poll(ran).toEqual(["/b.js", "/a.js"]);
        await box.check();
        await page.goForward();
        await expect(two).toBeVisible();
        await plays();
        await expect.poll(ran).toEqual(["/b.js", "/a.js", ...(again ? ["/b.js"] : [])]);
        expect(await page.evaluate(() => (window as any).same)).toBe(true);
        await expect(banner.dialog).toHaveCount(0);

        // Allowed from the start, on a page that the server has rendered for this choice.
        for (const path of ["/", "/two"]) {
          await page.goto(framework.origin + path);
          await plays();
          await expect.poll(ran).toEqual([path === "/" ? "/a.js" : "/b.js"]);
          if (path === "/") await expect(page.locator("#server")).toHaveText("The server counts this visit.");
          await expect(page.locator("#placet")).toHaveCount(1);
        }
        // The banner's two answers, and the box's.
        await expect.poll(() => shop.stored.length).toBe(3);
        expect(said).toEqual([]);
      } finally {
        framework.stop();
      }
    });
  }
});
