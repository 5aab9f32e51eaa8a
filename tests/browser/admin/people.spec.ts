// Members, roles and invitations of projects and organizations.

import { randomUUID } from "node:crypto";
import { expect, expectAccessible, onOne, test as plain } from "../support/test.ts";
import { test } from "./office.ts";
import { open, Person } from "./person.ts";

onOne("postgres", () => {
  test("an owner invites, changes roles, takes back and removes", async ({ page, office, context }) => {
    const { placet } = office;
    const [owner, guest] = [await Person.join(placet), await Person.join(placet)];
    await office.verify(owner);
    const shop = await owner.shop();
    await owner.enter(context);
    await open(page, `${placet.url}/projects/${shop.project}`);
    await page.getByRole("link", { name: "People" }).click();
    await expect(page.getByText("No open invitations")).toBeVisible();

    await page.getByRole("button", { name: "Invite someone" }).click();
    const form = page.getByRole("dialog", { name: "Invite someone" });
    await form.getByLabel("E-mail").fill("nobody");
    await form.getByRole("button", { name: "Send invitation" }).click();
    await expect(form.getByLabel("E-mail")).toHaveAccessibleDescription("Enter a valid e-mail address.");
    await expectAccessible(page);
    await form.getByLabel("E-mail").fill(guest.email);
    await form.getByLabel("Role").selectOption({ label: "Viewer" });
    await form.getByRole("button", { name: "Send invitation" }).click();
    const invitations = page.getByRole("region", { name: "Invitations" });
    await expect(invitations.getByText(guest.email)).toBeVisible();

    const token = new URL(await office.link(guest.email, "invites you")).searchParams.get("token");
    expect((await guest.call("POST", `/v1/auth/invitations/${token}/accept`)).status).toBe(200);
    await open(page, `${placet.url}/projects/${shop.project}/people`);
    const members = page.getByRole("region", { name: "Members" });
    const row = members.getByRole("listitem").filter({ hasText: guest.email });
    await row.getByLabel(/^Role/).selectOption({ label: "Editor" });
    await expect(page.getByText("Role changed")).toBeVisible();
    expect((await guest.call("PATCH", `/v1/vault/projects/${shop.project}`, { title: "Ours" })).status).toBe(200);

    // An owner is made after a question.
    const question = page.getByRole("dialog", { name: "Make Ada Lovelace an owner?" });
    await row.getByLabel(/^Role/).selectOption({ label: "Owner" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(row.getByLabel(/^Role/)).toHaveValue("editor");
    const own = members.getByRole("listitem").filter({ hasText: owner.email });
    // The own role is chosen by keys alone. They send none of those that they pass.
    const change = page.getByRole("dialog", { name: "Change your own role?" });
    const role = change.getByLabel("Role");
    const sent: unknown[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/ui/people/set")) sent.push((request.postDataJSON() as { role: string }).role);
    });
    await own.getByRole("button", { name: "Change my role" }).press("Enter");
    await role.press("ArrowUp");
    await role.press("ArrowUp");
    await expect(role).toHaveValue("dpo");
    await page.keyboard.press("Escape");
    await expect(change).toBeHidden();
    await expect(own.getByText("Owner", { exact: true })).toBeVisible();
    expect(sent).toEqual([]);
    // The last owner stays an owner.
    await own.getByRole("button", { name: "Change my role" }).press("Enter");
    await expect(role).toHaveValue("owner");
    for (const key of ["ArrowUp", "ArrowUp", "ArrowUp"]) await role.press(key);
    await expect(role).toHaveValue("viewer");
    await change.getByRole("button", { name: "Change my role" }).press("Enter");
    await expect(change.getByText("The last owner cannot leave or lose this role")).toBeVisible();
    expect(sent).toEqual(["viewer"]);
    await page.keyboard.press("Escape");
    await expect(own.getByText("Owner", { exact: true })).toBeVisible();

    await row.getByRole("button", { name: /^Remove/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect(row).toHaveCount(0);
    expect((await guest.call("GET", `/v1/vault/projects/${shop.project}`)).status).toBe(404);

    // A pending invitation can be revoked.
    const other = `n${randomUUID().slice(0, 8)}@shop.example`;
    expect((await owner.call("POST", "/v1/auth/invitations", { email: other, projectId: shop.project })).ok).toBe(true);
    await open(page, `${placet.url}/projects/${shop.project}/people`);
    await invitations.getByRole("button", { name: `Revoke: ${other}` }).click();
    await expect(page.getByText("No open invitations")).toBeVisible();
  });

  plain("without mail, people are added by their id; a viewer reads and leaves", async ({
    page,
    placet,
    context,
  }) => {
    const [owner, guest] = [await Person.join(placet), await Person.join(placet)];
    const shop = await owner.shop();
    const { id } = (await (await guest.call("GET", "/v1/auth/me")).json()) as { id: string };
    await owner.enter(context);
    await open(page, `${placet.url}/projects/${shop.project}/people`);
    await page.getByRole("button", { name: "Add someone" }).click();
    const form = page.getByRole("dialog", { name: "Add someone" });
    await form.getByLabel("Account ID").fill("nonsense");
    await form.getByRole("button", { name: "Add" }).click();
    await expect(form.getByLabel("Account ID")).toHaveAccessibleDescription(/There is no such user/);
    await form.getByLabel("Account ID").fill(id);
    await form.getByLabel("Role").selectOption({ label: "Viewer" });
    await form.getByRole("button", { name: "Add" }).click();
    await expect(page.getByText(guest.email)).toBeVisible();

    await guest.enter(context);
    await open(page, `${placet.url}/projects/${shop.project}/people`);
    await expect(page.getByRole("button", { name: "Add someone" })).toHaveCount(0);
    await expect(page.getByRole("region", { name: "Invitations" })).toHaveCount(0);
    await page.getByRole("button", { name: /^Leave/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await expect(page.getByRole("heading", { name: "Start with your site" })).toBeVisible();
  });

  plain("an organization is made, renamed, shares a project, and is deleted when empty", async ({
    page,
    placet,
    context,
  }) => {
    const [owner, guest] = [await Person.join(placet), await Person.join(placet)];
    const shop = await owner.shop();
    const { id } = (await (await guest.call("GET", "/v1/auth/me")).json()) as { id: string };
    await owner.enter(context);
    await open(page, `${placet.url}/`);
    await page.getByRole("link", { name: "Organizations" }).click();
    await expect(page.getByRole("heading", { name: "Work together" })).toBeVisible();
    await page.getByRole("button", { name: "New organization" }).first().click();
    const form = page.getByRole("dialog", { name: "New organization" });
    await form.getByRole("button", { name: "Create organization" }).click();
    await expect(form.getByLabel("Name")).toHaveAccessibleDescription("This value is not valid.");
    await form.getByLabel("Name").fill("Shop Ltd");
    await form.getByRole("button", { name: "Create organization" }).click();
    await expect(page.getByRole("heading", { name: "Shop Ltd", level: 1 })).toBeVisible();
    await expect(page.getByText("No project is part of it yet.")).toBeVisible();
    const organization = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await page.getByRole("textbox", { name: "Name" }).fill("Shop & Sons");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: "Shop & Sons", level: 1 })).toBeVisible();
    expect((await owner.call("POST", `/v1/organizations/${organization}/users`, { userId: id })).ok).toBe(true);

    await open(page, `${placet.url}/projects/${shop.project}/settings`);
    await page.getByLabel("Organization").selectOption({ label: "Shop & Sons" });
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.locator(".toast")).toContainText("Saved");
    expect((await guest.call("GET", `/v1/vault/projects/${shop.project}`)).status).toBe(200);
    await open(page, `${placet.url}/projects/${shop.project}/people`);
    await expect(page.getByText("The members of “Shop & Sons” also take part")).toBeVisible();

    const end = async (): Promise<void> => {
      await page.getByRole("button", { name: "Delete organization" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete organization" });
      await expect(dialog.getByRole("button", { name: "Delete organization" })).toBeDisabled();
      await dialog.getByLabel("To confirm, type “Shop & Sons”").fill("Shop & Sons");
      await page.keyboard.press("Enter");
    };
    await page.getByRole("link", { name: "Show the organization" }).click();
    const projects = page.getByRole("region", { name: "Projects" });
    await expect(projects.getByRole("link")).toHaveAttribute("href", `/projects/${shop.project}`);
    await end();
    await expect(page.getByText("It still has projects or services")).toBeVisible();
    await owner.call("PATCH", `/v1/vault/projects/${shop.project}`, { organizationId: null });
    await end();
    await expect(page.getByRole("heading", { name: "Work together" })).toBeVisible();
  });

  plain("an organization lists all of its projects, page by page", async ({ page, placet, context }) => {
    const owner = await Person.join(placet);
    await owner.enter(context);
    const made = await owner.call("POST", "/v1/organizations", { name: "Shop Ltd" });
    const { id } = (await made.json()) as { id: string };
    const numbers = Array.from({ length: 26 }, (_, at) => at + 1);
    await Promise.all(
      numbers.map((number) => {
        const title = `Site ${number}`;
        return owner.make("projects", { title, websiteURL: "https://shop.example", organizationId: id });
      }),
    );
    await open(page, `${placet.url}/organizations/${id}`);
    const projects = page.getByRole("region", { name: "Projects" });
    await expect(projects.getByRole("listitem")).toHaveCount(25);
    await expect(projects).toContainText("1–25 of 26");
    await projects.getByRole("link", { name: "Next page" }).click();
    await expect(page).toHaveURL(/\?projects=2$/);
    await expect(projects.getByRole("listitem")).toHaveText([/^Site 26/]);
    await open(page, `${placet.url}/organizations/${id}?projects=9`);
    await projects.getByRole("link", { name: "This page is empty. Show the last page" }).click();
    await expect(projects).toContainText("26–26 of 26");
    await projects.getByRole("searchbox", { name: "Search projects" }).fill("site 2");
    await page.keyboard.press("Enter");
    await expect(projects.getByRole("listitem")).toHaveText([2, 12, 20, 21, 22, 23, 24, 25, 26].map((number) => new RegExp(`^Site ${number}\\D`)));
    await projects.getByRole("searchbox", { name: "Search projects" }).fill("nobody");
    await page.keyboard.press("Enter");
    await expect(projects).toContainText("Nothing in this list matches the search.");
    await projects.getByRole("link", { name: "Clear filter" }).click();
    await expect(projects).toContainText("1–25 of 26");
  });
});
