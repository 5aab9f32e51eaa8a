// Finished looks: one click takes over colours, fonts and shapes, the preview shows them, and they can be taken back.

import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

onOne("sqlite", () => {
  test("a finished look is seen, taken back, and saved by itself", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const { project } = await person.shop();
    const own = { colors: { main: "#123456", danger: "#aa0000" }, widgetStyle: { padding: 7, buttonCase: "as-written" } };
    expect((await person.call("PATCH", `/v1/vault/projects/${project}`, own)).status).toBe(200);
    await open(page, `${placet.url}/projects/${project}/design`);
    const looks = page.getByRole("list", { name: "Finished looks" }).getByRole("button");
    await expect(looks).toHaveCount(12);
    // A look says nothing of the form, which is a card until a configuration chooses another one.
    const drawn = await looks.locator("svg > rect:nth-of-type(2)").evaluateAll((all) => all.map((one) => one.getAttribute("width")));
    expect(new Set(drawn)).toEqual(new Set(["49"]));
    const chosen = page.getByRole("button", { pressed: true }).and(looks);
    await expect(chosen).toHaveCount(0);
    const accept = page.locator(".preview iframe:not(.waiting)").contentFrame().getByRole("button", { name: "Accept all" });
    const heading = page.locator(".preview iframe:not(.waiting)").contentFrame().getByRole("heading", { name: "Your privacy" });
    const ground = (colour: string) => expect(accept).toHaveCSS("background-color", colour);

    const ocean = page.getByRole("button", { name: "Ocean" });
    await ocean.click();
    await expect(chosen).toHaveText("Ocean");
    await ground("rgb(11, 111, 164)");
    await expectAccessible(page);
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expect(chosen).toHaveCount(0);
    await ground("rgb(18, 52, 86)");

    // The fields show what the look has, and what the widget does by itself.
    const fields = async (place: string, weight: string, letters: string): Promise<void> => {
      for (const [label, option] of [["Position", place], ["Weight of the text on buttons", weight], ["Letters on buttons", letters]] as const)
        await expect(page.getByLabel(label, { exact: true }).locator("option:checked")).toHaveText(option);
    };
    await page.getByRole("button", { name: "Ink" }).click();
    await fields("Bottom", "Bold", "Capitals");
    await page.getByRole("button", { name: "Terminal" }).click();
    await fields("Bottom left", "Normal", "As written");
    // The widget draws the fonts of the look.
    for (const [look, title, text] of [["Paper", /^Georgia, serif$/, /^Georgia, serif$/], ["Forest", /^Georgia, serif$/, /^system-ui/], ["Terminal", /^ui-monospace, monospace$/, /^ui-monospace, monospace$/]] as const) {
      await page.getByRole("button", { name: look }).click();
      await expect(accept).toHaveCSS("font-family", text);
      await expect(heading).toHaveCSS("font-family", title);
    }
    // The page saves by itself, and its changes are undone and redone.
    await expect(page.getByRole("button", { name: "Save" })).toHaveCount(0);
    const saved = page.locator(".save-state");
    await expect(saved).toHaveText("Saved");
    const padding = page.getByLabel("Inner spacing");
    await padding.fill("19");
    await expect(saved).toHaveText("Saved");
    const undo = page.getByRole("button", { name: "Undo", exact: true }).first();
    await undo.click();
    await expect(padding).toHaveValue("18");
    await page.getByRole("button", { name: "Redo" }).click();
    await expect(padding).toHaveValue("19");
    await expect(saved).toHaveText("Saved");
    await undo.click();
    await expect(padding).toHaveValue("18");
    // A link waits until all is saved.
    await page.getByRole("link", { name: "Install" }).first().click();
    await expect(page).toHaveURL(/\/install$/);
    const { data } = await person.read("projects", project);
    expect(data).toMatchObject({
      colors: { main: "#1a7f37" },
      darkColors: { main: "#3fe06f" },
      fonts: { text: "ui-monospace, monospace" },
      widgetStyle: { borderRadius: 0, padding: 18 },
    });
    // Nothing of the look before is left.
    expect(data.colors).not.toHaveProperty("danger");
    await open(page, `${placet.url}/projects/${project}/design`);
    await expect(chosen).toHaveText("Terminal");
    await fields("Bottom left", "Normal", "As written");
  });

  test("in the editor of a banner each look is drawn in its form, and taking it back leaves the form", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const { project, configuration } = await person.shop();
    await open(page, `${placet.url}/projects/${project}/widget/${configuration}?at=look`);
    const looks = page.getByRole("list", { name: "Finished looks" }).getByRole("button");
    await expect(looks).toHaveCount(12);
    const widths = async () => [...new Set(await looks.locator("svg > rect:nth-of-type(2)").evaluateAll((all) => all.map((one) => one.getAttribute("width"))))];
    const widget = page.locator(".preview iframe:not(.waiting)").contentFrame();
    for (const [form, width] of [["Dialog", "59"], ["Bar", "87"]] as const) {
      await page.getByRole("radio", { name: form }).check();
      await expect.poll(widths).toEqual([width]);
    }
    await expect(widget.locator(".w.bar")).toBeVisible();
    await expectAccessible(page);
    const accept = widget.getByRole("button", { name: "Accept all" });
    await page.getByRole("button", { name: "Ocean" }).click();
    await expect(page.getByRole("button", { name: "Ocean", pressed: true })).toBeVisible();
    await expect(accept).toHaveCSS("background-color", "rgb(11, 111, 164)");
    await expect.poll(async () => (await person.read("projects", project)).data).toMatchObject({ colors: { main: "#0b6fa4" } });
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expect(accept).not.toHaveCSS("background-color", "rgb(11, 111, 164)");
    await expect(widget.locator(".w.bar")).toBeVisible();
    await expect.poll(async () => (await person.read("projects", project)).data).not.toHaveProperty("colors.main");
    await expect.poll(async () => (await person.read("cookies", configuration)).data.settings).toMatchObject({ displayMode: "bar" });
  });
});
