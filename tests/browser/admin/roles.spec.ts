// Members who may not change everything: each page shows them what they may do, and no button that refuses them.

import { readFile } from "node:fs/promises";
import { type Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/test.ts";
import { pages } from "./pages.ts";
import { member, open, Person } from "./person.ts";

/** The controls of the page that can be used, by what people call them. */
const controls = (page: Page): Promise<string[]> =>
  page.locator("main").evaluate((main) => {
    const usable = main.querySelectorAll<HTMLElement>(
      "a.button, button:enabled, input:enabled, select:enabled, textarea:enabled, [contenteditable]",
    );
    const called = [...usable]
      .filter((one) => one.checkVisibility() && one.closest("[role=search]") === null)
      .map((one) => {
        const label = (one as HTMLInputElement).labels?.[0]?.textContent;
        return (one.getAttribute("aria-label") ?? label ?? one.textContent ?? "").trim().replaceAll(/\s+/g, " ");
      });
    return [...new Set(called)];
  });

/** Controls that only show, copy, export, ask for a look at the site, or leave the project. */
const READING = [
  /^Copy(?! to another project)/,
  /^(From|To|Show|Format|Export|Export and import|Report|Dossier \(ZIP\)|Download the proof|Verify in the browser|Print or save as PDF)$/,
  /^(Desktop|Phone|Light|Dark|First visit|Returning|Language of the preview|Refresh|Check site|Show proofs|Show consent forms|What visitors saw|Install)$/,
  /^(One file|Pinned file|Loader|Download as CSV|By language and country)$/,
  /^Pictures in the file: /,
  /^(The answer: the choice of each service, and the value of the pressed button|The visitor: the token and its kind|The circumstances: site, IP address, country, browser)$/,
  /^Leave: /,
];

/** Controls of a data protection officer besides. */
const OF_DPO = [...READING, /^(Erase|Audit log|What|Filter|Export as CSV)$/];

test("viewers and data protection officers are shown no control that would refuse", async ({ page, placet, context }) => {
  const owner = await Person.join(placet);
  const { paths, shop } = await pages(owner);
  const [viewer, dpo] = [await member(owner, shop.project, "viewer"), await member(owner, shop.project, "dpo")];
  // Warnings are read, and only others can fix them.
  await owner.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { privacyPolicyUrl: null });
  for (const [role, person, fit] of [["viewer", viewer, READING], ["dpo", dpo, OF_DPO]] as const) {
    await person.enter(context);
    for (const [name, path] of Object.entries(paths)) {
      // Viewers have no way to the audit log.
      if (!path.startsWith(`/projects/${shop.project}`) || (name === "audit log" && role === "viewer")) continue;
      await test.step(`${role}: ${name}`, async () => {
        await open(page, placet.url + path);
        const refusing = (await controls(page)).filter((control) => !fit.some((one) => one.test(control)));
        expect.soft(refusing, `${role}: ${name}`).toEqual([]);
        if (role === "viewer") await expect(page.getByRole("link", { name: "Audit log" })).toHaveCount(0);
      });
    }
  }
});

test("a data protection officer reads the audit log and erases a visitor's consents", async ({
  page,
  placet,
  context,
}) => {
  const owner = await Person.join(placet);
  const shop = await owner.shop();
  await owner.publish(shop.project);
  const consent = await owner.consent(shop, "a-visitor-with-a-long-token-0123456789", { our_chat: false });
  const dpo = await member(owner, shop.project, "dpo");
  await dpo.enter(context);
  await open(page, `${placet.url}/projects/${shop.project}/proofs/${consent}`);
  await page.getByRole("button", { name: "Erase" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: /^Erase/ }).click();
  await expect(page.getByText("Erased").first()).toBeVisible();

  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("link", { name: "Audit log" }).click();
  await expect(page.getByRole("heading", { name: "Audit log", level: 1 })).toBeVisible();
  const erased = page.getByRole("row").filter({ hasText: "Erased the consents of a visitor" });
  await expect(erased).toContainText(dpo.email);
  await expect(page.getByRole("row").filter({ hasText: "Gave a role" })).toContainText("Data protection officer");
  await expect(page.getByRole("row").filter({ hasText: "Read consents" })).toContainText(dpo.email);
  await expectAccessible(page);
  await page.getByLabel("What").selectOption({ label: "Published" });
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(erased).toHaveCount(0);
  await expect(page.getByRole("row").filter({ hasText: "Published" })).toContainText(owner.email);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`audit-${shop.project}.csv`);
  const [head, ...rows] = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
  expect(head).toBe("at;action;email;userId;keyName;keyId;collection;subjectId;title;details");
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatch(new RegExp(`^[^;]+;published;"?${owner.email}"?;`));
  await page.getByLabel("What").selectOption({ label: "Deleted a webhook" });
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByText("Nothing of this kind")).toBeVisible();
});
