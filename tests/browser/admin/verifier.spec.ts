// The page that verifies proofs in a browser: it answers as the program does, and asks nobody.

import { execFile } from "node:child_process";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Page, type TestInfo } from "@playwright/test";
import puppeteer from "puppeteer-core";
import { binary } from "../support/placet.ts";
import { expect, expectAccessible, expectAccessibleInBoth, test as base } from "../support/test.ts";
import { WebKit } from "../support/webkit.ts";
import { Person } from "./person.ts";

interface Report {
  outcome: string;
  verdict: string;
  shown: string[];
  warnings: string[];
  notShown: string[];
  stamps?: { url: string; command: string; files: { name: string; content: string }[] }[];
}

interface Proof {
  /** The page on a server. */
  url: string;
  bundle: Buffer;
  vkey: string;
  /** The key for ML-DSA-44. */
  mlDsa: string;
  /** The promise of the same consent, and the key that signed it. */
  promise: Buffer;
  promiseKey: string;
}

const test = base.extend<object, { proof: Proof }>({
  proof: [
    async ({ servers }, use) => {
      const placet = await servers("sqlite");
      const person = await Person.join(placet);
      const shop = await person.shop();
      await person.publish(shop.project);
      const token = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";
      const { consentId, receipt } = await person.answered(shop, token, { our_chat: true }, { receipt: true });
      const ask = (): Promise<Response> => person.call("GET", `/v1/app/consents/${shop.project}/${consentId}/proof`);
      let answer = await ask();
      await expect.poll(async () => (answer = await ask()).status).toBe(200);
      const about = (await (await fetch(`${placet.url}/.well-known/placet-ledger.json`)).json()) as { keys: { vkey: string }[]; promiseKey: string };
      await use({
        url: `${placet.url}/verify`,
        bundle: Buffer.from(await answer.arrayBuffer()),
        vkey: about.keys[0]!.vkey,
        mlDsa: about.keys[1]!.vkey,
        promise: Buffer.from(JSON.stringify(receipt.promise)),
        promiseKey: about.promiseKey,
      });
    },
    { scope: "worker", timeout: 120_000 },
  ],
});
// One server and one proof for all of them.
test.describe.configure({ mode: "default" });

/** Runs a program; its exit code and what it prints. */
function run(program: string, args: string[]): Promise<{ code: number; said: string; complained: string }> {
  return new Promise((done) => {
    execFile(program, args, (error, said, complained) => done({ code: error ? Number(error.code) : 0, said, complained }));
  });
}

/** The answer of `placet verify --json` about a file. */
async function native(file: string, ...trusting: string[]): Promise<Report> {
  return JSON.parse((await run(binary, ["verify", "--json", ...trusting, file])).said) as Report;
}

/** The answer that the page shows, once there is one; also in browsers that Playwright does not drive. */
function shown(): Report | null {
  const status = document.querySelector("#status")!;
  const verdict = status.querySelector("h2")?.textContent;
  const lines = (name: string): string[] => [...document.querySelectorAll(`#report .${name} li div`)].map((line) => line.textContent);
  if (verdict === undefined) return null;
  return { outcome: status.className, verdict, shown: lines("shown"), warnings: lines("warnings"), notShown: lines("notShown") };
}

async function answer(page: Page): Promise<Report | null> {
  await expect(page.locator("#status h2")).toBeVisible();
  return page.evaluate(shown);
}

