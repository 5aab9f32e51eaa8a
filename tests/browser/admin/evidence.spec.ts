// Proofs on paper, dossiers, and files of consents.

import { readFile } from "node:fs/promises";
import { expect, onOne, test } from "../support/test.ts";
import { expectAccessible } from "../support/axe.ts";
import { open, Person } from "./person.ts";

const TOKEN = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";

onOne("sqlite", () => {
  test("the page of a proof shows its entry in the ledger, and gives the file", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    const consent = await person.consent(shop, TOKEN, { our_chat: true });
    const ledger = page.getByRole("region", { name: "Ledger", exact: true });
    await expect(async () => {
      await open(page, `${placet.url}/projects/${shop.project}/proofs/${consent}`);
      await expect(ledger.getByText("Proven")).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expect(ledger).toContainText(/Entry \d+ of \d+/);
    await expect(ledger).toContainText(`placet-verify --key KEY ${consent}.placet-proof.json`);
    const download = page.waitForEvent("download");
    await ledger.getByRole("button", { name: "Download the proof" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`${consent}.placet-proof.json`);
    const proof = JSON.parse(await readFile(await file.path(), "utf8")) as { format: string; proofs: string[] };
    expect(proof.format).toBe("placet-proof/1");
    expect(proof.proofs).toHaveLength(1);

    // Groups that the question does not need stay out of the file.
    await ledger.getByRole("checkbox", { name: "The visitor: the token and its kind" }).check();
    await ledger.getByRole("checkbox", { name: "The circumstances: site, IP address, country, browser" }).check();
    await ledger.getByRole("checkbox", { name: "The circumstances: site, IP address, country, browser" }).uncheck();
    const second = page.waitForEvent("download");
    await ledger.getByRole("button", { name: "Download the proof" }).click();
    const shorter = await readFile(await (await second).path(), "utf8");
    const { record } = JSON.parse(shorter) as { record: Record<string, { json?: string; digest?: string }> };
    expect(Object.keys(record.person ?? {})).toEqual(["digest"]);
    expect(record.circumstances?.json).toContain("127.0.0.0");
    expect(record.choice?.json).toContain("our_chat");
    expect(shorter).not.toContain(TOKEN);
    await expectAccessible(page);
  });

  test("a report counts a period, and is printed whole", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    await person.consent(shop, TOKEN, { our_chat: true });
    await person.consent(shop, `${TOKEN}0`, { our_chat: false });
    await open(page, `${placet.url}/projects/${shop.project}/proofs`);
    await page.getByRole("link", { name: "Report" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Report" })).toBeVisible();
    const consents = page.locator(".tile", { hasText: "Consents" }).first();
    await expect(consents).toContainText("2");
    const banner = page.getByRole("region", { name: "By banner and box" }).getByRole("row").nth(1);
    await expect(banner).toHaveText(/English\s*1\s*0\s*1\s*50/);
    await expect(page.getByRole("region", { name: "About this report" })).toContainText("/ledger/");
    const today = await page.getByLabel("To", { exact: true }).inputValue();
    expect(today).toMatch(/^\d{4}-\d\d-\d\d$/);

    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("button")).toHaveCount(0);
    await expect(page.getByLabel("To", { exact: true })).toBeHidden();
    // Each of the 30 days, in the table below the chart.
    await expect(page.locator(".chart tbody tr").filter({ visible: true })).toHaveCount(30);
    await page.emulateMedia({ media: "screen" });

    const first = await page.getByLabel("From", { exact: true }).inputValue();
    await page.getByLabel("From", { exact: true }).fill("2020-01-01");
    await page.getByLabel("To", { exact: true }).fill("2020-01-31");
    await page.getByRole("button", { name: "Show" }).click();
    await expect(page).toHaveURL(/from=2020-01-01&to=2020-01-31/);
    await expect(consents).toContainText("0");
    await expect(page.getByText("1 Jan 2020 to 31 Jan 2020")).toBeVisible();
    // The form follows the address.
    await page.goBack();
    await expect(page.getByLabel("From", { exact: true })).toHaveValue(first);
    await page.goForward();
    await expect(page.getByText("1 Jan 2020 to 31 Jan 2020")).toBeVisible();
    await expect(page.getByRole("region", { name: "By banner and box" })).toHaveCount(0);
    await page.getByLabel("From", { exact: true }).fill("2018-01-01");
    await page.getByRole("button", { name: "Show" }).click();
    await expect(page.getByRole("alert")).toContainText("at most 400 days");
    await expect(page.getByLabel("From", { exact: true })).toHaveValue("2018-01-01");
  });

  test("a proof is printed whole, and without anything to press", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    const consent = await person.consent(shop, TOKEN, { our_chat: false });
    const address = `${placet.url}/projects/${shop.project}/proofs/${consent}`;
    await page.addInitScript(() => {
      window.print = () => document.documentElement.setAttribute("data-printed", "");
    });
    await page.setViewportSize({ width: 1280, height: 900 });
    await open(page, address);
    await expect(page.getByText("The texts that were shown")).toBeHidden();
    await page.getByRole("button", { name: "Print or save as PDF" }).click();
    await expect(page.locator("html[data-printed]")).toHaveCount(1);

    for (const width of [1280, 720]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await expect(page.getByRole("button")).toHaveCount(0);
      await expect(page.locator(".preview, .rail, .crumbs").filter({ visible: true })).toHaveCount(0);
      const paper = page.locator(".page");
      for (const text of [
        TOKEN,
        consent,
        shop.configuration,
        "shop.example",
        "127.0.0.0",
        "Our chat",
        "You decide. You can change your mind at any time.",
        "Accept all",
        '"our_chat": false',
        address,
      ]) {
        await expect(paper.getByText(text).filter({ visible: true }).first(), text).toBeVisible();
      }
      await expect(paper.getByText(/^[0-9a-f]{64}$/)).toBeVisible();
      const cut = await page.evaluate(() => {
        const all = [...document.querySelectorAll<HTMLElement>(".page, .page *")];
        const shown = all.filter((one) => one.checkVisibility() && one.clientWidth > 1);
        const isCut = (one: HTMLElement): boolean =>
          getComputedStyle(one).overflow !== "visible" &&
          (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1);
        const isBeyond = (one: HTMLElement): boolean => one.getBoundingClientRect().right > window.innerWidth + 1;
        return shown.filter((one) => isCut(one) || isBeyond(one)).map((one) => one.outerHTML.slice(0, 200));
      });
      expect(cut).toEqual([]);
      const colour = await paper.evaluate((one) => getComputedStyle(one).color);
      const lightness = /oklch\(([\d.]+)/.exec(colour)?.[1];
      expect(Number(lightness), colour).toBeLessThan(0.5);
    }
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  });

  test("a dossier is one click", async ({ page, placet, context }) => {
    // The ledger signs a checkpoint every ten seconds.
    test.slow();
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    const consent = await person.consent(shop, TOKEN, { our_chat: true });
    await open(page, `${placet.url}/projects/${shop.project}/proofs/${consent}`);
    const downloads = page.waitForEvent("download");
    await page.getByRole("button", { name: "Dossier (ZIP)" }).click();
    const download = await downloads;
    expect(download.suggestedFilename()).toBe(`dossier-${shop.project}.zip`);
    const bytes = await readFile(await download.path());
    expect(bytes.subarray(0, 4).toString("latin1")).toBe("PK\u0003\u0004");
    expect(bytes.includes(`001-${consent}/${consent}.placet-proof.json`)).toBe(true);
    await expect(page.getByRole("button", { name: "Dossier (ZIP)" })).toBeEnabled();
  });

  test("a session that has ended is told as such where a file was asked for", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    const consent = await person.consent(shop, TOKEN, { our_chat: true });
    const project = `${placet.url}/projects/${shop.project}`;
    const told = page.getByRole("status").filter({ hasText: "Your session has ended. Please sign in again." });
    // Other parts of this page ask the server as well, so that the session goes on.
    await page.route("**/ui/proofs/dossier", (route) =>
      route.fulfill({ status: 403, contentType: "application/problem+json", body: JSON.stringify({ status: 403, code: "unauthenticated" }) }),
    );
    await open(page, `${project}/proofs/${consent}`);
    await page.getByRole("button", { name: "Dossier (ZIP)" }).click();
    await expect(told).toHaveCount(1);

    await open(page, `${project}/proofs/files`);
    await context.clearCookies();
    await page.getByRole("button", { name: "Export" }).click();
    await expect(told).toHaveCount(1);
    const file = { name: "old.csv", mimeType: "text/csv", buffer: Buffer.from("token") };
    await page.getByLabel("File", { exact: true }).setInputFiles(file);
    await page.getByRole("button", { name: "Import" }).click();
    await expect(told).toHaveCount(2);
  });

  test("consents leave and come in as files", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    await person.consent(shop, TOKEN, { our_chat: true });
    await open(page, `${placet.url}/projects/${shop.project}/proofs`);
    await page.getByRole("link", { name: "Export and import" }).click();
    await expect(page.getByRole("heading", { name: "Export and import" })).toBeVisible();

    const exported = async (): Promise<string> => {
      const downloads = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export" }).click();
      return readFile(await (await downloads).path(), "utf8");
    };
    const first = await exported();
    await expect(page.getByText("The file was asked for. Your browser shows how far it is.")).toBeVisible();
    expect(first.split("\r\n")[1]).toContain(`${TOKEN};cookies;${shop.configuration};1;`);
    await page.getByLabel("Format", { exact: true }).selectOption("ndjson");
    expect((JSON.parse(await exported()) as { token: string }).token).toBe(TOKEN);
    await page.getByLabel("To", { exact: true }).fill("2020-01-31");
    expect(await exported()).toBe("");
    // A refusal is said here, and the page stays.
    const refusal = { status: 429, contentType: "application/problem+json", body: JSON.stringify({ status: 429 }) };
    await page.route("**/ui/proofs/export", (route) => route.fulfill(refusal));
    await page.getByRole("button", { name: "Export" }).click();
    await expect(page.locator(".toast").last()).toContainText("That was too often in a short time. Please try again later.");
    await expect(page).toHaveURL(`${placet.url}/projects/${shop.project}/proofs/files`);

    const rows = (...more: string[]): { name: string; mimeType: string; buffer: Buffer } => ({
      name: "old.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(["token;collection;identifier;accept", ...more, ""].join("\r\n")),
    });
    const good = `visitor;cookies;${shop.configuration};1`;
    const file = page.getByLabel("File", { exact: true });
    const told = page.getByRole("status").filter({ hasText: "Invalid rows" });
    await file.setInputFiles(rows(good, "other;nothing;x;1"));
    await page.getByRole("button", { name: "Import" }).click();
    await expect(page.getByText("Nothing was imported")).toBeVisible();
    await expect(page.getByRole("row", { name: /^3 / })).toContainText("collection");
    await page.getByLabel("Import the good rows").check();
    await page.getByRole("button", { name: "Import" }).click();
    await expect(page.getByText("The good rows are imported.")).toBeVisible();
    await expect(told.locator(".tile", { hasText: "Imported" })).toContainText("1");
    await file.setInputFiles({ ...rows(good), name: "old.xlsx" });
    await page.getByRole("button", { name: "Import" }).click();
    await expect(page.getByText("Choose a file whose name ends in")).toBeVisible();
    await page.getByRole("link", { name: "Proofs" }).last().click();
    await expect(page.getByText("1–2 of 2")).toBeVisible();
  });
});
