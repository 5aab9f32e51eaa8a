// Everything that visitors were shown can be looked at again.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { binary } from "../support/placet.ts";
import { expect, expectAccessible, onOne, Placet, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

onOne("sqlite", () => {
  test("an earlier publication shows again what visitors saw then", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const project = `${placet.url}/projects/${shop.project}`;
    await open(page, `${project}/proofs/publications`);
    await expect(page.getByRole("heading", { name: "Nothing was published yet" })).toBeVisible();
    await person.publish(shop.project);
    const consent = await person.consent(shop, "visitor-1", { our_chat: true });
    const { data } = await person.read("cookies", shop.configuration);
    const [welcome, ...others] = data.steps as { title: string }[];
    const steps = [{ ...welcome, title: "Your choices" }, ...others];
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { steps });
    await person.publish(shop.project);

    await open(page, `${project}/publish`);
    await page.getByRole("link", { name: "What visitors saw" }).click();
    const rows = page.locator("tbody tr");
    await expect(rows).toHaveCount(2);
    await rows.first().getByRole("link").click();
    const seen = page.locator(".preview iframe:not(.waiting)").contentFrame();
    await expect(seen.getByRole("dialog", { name: "Your choices" })).toBeVisible();
    await expect(page.getByRole("region", { name: "The texts that were shown" })).toContainText("Your choices");
    const pictures = page.getByRole("region", { name: "Pictures of what was published" });
    await expect(pictures).toContainText("This server takes none. Its operator can turn them on by --chromium.");
    await expect(pictures.getByRole("button")).toHaveCount(0);

    // A proof leads to the publication that its visitor saw.
    await open(page, `${project}/proofs/${consent}`);
    await page.locator(".facts").getByRole("link", { name: "Open", exact: true }).click();
    await expect(seen.getByRole("dialog", { name: "Your privacy" })).toBeVisible();
    await expect(page.getByRole("region", { name: "The texts that were shown" })).toContainText("Your privacy");
    await page.getByRole("link", { name: "What visitors saw" }).click();
    await expect(rows).toHaveCount(2);
  });
});

test("pictures of a publication come by themselves, in three widths", async ({ page, context }) => {
  // A dozen windows are drawn one after the other, beside whatever else the machine does.
  test.setTimeout(300_000);
  const chromium = process.env.PLACET_CHROMIUM ?? "/usr/bin/chromium";
  const placet = await Placet.start("sqlite", ["--chromium", chromium, "--chromium-no-sandbox"]);
  try {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    await open(page, `${placet.url}/projects/${shop.project}/proofs/publications`);
    await page.locator("tbody tr").first().getByRole("link").click();
    const pictures = page.getByRole("region", { name: "Pictures of what was published" });
    await expect(pictures.getByRole("status")).toContainText("Pictures are being taken, a few seconds each.");
    // The page follows.
    const wide = pictures.getByRole("img", { name: /, 1280 pixels wide$/ });
    await expect(wide.first()).toBeVisible({ timeout: 240_000 });
    const narrow = pictures.getByRole("img", { name: /, 360 pixels wide$/ });
    await expect(narrow).toHaveCount(0);
    await pictures.getByRole("button", { name: "360 px" }).click();
    await expect(wide).toHaveCount(0);
    await narrow.first().scrollIntoViewIfNeeded();
    await expect.poll(() => narrow.first().evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(360);
    await pictures.getByText("Visible text and labels").first().click();
    await expect(pictures.locator(".said").first()).toContainText("Your privacy");
    await expectAccessible(page);
    // The list has the hash that the page names.
    const list = pictures.getByRole("link", { name: "SHA-256 of the list of pictures" });
    const text = await list.evaluate(async (link: HTMLAnchorElement) => (await fetch(link.href)).text());
    const hash = createHash("sha256").update(text).digest("hex");
    await expect(pictures.locator("dd")).toContainText(hash);
    const { findings } = JSON.parse(text) as { findings: unknown[] };
    await expect(pictures).toContainText(`Warnings about this text and its settings, as the list has them: ${findings.length}.`);

    // A proof names the pictures, and holds them where they are asked for.
    const consent = await person.consent(shop, "visitor-1", { our_chat: true });
    const ledger = page.getByRole("region", { name: "Ledger", exact: true });
    const choice = ledger.getByRole("checkbox", { name: /^Pictures in the file: \d+/ });
    await expect(async () => {
      await open(page, `${placet.url}/projects/${shop.project}/proofs/${consent}`);
      await expect(choice).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expectAccessible(page);
    const proof = async (): Promise<string> => {
      const download = page.waitForEvent("download");
      await ledger.getByRole("button", { name: "Download the proof" }).click();
      return (await download).path();
    };
    const held = async (file: string): Promise<number> =>
      (JSON.parse(await readFile(file, "utf8")) as { files?: unknown[] }).files?.length ?? 0;
    expect(await held(await proof())).toBe(0);
    await choice.check();
    const whole = await proof();
    expect(await held(whole)).toBeGreaterThan(2);
    // Nobody vouches for the time, so the program ends with 3.
    const about = (await (await fetch(`${placet.url}/.well-known/placet-ledger.json`)).json()) as { keys: { vkey: string }[] };
    const key = about.keys[0]?.vkey ?? "";
    const { stdout } = await promisify(execFile)(binary, ["verify", "--json", "--key", key, whole]).catch(
      (ended: { code: number; stdout: string }) => ended,
    );
    const report = JSON.parse(stdout) as { verdict: string; pictures: { file?: unknown }[] };
    expect(report.verdict).toMatch(/on the text shown in pictures [\d, and]+ of the evidence \(first layer, English/);
    expect(report.pictures.filter(({ file }) => file).length).toBeGreaterThan(2);
  } finally {
    await placet.stop();
  }
});
