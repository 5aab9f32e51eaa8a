// The character of a project's widgets: a logo and an entrance, chosen on the Design page and seen in its preview.

import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { picture } from "./files.ts";
import { open, Person } from "./person.ts";

onOne("postgres", () => {
  test("a logo is uploaded and an entrance is chosen; the preview shows both, and they go live", async ({ page, placet, context, site }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const { project, configuration } = await person.shop(site.origin);
    await page.emulateMedia({ reducedMotion: "no-preference", colorScheme: "light" });
    await open(page, `${placet.url}/projects/${project}/design`);
    const preview = page.locator(".preview iframe:not(.waiting)").contentFrame();
    const saved = page.locator(".save-state");
    await expect(preview.getByRole("button", { name: "Accept all" })).toBeVisible();
    const logo = preview.locator("[part=logo]");
    await expect(logo).toHaveCount(0);

    // A logo, and one for dark pages once there is one.
    const section = page.getByRole("region", { name: "Logo" });
    const dark = section.getByLabel("Logo for dark pages: Choose a file");
    await expect(dark).toHaveCount(0);
    await section.getByLabel("Logo: Choose a file").setInputFiles(picture);
    await expect(logo).toHaveCSS("height", "32px");
    // The preview may be drawn anew meanwhile, and has no logo for a moment.
    await expect.poll(() => logo.evaluate((one) => (one as HTMLImageElement).naturalWidth).catch(() => 0)).toBeGreaterThan(0);
    await dark.setInputFiles(picture);
    await expect(preview.locator("source")).toHaveCount(1);
    const shown = () => logo.evaluate((one) => (one as HTMLImageElement).currentSrc).catch(() => "");
    let light = "";
    await expect.poll(async () => (light = await shown())).not.toBe("");
    await page.locator(".preview").getByRole("button", { name: "Dark" }).click();
    await expect.poll(async () => ["", light].includes(await shown())).toBe(false);
    await page.locator(".preview").getByRole("button", { name: "Light" }).click();
    await expect.poll(shown).toBe(light);
    await expectAccessible(page);

    // The preview lets the widget in when an entrance is chosen, which leaves an empty style, and not for another change.
    const widget = preview.locator(".w");
    const entrance = page.getByRole("group", { name: "Entrance" });
    await expect(entrance.getByRole("radio", { name: "None" })).toBeChecked();
    for (const [name, way] of [["Spring", "64px"], ["Rise", "24px"]] as const) {
      await entrance.getByRole("radio", { name }).check();
      await expect(widget).toHaveCSS("--by", way);
      await expect(widget).toHaveAttribute("style", "");
    }
    await page.getByLabel("Inner spacing").fill("31");
    await expect(preview.locator(".p")).toHaveCSS("--pa", "31px");
    await expect(widget).not.toHaveAttribute("style");
    await expect(saved).toHaveText("Saved");

    const pictures = page.getByRole("group", { name: "Pictures of steps" });
    await expect(pictures.getByRole("radio", { name: "Beside the title" })).toBeChecked();
    await pictures.getByRole("radio", { name: "Above the title" }).check();

    // A finished look leaves both.
    await page.getByRole("button", { name: "Ocean" }).click();
    await expect(page.getByRole("button", { name: "Ocean", pressed: true })).toBeVisible();
    await expect(saved).toHaveText("Saved");
    const { data } = await person.read("projects", project);
    expect(data.widgetStyle).toMatchObject({ entrance: "rise", imagePlace: "above", borderRadius: 18 });
    expect(data.logo).toMatch(/^[0-9a-f-]{36}$/);

    // The editor of a banner has the same fields.
    await open(page, `${placet.url}/projects/${project}/widget/${configuration}?at=look`);
    await expect(page.getByRole("radio", { name: "Rise" })).toBeChecked();
    await expect(logo).toHaveCSS("height", "32px");
    await page.getByRole("button", { name: "Remove: Logo", exact: true }).click();
    await expect(logo).toHaveCount(0);
    await expect.poll(async () => (await person.read("projects", project)).data.logo).toBeUndefined();

    await person.call("PATCH", `/v1/vault/projects/${project}`, { logo: data.logo });
    await person.publish(project);
    const snippet = `<script async src="${placet.url}/cdn/${project}/en.js"></script>`;
    await page.goto(site.put("/", `<!doctype html><html lang="en"><head><title>Shop</title>${snippet}</head><body>Shop</body></html>`));
    await expect(page.locator("#placet [part=logo]")).toHaveCSS("height", "32px");
    expect(await page.locator("#placet [part=logo]").evaluate((one) => (one as HTMLImageElement).src)).toContain(`/cdn/${project}/image.`);
    await expect(page.locator("#placet .w")).toHaveCSS("animation-name", "en");
  });
});