/** The proof with a cosignature of a witness under each checkpoint, and the witness' key (c2sp.org/tlog-cosignature). */
function cosigned(bundle: Buffer): { seen: Buffer; witness: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const typed = Buffer.concat([Buffer.from([4]), publicKey.export({ type: "spki", format: "der" }).subarray(-32)]);
  const id = createHash("sha256").update("w.example\n").update(typed).digest().subarray(0, 4);
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(1_796_118_067n);
  const witnessed = (proof: string): string => {
    // The proof ends with the note: its text, an empty line, and the signatures.
    const [, , text] = /^(.*?\n\n)(.*\n)\n(?:\u2014[^\n]*\n)+$/s.exec(proof) as unknown as [string, string, string];
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime 1796118067\n${text}`), privateKey);
    return `${proof}\u2014 w.example ${Buffer.concat([id, time, signature]).toString("base64")}\n`;
  };
  const seen = JSON.parse(bundle.toString()) as { proofs: string[]; publication: { proof: string } };
  seen.proofs = seen.proofs.map(witnessed);
  seen.publication.proof = witnessed(seen.publication.proof);
  return { seen: Buffer.from(JSON.stringify(seen)), witness: `w.example+${id.toString("hex")}+${typed.toString("base64")}` };
}

/** An element of DER. */
function der(tag: number, ...parts: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

/** The proof with a time stamp (RFC 3161) of nobody over its checkpoint. */
function stamped(bundle: Buffer): Buffer {
  const seen = JSON.parse(bundle.toString()) as { proofs: string[]; timestamps: object[] };
  const [, checkpoint, text] = /\n\n((.*\n)\n(?:\u2014[^\n]*\n)+)$/s.exec(seen.proofs[0]!) as unknown as [string, string, string];
  const id = (hex: string): Buffer => der(6, Buffer.from(hex, "hex"));
  const sha256 = der(0x30, id("608648016503040201"), [5, 0]);
  const imprint = der(0x30, sha256, der(4, createHash("sha256").update(text).digest()));
  const facts = der(0x30, [2, 1, 1], id("2a03"), imprint, [2, 1, 7], der(0x18, Buffer.from("20261201094107Z")));
  const inner = der(0x30, id("2a864886f70d0109100104"), der(0xa0, der(4, facts)));
  const signed = der(0x30, [2, 1, 3], der(0x31), inner, der(0x31, der(0x30)));
  const token = der(0x30, id("2a864886f70d010702"), der(0xa0, signed)).toString("base64");
  seen.timestamps.push({ url: "https://tsa.example/a", checkpoint, token });
  return Buffer.from(JSON.stringify(seen));
}

/** The proof with a list of pictures that stands behind its consent, in a checkpoint that nobody believed has signed. */
function pictured(bundle: Buffer): Buffer {
  const sha256 = (...parts: (Buffer | string)[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
  const seen = JSON.parse(bundle.toString()) as { record: { core: { json: string } }; proofs: string[]; evidence?: object };
  const { publication } = JSON.parse(seen.record.core.json) as { publication: string };
  const text = sha256("Cookies?").toString("hex");
  const picture = { layer: "hello", language: "en", width: 360, height: 740, sha256: sha256("RIFF").toString("hex"), bytes: 4, text };
  const facts = { format: "placet-pictures/1", publication, takenAt: "2026-11-25T07:00:00.000Z", browser: "Chromium 1", sdk: "s" };
  const pictures = JSON.stringify({ ...facts, pictures: [picture], texts: { [text]: "Cookies?" } });
  const entered = JSON.stringify({ publication, pictures: sha256(pictures).toString("hex") });
  const entry = Buffer.concat([Buffer.from([4]), Buffer.from(entered)]);
  // The last one of 4,096 leaves, whose others are told by one hash at each height.
  const beside = Buffer.alloc(32);
  let root = sha256(Buffer.from([0]), entry);
  for (let height = 0; height < 12; height++) root = sha256(Buffer.from([1]), beside, root);
  const [, origin] = /\n\n([^\n]+)\n/.exec(seen.proofs[0]!) as unknown as [string, string];
  const path = `${beside.toString("base64")}\n`.repeat(12);
  const note = `${origin}\n4096\n${root.toString("base64")}\n\n\u2014 s.example AAAAAAA=\n`;
  seen.evidence = { entry: entry.toString("base64"), index: 4095, proof: `c2sp.org/tlog-proof@v1\nindex 4095\n${path}\n${note}`, pictures };
  return Buffer.from(JSON.stringify(seen));
}

const named = (buffer: Buffer, name = "a.placet-proof.json"): { name: string; mimeType: string; buffer: Buffer } => ({
  name,
  mimeType: "application/json",
  buffer,
});

/** The proof as a file, changed at one place. */
async function file(info: TestInfo, name: string, bytes: Buffer): Promise<string> {
  const path = info.outputPath(name);
  await writeFile(path, bytes);
  return path;
}

/** Chooses the proof and names the key, without a driver for files. */
function choose(bundle: string, vkey: string): void {
  const files = new DataTransfer();
  files.items.add(new File([Uint8Array.from(atob(bundle), (sign) => sign.charCodeAt(0))], "a.placet-proof.json"));
  document.querySelector<HTMLTextAreaElement>("#trusted")!.value = vkey;
  const input = document.querySelector<HTMLInputElement>("#file")!;
  input.files = files.files;
  input.dispatchEvent(new Event("change"));
}

test("the page answers as the program does, and asks nobody", async ({ page, proof }, info) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(proof.url);
  const whom = page.getByLabel("Whom do you believe?");
  const chosen = page.getByLabel("The proof", { exact: true });
  const verify = page.getByRole("button", { name: "Verify" });

  // Nobody is believed, then the key of the installation.
  const right = await file(info, "right", proof.bundle);
  await chosen.setInputFiles(named(proof.bundle));
  const unsigned = await answer(page);
  expect(unsigned).toEqual(await native(right));
  expect(unsigned?.warnings.join()).toContain("No signature was checked");
  await whom.fill(`# from the contract\n${proof.vkey}\n`);
  await expect(page.getByRole("status")).toBeEmpty();
  await verify.click();
  const signed = await answer(page);
  expect(signed).toEqual(await native(right, "--key", proof.vkey));
  expect(signed?.outcome).toBe("unwitnessed");
  expect(signed?.shown).toContain("The ledger's signature is right.");
  expect(signed?.notShown).toHaveLength(3);
  await expect(page.getByRole("status").getByRole("heading", { level: 2 })).toHaveText(/^This consent was given on .* as the operator states\./);

  // By ML-DSA-44, too.
  await whom.fill(`${proof.vkey}\n${proof.mlDsa}\n`);
  await verify.click();
  const both = await answer(page);
  expect(both).toEqual(await native(right, "--key", proof.vkey, "--key", proof.mlDsa));
  expect(both?.shown).toContain("Its signature by ML-DSA-44 was checked.");
  expect(signed?.shown).not.toContain("Its signature by ML-DSA-44 was checked.");

  // A file of trust, with the same answer in both.
  const policy = await file(info, "trusted.policy", Buffer.from(`log ${proof.vkey}\nquorum none\n`));
  await page.getByLabel("Or a file with the keys or the policy").setInputFiles(policy);
  await expect(whom).toHaveValue(`log ${proof.vkey}\nquorum none\n`);
  expect(await answer(page)).toEqual(await native(right, "--policy", policy));
  const keys = await file(info, "keys", Buffer.from(`${proof.vkey}\n`));
  expect(await native(right, "--policy", keys)).toEqual(signed);

  // An independent witness.
  const { seen, witness } = cosigned(proof.bundle);
  const witnesses = `log ${proof.vkey}\nwitness W ${witness}\nquorum W\n`;
  await whom.fill(witnesses);
  await chosen.setInputFiles(named(seen));
  const verified = await answer(page);
  const trusting = await file(info, "witnesses", Buffer.from(witnesses));
  expect(verified).toEqual(await native(await file(info, "seen", seen), "--policy", trusting));
  expect(verified?.outcome).toBe("verified");
  expect(verified?.verdict).toContain("at the latest, as one independent witness signed.");

  // One changed fact.
  const text = proof.bundle.toString();
  const at = text.indexOf('\\"accept\\":true') + '\\"accept\\":'.length;
  expect(at).toBeGreaterThan(20);
  const changed = Buffer.from(`${text.slice(0, at)}null${text.slice(at + 4)}`);
  await chosen.setInputFiles(named(changed));
  const failed = await answer(page);
  expect(failed).toEqual(await native(await file(info, "changed", changed), "--policy", trusting));
  expect(failed).toMatchObject({ outcome: "failed", shown: [], warnings: [] });

  // The facts of a stranger are text.
  const markup = Buffer.from(text.replace("{", '{"<img src=x onerror=alert(1)>\u202e":1,'));
  await chosen.setInputFiles(named(markup));
  const strange = await answer(page);
  expect(strange?.verdict).toContain("unknown field `<img src=x onerror=alert(1)>\\u{202e}`");
  expect(strange).toEqual(await native(await file(info, "markup", markup), "--policy", trusting));
  await expect(page.locator("img")).toHaveCount(0);

  // Questions without an answer.
  await whom.fill("a+b");
  await verify.click();
  expect(await answer(page)).toEqual({
    outcome: "unjudged",
    verdict: "Not checked: a vkey is `name+id+key`.",
    shown: [],
    warnings: [],
    notShown: [],
  });
  expect(await run(binary, ["verify", "--key", "a+b", right])).toMatchObject({ code: 2, complained: "placet: a vkey is `name+id+key`\n" });
  await chosen.setInputFiles(named(Buffer.alloc((16 << 20) + 1, " ")));
  expect((await answer(page))?.verdict).toBe("Not checked: the file is longer than 16 MiB.");
  await chosen.setInputFiles([]);
  await verify.click();
  expect((await answer(page))?.verdict).toBe("Not checked: choose a proof first.");

  expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([proof.url]);
  expect(errors).toEqual([]);
});

