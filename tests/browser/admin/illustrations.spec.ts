// Illustrations of ours: chosen in the editor, drawn in the colours of the widget, published only where they are used.

import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

onOne("sqlite", () => {
  test("an illustration is chosen for a step, follows its colours and goes live", async ({ page, placet, context, site }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const { project, configuration } = await person.shop(site.origin);
    await person.call("PATCH", `/v1/vault/projects/${project}`, { colors: { main: "#8a1538" } });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await open(page, `${placet.url}/projects/${project}/widget/${configuration}?at=step-1`);
    const choose = page.getByRole("button", { name: "Choose an illustration" });
    await expect(choose).toBeVisible();
    expect(asked).not.toContain("/ui/illustrations");
    await choose.click();
    const gallery = page.getByRole("dialog", { name: "Illustrations" });
    const choices = gallery.getByRole("list").getByRole("button");
    await expect(choices).toHaveCount(24);
    await expectAccessible(page);
    const shield = gallery.getByRole("button", { name: "Shield" });
    await shield.focus();
    await page.keyboard.press("Enter");
    await expect(gallery).toBeHidden();
    await expect(choose).toBeFocused();
    await expect(page.getByText("Illustration: Shield")).toBeVisible();
    const drawn = page.locator(".preview iframe:not(.waiting)").contentFrame().locator("[part=image]");
    await expect(drawn).toHaveCSS("color", "rgb(138, 21, 56)");
    await expect(drawn.locator("svg")).toHaveCSS("width", "64px");
    // A dark page has a lighter shade.
    await page.getByRole("button", { name: "Dark" }).click();
    await expect(drawn).not.toHaveCSS("color", "rgb(138, 21, 56)");
    await expect(page.locator(".save-state")).toHaveText("Saved");
    await choose.click();
    await expect(gallery.getByRole("button", { pressed: true })).toHaveText("Shield");
    await page.keyboard.press("Escape");

    await person.publish(project);
    const bundle = await (await fetch(`${placet.url}/cdn/${project}/en.js`)).text();
    const path = (svg: string) => / d="([^"]{12,})"/.exec(svg)?.[1] ?? "";
    await choose.click();
    const svg = async (name: string) => path(await gallery.getByRole("button", { name }).innerHTML());
    const [used, other] = [await svg("Shield"), await svg("Cookie")];
    await page.keyboard.press("Escape");
    expect(used.length).toBeGreaterThan(12);
    expect(other.length).toBeGreaterThan(12);
    expect(bundle).toContain(used);
    expect(bundle).not.toContain(other);
    const visitor = await context.browser()?.newPage();
    if (!visitor) throw new Error("no browser");
    const snippet = `<script async src="${placet.url}/cdn/${project}/en.js"></script>`;
    await visitor.goto(site.put("/", `<!doctype html><html lang="en"><head><title>Shop</title>${snippet}</head><body>Shop</body></html>`));
    await expect(visitor.locator("[part=image] svg")).toBeVisible();
    await expect(visitor.locator("[part=image]")).toHaveCSS("color", "rgb(138, 21, 56)");
    await visitor.close();

    // Without it the field takes a file again, and the focus stays.
    await page.getByRole("button", { name: "Remove: Image" }).click();
    await expect(choose).toBeFocused();
    await expect(drawn).toHaveCount(0);
    await expect(page.getByLabel("Image: Choose a file")).toBeVisible();
    // Others are no illustrations.
    const patch = { steps: [{ name: "welcome", layout: "welcome", image: "placet:none" }] };
    expect((await person.call("PATCH", `/v1/vault/cookies/${configuration}`, patch)).status).toBe(422);
  });

  test("a consent box draws an illustration, too", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const { project } = await person.shop();
    const box = await person.make("processings", { projectId: project, title: "Newsletter", language: "en" });
    await open(page, `${placet.url}/projects/${project}/boxes/consent/${box.id}`);
    await page.getByRole("button", { name: "Choose an illustration" }).click();
    await page.getByRole("dialog", { name: "Illustrations" }).getByRole("button", { name: "Letter" }).click();
    await expect(page.locator(".preview iframe:not(.waiting)").contentFrame().locator("[part=picture] svg")).toHaveCSS("width", "56px");
    await expect(page.locator(".save-state")).toHaveText("Saved");
    expect((await person.read("processings", box.id)).data.picture).toBe("placet:letter");
  });
});
