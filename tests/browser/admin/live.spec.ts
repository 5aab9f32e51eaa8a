// A list is read again after each change. Open dialogs and the focus stay.

import { expect, test } from "../support/test.ts";
import { hold, member, open, Person } from "./person.ts";

for (const [path, collection] of [
  ["widget", "cookies"],
  ["boxes", "processings"],
] as const) {
  test(`an open question in the list of ${path} stays open when a deletion ends`, async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const project = await person.make("projects", { title: "Shop", websiteURL: "https://a.example" });
    for (const title of ["First", "Second", "Third"]) {
      const name = path === "widget" ? { name: title, steps: [] } : {};
      await person.make(collection, { projectId: project.id, title, language: "en", ...name });
    }
    await open(page, `${placet.url}/projects/${project.id}/${path}`);
    const row = (title: string) => page.locator("tbody tr", { hasText: title });
    const dialog = page.getByRole("dialog");
    const go = await hold(page, "**/ui/documents/delete");
    await row("First").getByRole("button", { name: /^Delete/ }).click();
    await dialog.getByRole("button", { name: /^Delete/ }).click();
    await row("Third").getByRole("button", { name: /^Delete/ }).click();
    go();
    await expect(row("First")).toHaveCount(0);
    await expect(dialog).toContainText("Third");
    await dialog.getByRole("button", { name: /^Delete/ }).click();
    await expect(row("Third")).toHaveCount(0);
    await expect(row("Second")).toHaveCount(1);
    // Both deletions can be undone, long after their rows are gone.
    await page.getByRole("button", { name: "Undo" }).first().click();
    await page.getByRole("button", { name: "Undo" }).first().click();
    await expect(page.locator("tbody tr")).toHaveCount(3);
  });
}

test("what is typed in a search stays when the list is read again, until the address has another text", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const project = await person.make("projects", { title: "Shop", websiteURL: "https://a.example" });
  for (const title of ["First", "Second"])
    await person.make("processings", { projectId: project.id, title, language: "en" });
  const boxes = `${placet.url}/projects/${project.id}/boxes`;
  await open(page, boxes);
  const row = (title: string) => page.locator("tbody tr", { hasText: title });
  const search = page.getByRole("searchbox", { name: "Search boxes" });
  const deleting = await hold(page, "**/ui/documents/delete");
  await row("First").getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: /^Delete/ }).click();
  await search.pressSequentially("sec");
  deleting();
  await expect(row("First")).toHaveCount(0);
  await search.pressSequentially("ond");
  await expect(search).toHaveValue("second");
  // Nor does the answer to a text take away what follows it.
  const listing = await hold(page, "**/ui/boxes/list");
  await search.press("Enter");
  await search.pressSequentially("ary");
  listing();
  await expect(page.getByRole("link", { name: "Clear filter" })).toBeVisible();
  await expect(search).toHaveValue("secondary");
  await page.getByRole("link", { name: "Clear filter" }).click();
  await expect(page).toHaveURL(boxes);
  await expect(search).toHaveValue("");

  const log = `${placet.url}/projects/${project.id}/people/audit`;
  await open(page, log);
  await page.getByRole("searchbox", { name: "Search" }).fill("first");
  await page.getByRole("link", { name: "When" }).click();
  await expect(page.locator("tbody tr").first()).toContainText("Shop");
  await expect(page.getByRole("searchbox", { name: "Search" })).toHaveValue("first");
});

test("changing a role keeps the focus, and closes no dialog", async ({ page, placet, context }) => {
  const [owner, guest, third] = [await Person.join(placet), await Person.join(placet), await Person.join(placet)];
  await owner.enter(context);
  const { id: project } = await owner.make("projects", { title: "Shop", websiteURL: "https://a.example" });
  const add = async (whom: Person): Promise<void> => {
    const member = { userId: await idOf(whom), role: "viewer" };
    const answer = await owner.call("POST", `/v1/vault/projects/${project}/users`, member);
    expect(answer.ok).toBe(true);
  };
  await add(guest);
  await open(page, `${placet.url}/projects/${project}/people`);
  const row = (person: Person) => page.getByRole("listitem").filter({ hasText: person.email, visible: true });
  const role = row(guest).getByLabel(/^Role/);
  await role.focus();
  const go = await hold(page, "**/ui/people/set");
  await role.selectOption({ label: "Editor" });
  await page.getByRole("button", { name: "Add someone" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("textbox").fill("somebody");
  // The third row shows that the list was read again.
  await add(third);
  go();
  await expect(page.locator("li", { hasText: third.email })).toHaveCount(1);
  await expect(form.getByRole("textbox")).toHaveValue("somebody");
  await form.getByRole("button", { name: "Cancel" }).click();

  await role.focus();
  await owner.call("DELETE", `/v1/vault/projects/${project}/users/${await idOf(third)}`);
  await role.selectOption({ label: "Owner" });
  await page.getByRole("dialog").getByRole("button", { name: "Make owner" }).click();
  await expect(row(third)).toHaveCount(0);
  await expect(role).toBeFocused();
  await expect(role).toHaveValue("owner");
});

test("roles are sent one after the other, and the last choice counts", async ({ page, placet, context }) => {
  const owner = await Person.join(placet);
  await owner.enter(context);
  const { id: project } = await owner.make("projects", { title: "Shop", websiteURL: "https://a.example" });
  const guest = await member(owner, project, "viewer");
  const address = `${placet.url}/projects/${project}/people`;
  await open(page, address);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/ui/people/set")) sent.push((request.postDataJSON() as { role: string }).role);
  });
  const role = page.getByRole("listitem").filter({ hasText: guest.email, visible: true }).getByLabel(/^Role/);
  const go = await hold(page, "**/ui/people/set");
  for (const label of ["Editor", "Data protection officer"]) await role.selectOption({ label });
  await expect(role).toHaveValue("dpo");
  await expect.poll(() => sent).toEqual(["editor"]);
  go();
  await expect(page.getByText("Role changed")).toHaveCount(2);
  expect(sent).toEqual(["editor", "dpo"]);
  await open(page, address);
  await expect(role).toHaveValue("dpo");
});

async function idOf(person: Person): Promise<string> {
  return ((await (await person.call("GET", "/v1/auth/me")).json()) as { id: string }).id;
}

test("a question about a key outlives the end of another", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  for (const name of ["First", "Second"]) {
    const wish = { name, scopes: ["read"] };
    expect((await person.call("POST", "/v1/auth/keys", wish)).status).toBe(201);
  }
  await open(page, `${placet.url}/account/keys`);
  const row = (name: string) => page.locator("li", { hasText: name });
  const go = await hold(page, "**/ui/account/keys/revoke");
  await row("First").getByRole("button").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await row("Second").getByRole("button").click();
  go();
  await expect(row("First")).toHaveCount(0);
  await expect(dialog).toContainText("Second");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(row("Second").getByRole("button")).toBeFocused();
});