test("a proof is dropped on the page, and a file of trust on its field", async ({ page, proof }) => {
  await page.goto(proof.url);
  const drop = (selector: string, name: string, ...contents: string[]): Promise<void> =>
    page.evaluate(
      ([selector, name, contents]) => {
        const dataTransfer = new DataTransfer();
        for (const content of contents) dataTransfer.items.add(new File([content], name));
        const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
        document.querySelector(selector)!.dispatchEvent(event);
        if (!event.defaultPrevented) throw new Error("the browser would open the file");
      },
      [selector, name, contents] as const,
    );
  const bundle = proof.bundle.toString();
  await drop("#trusted", "ledger.txt", proof.vkey);
  await expect(page.getByLabel("Whom do you believe?")).toHaveValue(proof.vkey);
  await drop("h1", "a.placet-proof.json", bundle, bundle);
  expect((await answer(page))?.verdict).toBe("Not checked: of two files, one is a promise and one a proof.");
  await drop("h1", "a.placet-proof.json", bundle);
  await expect(page.getByRole("status")).toContainText("This consent was given on");
  expect((await answer(page))?.shown).toContain("The ledger's signature is right.");
  expect(await page.getByLabel("The proof", { exact: true }).evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe("a.placet-proof.json");
});

test("a promise is compared with the proof of its consent", async ({ page, proof }, info) => {
  await page.goto(proof.url);
  await page.getByLabel("Whom do you believe?").fill(`${proof.vkey}\n${proof.promiseKey}\n`);
  const trusting = ["--key", proof.vkey, "--key", proof.promiseKey];
  const chosen = page.getByLabel("The proof", { exact: true });
  const promise = named(proof.promise, "a.placet-promise.json");
  const path = await file(info, "promise", proof.promise);
  await chosen.setInputFiles(promise);
  const alone = await answer(page);
  expect(alone).toEqual(await native(path, ...trusting));
  expect(alone?.outcome).toBe("open");
  await chosen.setInputFiles([named(proof.bundle), promise]);
  await expect(page.getByRole("status")).toContainText("The promise was kept: it stands at index");
  const bundle = await file(info, "bundle", proof.bundle);
  expect(await answer(page)).toEqual(await native(path, "--proof", bundle, ...trusting));
  await expectAccessible(page);
  await chosen.setInputFiles([named(proof.bundle), promise, promise]);
  expect((await answer(page))?.verdict).toBe("Not checked: two files at most: a promise and its proof.");
});

test("pictures that were entered after the consent are told as such", async ({ page, proof }, info) => {
  const bundle = pictured(proof.bundle);
  await page.goto(proof.url);
  await page.getByLabel("The proof", { exact: true }).setInputFiles(named(bundle));
  const told = await answer(page);
  const { outcome, verdict, shown: facts, warnings, notShown } = await native(await file(info, "pictured", bundle));
  expect(told).toEqual({ outcome, verdict, shown: facts, warnings, notShown });
  expect(outcome).toBe("unwitnessed");
  expect(warnings.join("\n")).toMatch(/^The list of pictures was entered after this consent: it stands at index 4095, and the consent at \d+\.$/m);
});

test("the files of a time stamp are saved for others to check it", async ({ page, proof }, info) => {
  const bundle = stamped(proof.bundle);
  await page.goto(proof.url);
  await page.getByLabel("Whom do you believe?").fill(proof.vkey);
  await page.getByLabel("The proof", { exact: true }).setInputFiles(named(bundle));
  const told = await answer(page);
  const { stamps, ...report } = await native(await file(info, "stamped", bundle), "--key", proof.vkey);
  expect(told).toEqual(report);
  expect(told?.verdict).toContain(
    "1 December 2026, 09:41:07 UTC at the latest, as the time stamp of https://tsa.example/a says, whose signature was not checked here.",
  );
  expect(told?.warnings.join()).toContain(stamps![0]!.command);
  for (const { name, content } of stamps![0]!.files) {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: `Save ${name}` }).click();
    expect((await download).suggestedFilename()).toBe(name);
    const saved = info.outputPath(name);
    await (await download).saveAs(saved);
    expect((await readFile(saved)).toString("base64")).toBe(content);
  }
  await expectAccessible(page);
});

