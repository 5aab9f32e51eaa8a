// "Go to" finds pages and projects from everywhere, and keys lead there at once.

import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { member, open, Person } from "./person.ts";

onOne("sqlite", () => {
  test("pages and projects are found by name, with the keyboard alone", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const bakery = { websiteURL: "https://bakery.example", title: "Bakery" };
    const made = await person.call("POST", "/v1/vault/projects", bakery);
    const { id } = (await made.json()) as { id: string };
    await open(page, `${placet.url}/projects/${shop.project}/design`);

    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Go to" });
    const field = dialog.getByRole("combobox", { name: "Go to" });
    await expect(field).toBeFocused();
    const places = dialog.getByRole("option");
    // Pages of this project come first.
    await expect(places.first()).toContainText("Overview");
    await expect(places.first()).toHaveAttribute("aria-selected", "true");
    await expect(places.filter({ hasText: "Bakery" })).toHaveCount(1);
    await expectAccessible(page);
    await page.keyboard.type("publ");
    await expect(places.first()).toContainText("Publish");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(`${placet.url}/projects/${shop.project}/publish`);
    await expect(dialog).toBeHidden();

    await page.getByRole("button", { name: "Go to" }).click();
    await page.keyboard.type("bak");
    await expect(places).toHaveCount(1);
    await expect(places).toContainText("bakery.example");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(`${placet.url}/projects/${id}`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("nothing like it");
    await expect(dialog.getByRole("status")).toHaveText("No page, service or project has this in its name.");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  test("pages below others, proofs and services are found as well", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    const token = "a-visitor-with-a-long-token-0123456789";
    const consent = await person.consent(shop, token, { our_chat: true });
    const project = `${placet.url}/projects/${shop.project}`;
    await open(page, project);
    const dialog = page.getByRole("dialog", { name: "Go to" });
    const places = dialog.getByRole("option");
    for (const [typed, place, path] of [
      ["report", "Report", "/proofs/report"],
      ["visitors saw", "What visitors saw", "/proofs/publications"],
      ["export", "Export and import", "/proofs/files"],
      ["audit", "Audit log", "/people/audit"],
      [consent, "Proof of consent", `/proofs/${consent}`],
      [token, "Proofs of this token", `/proofs?token=${token}`],
      ["our ch", "Our chat", `/vendors?service=${shop.vendor}`],
    ] as const) {
      await page.keyboard.press("Control+k");
      await expect(dialog.getByRole("combobox")).toBeFocused();
      await page.keyboard.insertText(typed);
      await expect(places.first()).toContainText(place);
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(project + path);
      await expect(dialog).toBeHidden();
    }
    await expect(page.locator("dialog.drawer")).toHaveAccessibleName("Our chat");

    // The audit log refuses viewers, who are not led there.
    const viewer = await member(person, shop.project, "viewer");
    await viewer.enter(context);
    await open(page, project);
    const may = page.waitForResponse("**/ui/audit/may-read");
    await page.keyboard.press("Control+k");
    expect(await (await may).json()).toBe(false);
    await expect(dialog.getByRole("combobox")).toBeFocused();
    await page.keyboard.insertText("audit");
    await expect(dialog.getByRole("status")).toBeVisible();
    await expect(places).toHaveCount(0);
  });

  test("single letters lead to pages, unless somebody types or has turned them off", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const project = `${placet.url}/projects/${shop.project}`;
    await open(page, project);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await expect(page).toHaveURL(`${project}/vendors`);
    const search = page.getByRole("main").getByRole("searchbox").first();
    await expect(search).toBeVisible();
    await page.keyboard.press("/");
    await expect(search).toBeFocused();
    // Somebody who types goes nowhere.
    await page.keyboard.type("gp?");
    await expect(search).toHaveValue("gp?");
    await open(page, project);
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    await expect(help.getByRole("term").filter({ hasText: "g p" })).toHaveCount(1);
    await expectAccessible(page);
    await help.getByRole("switch", { name: "Single letters do something" }).click();
    await page.keyboard.press("Escape");
    await expect(help).toBeHidden();
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    // Keys are handled in order: had the first one done something, both dialogs would be there.
    await expect(page.getByRole("dialog", { name: "Go to" })).toBeVisible();
    await expect(help).toBeHidden();
  });
});
