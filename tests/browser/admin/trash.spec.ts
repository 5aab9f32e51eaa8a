// Deleted documents come back from the trash.

import { expect, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

test("a configuration and a project are restored from the trash, which viewers only read", async ({
  page,
  placet,
  context,
}) => {
  const [owner, guest] = [await Person.join(placet), await Person.join(placet)];
  const shop = await owner.shop();
  const { id } = (await (await guest.call("GET", "/v1/auth/me")).json()) as { id: string };
  const users = `/v1/vault/projects/${shop.project}/users`;
  expect((await owner.call("POST", users, { userId: id, role: "viewer" })).ok).toBe(true);
  await owner.enter(context);

  await open(page, `${placet.url}/projects/${shop.project}/trash`);
  await expect(page.getByText("The trash is empty")).toBeVisible();
  await open(page, `${placet.url}/projects/${shop.project}/widget`);
  await page.getByRole("button", { name: "Delete configuration: English" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete configuration" });
  await expect(dialog).toContainText("Your site shows it until the next publish");
  await dialog.getByRole("button", { name: "Delete configuration" }).click();
  await expect(page.getByRole("row", { name: /English/ })).toHaveCount(0);
  await open(page, `${placet.url}/projects/${shop.project}/trash`);
  const row = page.getByRole("main").getByRole("listitem");
  await expect(row).toContainText("Cookie configuration");
  await expect(row).toContainText("Can be restored until");

  await guest.enter(context);
  await open(page, `${placet.url}/projects/${shop.project}/trash`);
  await expect(row).toHaveCount(1);
  await expect(page.getByRole("button", { name: /^Restore/ })).toHaveCount(0);

  await owner.enter(context);
  await open(page, `${placet.url}/projects/${shop.project}/trash`);
  await page.getByRole("button", { name: /^Restore/ }).click();
  await expect(page.getByText("Restored.", { exact: false })).toBeVisible();
  await expect(page.getByText("The trash is empty")).toBeVisible();
  expect((await owner.call("GET", `/v1/vault/cookies/${shop.configuration}`)).status).toBe(200);

  await owner.call("DELETE", `/v1/vault/projects/${shop.project}`);
  await open(page, `${placet.url}/trash`);
  await page.getByRole("button", { name: /^Restore/ }).click();
  // The project is in the rail's switcher and in the list again.
  await expect(page.getByText("The trash is empty")).toBeVisible();
  await page.getByRole("link", { name: "Projects", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Corner shop" })).toBeVisible();
});