test("the page is kept as it came, and works as a file without a network", async ({ page, context, proof, playwright }, info) => {
  const request = await playwright.request.newContext();
  const served = await request.get(proof.url);
  const policy = served.headers()["content-security-policy"]!;
  expect(policy).toContain("default-src 'none'; script-src 'sha256-");
  expect(policy).toContain("connect-src 'none'");
  expect(policy).toMatch(/; frame-ancestors 'none'$/);
  const tag = served.headers().etag!;
  expect((await request.get(proof.url, { headers: { "if-none-match": tag } })).status()).toBe(304);
  const html = await served.text();
  expect(html).toContain(policy.replace("; frame-ancestors 'none'", ""));
  await request.dispose();

  await page.goto(proof.url);
  // It changes nothing in the copy that a proof was checked before.
  await page.getByLabel("The proof", { exact: true }).setInputFiles(named(proof.bundle));
  await answer(page);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save this page" }).click();
  const kept = info.outputPath("placet-verify.html");
  expect((await download).suggestedFilename()).toBe("placet-verify.html");
  await (await download).saveAs(kept);
  expect(await readFile(kept, "utf8")).toBe(html);

  await context.setOffline(true);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(pathToFileURL(kept).href);
  await page.getByLabel("Whom do you believe?").fill(proof.vkey);
  await page.getByLabel("The proof", { exact: true }).setInputFiles(named(proof.bundle));
  const right = await file(info, "right", proof.bundle);
  expect(await answer(page)).toEqual(await native(right, "--key", proof.vkey));
  expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([pathToFileURL(kept).href]);
  // The policy in the page itself is in force.
  const refused = await page.evaluate(
    () =>
      new Promise<string>((done) => {
        addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective));
        fetch("https://consent.example/").catch(() => {});
      }),
  );
  expect(refused).toBe("connect-src");
});

