// API keys: made with scopes, shown once, revoked.

import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { hold, open, Person } from "./person.ts";

onOne("sqlite", () => {
  test("a key is made for one purpose, shown once, and revoked", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    const shop = await person.shop();
    const other = await person.make("projects", { title: "Another", websiteURL: "https://other.example" });
    await person.enter(context);
    await open(page, `${placet.url}/account`);
    await page.getByRole("link", { name: "API keys" }).click();
    await expect(page.getByRole("heading", { name: "No keys yet" })).toBeVisible();
    await page.getByRole("button", { name: "New API key" }).first().click();
    const form = page.getByRole("dialog", { name: "New API key" });
    await form.getByRole("checkbox", { name: "Read" }).uncheck();
    await form.getByRole("button", { name: "Create key" }).click();
    await expect(form.getByLabel("Name")).toHaveAccessibleDescription(/This value is not valid/);
    await expect(form.getByRole("group", { name: "Permissions" })).toContainText("This field is required.");
    const projects = form.getByRole("group", { name: "Projects" });
    await expect(projects).toContainText("This field is required.");
    await expectAccessible(page);
    await form.getByLabel("Name").fill("Export");
    await form.getByRole("checkbox", { name: "Read" }).check();
    await form.getByRole("searchbox", { name: "Find a project" }).fill("corner");
    await expect(projects.getByRole("checkbox")).toHaveCount(1);
    await form.getByRole("checkbox", { name: "Corner shop" }).check();
    // A chosen project stays in sight, whatever is looked for next.
    await form.getByRole("searchbox", { name: "Find a project" }).fill("another");
    await expect(projects.getByRole("checkbox")).toHaveCount(2);
    await expect(form.getByRole("checkbox", { name: "Corner shop" })).toBeChecked();
    await form.getByRole("button", { name: "Create key" }).click();
    await expect(form.getByText(/It is shown only once/)).toBeVisible();
    const secret = (await form.locator("pre code").innerText()).trim();
    const read = async (project: string): Promise<number> =>
      (await fetch(`${placet.url}/v1/vault/projects/${project}`, { headers: { authorization: `Bearer ${secret}` } })).status;
    expect([await read(shop.project), await read(other.id)]).toEqual([200, 404]);
    await expectAccessible(page);
    await form.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("listitem").filter({ hasText: "Export" });
    await expect(row).toContainText(secret.slice(0, 13));
    await expect(row).toContainText("Corner shop");

    await open(page, `${placet.url}/account/keys`);
    expect(await page.content()).not.toContain(secret);

    // All projects are a choice of their own.
    await page.getByRole("button", { name: "New API key" }).first().click();
    await form.getByLabel("Name").fill("Everything");
    await form.getByRole("radio", { name: /^All of my projects/ }).check();
    await form.getByRole("button", { name: "Create key" }).click();
    await form.getByRole("button", { name: "Done" }).click();
    const all = page.getByRole("listitem").filter({ hasText: "Everything" });
    await expect(all).toContainText("all of your projects");
    await all.getByRole("button", { name: "Revoke: Everything" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await expect(all).toHaveCount(0);
    await row.getByRole("button", { name: "Revoke: Export" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await expect(page.getByRole("heading", { name: "No keys yet" })).toBeVisible();
    expect(await read(shop.project)).toBe(403);
  });

  test("nobody closes the dialog of a new key before its secret is shown", async ({ page, placet, context }) => {
    await (await Person.join(placet)).enter(context);
    await open(page, `${placet.url}/account/keys`);
    await page.getByRole("button", { name: "New API key" }).first().click();
    const form = page.getByRole("dialog", { name: "New API key" });
    await form.getByLabel("Name").fill("Export");
    await form.getByRole("radio", { name: /^All of my projects/ }).check();
    const go = await hold(page, "**/ui/account/keys/make");
    await form.getByRole("button", { name: "Create key" }).click();
    for (const name of ["Cancel", "Close"]) await expect(form.getByRole("button", { name })).toBeDisabled();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press("Escape");
    await expect(form.getByLabel("Name")).toHaveValue("Export");
    go();
    await expect(form.getByText(/It is shown only once/)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(form).toBeHidden();
  });

  test("a key reaches any of more than a hundred projects", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    const project = (title: string) => person.make("projects", { title, websiteURL: "https://shop.example" });
    await Promise.all(Array.from({ length: 100 }, (_, at) => project(`Shop ${at}`)));
    const last = await project("Zoo");
    await person.enter(context);
    await open(page, `${placet.url}/account/keys`);
    await page.getByRole("button", { name: "New API key" }).first().click();
    const form = page.getByRole("dialog", { name: "New API key" });
    const projects = form.getByRole("group", { name: "Projects" });
    await expect(projects).toContainText("101 projects");
    await expect(projects.getByRole("checkbox", { name: "Zoo" })).toHaveCount(0);
    await form.getByRole("searchbox", { name: "Find a project" }).fill("zoo");
    await projects.getByRole("checkbox", { name: "Zoo" }).check();
    await form.getByLabel("Name").fill("Zoo");
    await form.getByRole("button", { name: "Create key" }).click();
    await expect(form.getByText(/It is shown only once/)).toBeVisible();
    const keys = (await (await person.call("GET", "/v1/auth/keys")).json()) as { projects: string[] }[];
    expect(keys.map(({ projects }) => projects)).toEqual([[last.id]]);
  });
});
