// A configuration and a box are copied to another project from their lists.

import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { alive, hold, open, Person, type Stored } from "./person.ts";

onOne("sqlite", () => {
  test("a banner and a form are copied to another project", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/widget`);
    const dialog = page.getByRole("dialog", { name: "Copy to another project" });
    const begin = (title: string) => page.getByRole("button", { name: `Copy to another project: ${title}`, exact: true }).click();
    // Without another project there is nothing to choose.
    await begin("English");
    await expect(dialog.getByText("You can edit no other project.")).toBeVisible();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    const other = await person.make("projects", { title: "Second shop", websiteURL: "https://second.example" });
    await person.make("projects", { title: "Third shop", websiteURL: "https://third.example" });
    const box = await person.make("processings", { projectId: shop.project, title: "Newsletter", purpose: "News by e-mail" });
    await begin("English");
    await expect(dialog.getByRole("radio")).toHaveCount(2);
    await expect(dialog.getByRole("radio", { name: "Corner shop" })).toHaveCount(0);
    await dialog.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(dialog.getByRole("group", { name: "Project" })).toContainText("This field is required");
    await dialog.getByLabel("Find a project").fill("nothing like it");
    await expect(dialog.getByText("None of the projects that you can edit matches this search.")).toBeVisible();
    await dialog.getByLabel("Find a project").fill("second");
    await expect(dialog.getByRole("radio")).toHaveCount(1);
    await dialog.getByRole("radio", { name: "Second shop" }).check();
    await expect(dialog.getByText("This field is required")).toHaveCount(0);
    await expectAccessible(page);
    await dialog.getByLabel("Title").fill("Second banner");
    await dialog.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(dialog).toBeHidden();
    await page.locator(".toast", { hasText: "Copied to Second shop" }).getByRole("button", { name: "Open the copy" }).click();
    await expect(page.getByRole("heading", { name: "Second banner", level: 1 })).toBeVisible();
    expect(new URL(page.url()).pathname).toContain(`/projects/${other.id}/widget/`);

    const held = async (collection: string) =>
      (await (await person.call("GET", `/v1/vault/${collection}?projectId=${other.id}`)).json()) as Stored[];
    const [vendor] = await held("vendors");
    expect(vendor!.data.name).toBe("our_chat");
    expect((await held("cookies"))[0]!.data.steps).toMatchObject([{ name: "welcome" }, { name: "services", vendors: [vendor!.id] }]);

    await open(page, `${placet.url}/projects/${shop.project}/boxes`);
    await begin("Newsletter");
    await dialog.getByRole("radio", { name: "Second shop" }).check();
    await dialog.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(page.locator(".toast", { hasText: "Copied to Second shop" })).toBeVisible();
    expect((await held("processings")).map(({ data }) => data.title)).toEqual(["Newsletter"]);
    await page.getByRole("button", { name: "Duplicate: Newsletter", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Newsletter (copy)", level: 1 })).toBeVisible();
    expect((await person.read("processings", box.id)).data.title).toBe("Newsletter");
  });

  test("a new project begins like another one", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    // A first project has none to begin like.
    await open(page, `${placet.url}/projects/new`);
    await expect(page.getByLabel("Site address")).toBeVisible();
    await expect(page.getByRole("checkbox")).toHaveCount(0);

    const shop = await person.shop();
    await person.call("PATCH", `/v1/vault/projects/${shop.project}`, { colors: { main: "#7a0055" }, domains: ["shop.example"] });
    await person.make("cookies", { projectId: shop.project, name: "de", title: "German", language: "de", isDefault: true, steps: [] });
    await person.make("processings", { projectId: shop.project, title: "Newsletter", purpose: "News by e-mail" });
    await page.reload();
    await alive(page);
    await page.getByRole("textbox", { name: "Title" }).fill("Second shop");
    await page.getByLabel("Site address").fill("second.example");
    await page.getByRole("checkbox", { name: "Begin like one of my projects" }).check();
    const create = page.getByRole("button", { name: "Create project" });
    await create.click();
    await expect(page.getByRole("group", { name: "Project to begin like" })).toContainText("This field is required");
    await page.getByRole("radio", { name: "Corner shop" }).check();
    await expectAccessible(page);
    const go = await hold(page, "**/ui/documents/copy");
    await create.click();
    await expect(page.getByRole("status").filter({ hasText: "Copying 1 of 3" })).toBeVisible();
    go();
    await expect(page.getByRole("heading", { name: "Second shop", level: 1 })).toBeVisible();
    const project = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect((await person.read("projects", project)).data).toEqual({
      title: "Second shop",
      websiteURL: "https://second.example",
      colors: { main: "#7a0055" },
    });
    const held = async (collection: string) =>
      (await (await person.call("GET", `/v1/vault/${collection}?projectId=${project}`)).json()) as Stored[];
    // The default of the other one is the first, and so the default here.
    expect((await held("cookies")).map(({ data }) => data.title)).toEqual(["German", "English"]);
    expect((await held("processings")).map(({ data }) => data.title)).toEqual(["Newsletter"]);
    expect((await held("vendors")).map(({ data }) => data.name)).toEqual(["our_chat"]);
  });

  test("two clicks make one copy, and somebody who leaves meanwhile is told of it", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const { project } = await person.shop();
    await person.make("processings", { projectId: project, title: "Newsletter", purpose: "News by e-mail" });
    const boxes = async () => (await (await person.call("GET", `/v1/vault/processings?projectId=${project}`)).json()) as Stored[];
    const list = `${placet.url}/projects/${project}/boxes`;
    const duplicate = page.getByRole("button", { name: "Duplicate: Newsletter", exact: true });
    await open(page, list);
    let go = await hold(page, "**/ui/documents/copy");
    await duplicate.dblclick();
    await expect(duplicate).toBeDisabled();
    go();
    await expect(page.getByRole("heading", { name: "Newsletter (copy)", level: 1 })).toBeVisible();
    expect(await boxes()).toHaveLength(2);

    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await open(page, list);
    go = await hold(page, "**/ui/documents/copy");
    await duplicate.click();
    await expect(duplicate).toBeDisabled();
    await page.getByLabel("Sections").getByRole("link", { name: "Overview" }).click();
    await expect(page.getByRole("heading", { name: "Corner shop", level: 1 })).toBeVisible();
    go();
    await expect(page.locator(".toast", { hasText: "Duplicated: the copy is in its list" })).toBeVisible();
    expect(await boxes()).toHaveLength(3);
    expect(errors).toEqual([]);
  });
});