test("a file that is damaged in one byte gets the same answer from page and program", async ({ page, proof }, info) => {
  test.slow();
  await page.goto(proof.url);
  const damages = Array.from({ length: 400 }, (_, number) => {
    const at = (number * 7_919 + 13) % proof.bundle.length;
    return [at, proof.bundle[at]! ^ (1 + ((number * 31) % 255))] as const;
  });
  await page.evaluate(`globalThis.shown = ${shown.toString()}`);
  const judged = await page.evaluate(
    async ([bundle, vkey, damages]) => {
      const right = Uint8Array.from(atob(bundle), (sign) => sign.charCodeAt(0));
      const status = document.querySelector("#status")!;
      const input = document.querySelector<HTMLInputElement>("#file")!;
      document.querySelector<HTMLTextAreaElement>("#trusted")!.value = vkey;
      const reports: (Report | null)[] = [];
      for (const [at, byte] of damages) {
        const files = new DataTransfer();
        const damaged = right.slice();
        damaged[at] = byte;
        files.items.add(new File([damaged], "a.placet-proof.json"));
        input.files = files.files;
        input.dispatchEvent(new Event("change"));
        await new Promise<void>((done) => {
          const observer = new MutationObserver(() => {
            if (!status.firstChild) return;
            observer.disconnect();
            done();
          });
          observer.observe(status, { childList: true });
        });
        reports.push((globalThis as unknown as { shown: typeof shown }).shown());
      }
      return reports;
    },
    [proof.bundle.toString("base64"), `${proof.vkey}\n${proof.mlDsa}`, damages] as const,
  );
  const program = join(dirname(binary), "placet-verify");
  // A changed name or id makes a line that of another key, which means nothing; the other line is good still.
  const name = 4 + proof.vkey.indexOf("+") + 1 + 6;
  const isName = (at: number): boolean => {
    const line = proof.bundle.lastIndexOf("\u2014 ", at);
    return line >= 0 && at < line + name;
  };
  for (const [number, [at, byte]] of damages.entries()) {
    const damaged = Buffer.from(proof.bundle);
    damaged[at] = byte;
    const path = await file(info, "damaged", damaged);
    const { code, said } = await run(program, ["--json", "--key", proof.vkey, "--key", proof.mlDsa, path]);
    expect(judged[number], `byte ${at} is ${byte}`).toEqual(JSON.parse(said));
    // All else is bound: no other byte says the same.
    expect(isName(at) ? [1, 3] : [1], `byte ${at} is ${byte}: ${said}`).toContain(code);
  }
});

test("the page is accessible, on phones too", async ({ page, proof }) => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 860 });
    await page.goto(proof.url);
    const fits = async (): Promise<void> => {
      await expectAccessibleInBoth(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    };
    await fits();
    const chosen = page.getByLabel("The proof", { exact: true });
    await page.getByLabel("Whom do you believe?").fill(proof.vkey);
    await chosen.setInputFiles(named(proof.bundle));
    await expect(page.getByRole("status")).toContainText("This consent was given on");
    await fits();
    await chosen.setInputFiles(named(Buffer.from("{}")));
    await expect(page.getByRole("status")).toContainText("This proof is not in order");
    await fits();
    await page.getByLabel("Whom do you believe?").fill("?");
    await page.getByRole("button", { name: "Verify" }).click();
    await expect(page.getByRole("status")).toContainText("Not checked");
    await fits();
  }
});

/** The page as a file, as people keep it. */
async function kept(proof: Proof, info: TestInfo): Promise<string> {
  const path = await file(info, "placet-verify.html", Buffer.from(await (await fetch(proof.url)).arrayBuffer()));
  return pathToFileURL(path).href;
}

test("the page answers in Firefox, from a file", async ({ proof }, info) => {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.PLACET_FIREFOX ?? "/usr/bin/firefox-esr",
    headless: true,
  });
  try {
    const tab = await browser.newPage();
    await tab.goto(await kept(proof, info));
    await tab.evaluate(choose, proof.bundle.toString("base64"), proof.vkey);
    await expect.poll(() => tab.evaluate(shown)).not.toBeNull();
    const right = await file(info, "right", proof.bundle);
    expect(await tab.evaluate(shown)).toEqual(await native(right, "--key", proof.vkey));
  } finally {
    await browser.close();
  }
});

test("the page answers in WebKit, from a file", async ({ proof }, info) => {
  const webkit = await WebKit.start();
  try {
    const tab = await webkit.tab();
    await tab.goto(await kept(proof, info));
    await tab.run(choose, proof.bundle.toString("base64"), proof.vkey);
    await expect.poll(() => tab.run(shown)).not.toBeNull();
    const right = await file(info, "right", proof.bundle);
    expect(await tab.run(shown)).toEqual(await native(right, "--key", proof.vkey));
    await tab.close();
  } finally {
    await webkit.stop();
  }
});
