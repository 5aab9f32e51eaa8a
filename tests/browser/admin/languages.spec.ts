// The languages of one configuration, from the editor to pages of the site.

import { type Page } from "@playwright/test";
import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { hold, open, Person, type Stored } from "./person.ts";

/** The widget inside the live preview. */
const shown = (page: Page) => page.locator(".preview iframe:not(.waiting)").contentFrame();

const saved = (page: Page) => page.locator(".save-state").first().filter({ hasText: /^Saved$/ });

onOne("sqlite", () => {
  test("a second language is added, translated, published, and shown to pages in it", async ({ page, placet, context, site }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`);
    const parts = page.getByLabel("Parts of the banner");
    await parts.getByRole("link", { name: "Languages" }).click();
    const languages = page.getByRole("region", { name: "Languages" });
    await expect(languages.getByRole("listitem")).toHaveText([/English.*Default/]);
    await languages.getByLabel("Add a language").selectOption("Français");
    await languages.getByRole("button", { name: "Add a language" }).click();
    await expect(page.getByRole("heading", { name: "Translate into Français" })).toBeFocused();
    await expect(page).toHaveURL(/at=language-fr/);
    // The preview speaks it at once, with the shipped words.
    await expect(shown(page).getByRole("button", { name: "Tout refuser" })).toBeVisible();
    await expect(shown(page).getByRole("heading", { name: "Your privacy" })).toHaveAttribute("lang", "en");
    // A title that came with Placet is there in each language.
    const services = page.getByRole("region", { name: "Our services" }).getByLabel("Title");
    await expect(services).toHaveValue("Nos services");
    const warning = page.getByRole("list", { name: "Warnings" }).getByText(/^Français: /);
    await expect(warning).toHaveText("Français: 2 texts missing. Visitors read them in English.");

    const welcome = page.getByRole("region", { name: "Your privacy" });
    await expect(welcome.getByText("You decide. You can change your mind at any time.")).toHaveAttribute("lang", "en");
    await welcome.getByLabel("Title").fill("Votre vie privée");
    await expect(page.getByText("1 text missing").first()).toBeVisible();
    await welcome.getByLabel("Message").fill("Vous décidez, à tout moment.");
    await expect(shown(page).getByRole("heading", { name: "Votre vie privée" })).toBeVisible();
    await expect(warning).toHaveCount(0);
    await page.getByLabel("Privacy policy").fill("https://shop.example/fr/confidentialite");
    await page.getByText("Words of buttons in Français").click();
    await expect(page.getByLabel("Accept all")).toHaveAttribute("placeholder", "Tout accepter");
    await page.getByLabel("Accept all").fill("Ça me va");
    await expect(shown(page).getByRole("button", { name: "Ça me va" })).toBeVisible();
    await expect(saved(page)).toBeVisible();
    await expectAccessible(page);

    // A step takes its translations along when it gets another name.
    await parts.getByRole("link", { name: "Your privacy" }).click();
    await page.getByLabel("Name", { exact: true }).fill("hello");
    await expect(saved(page)).toBeVisible();
    // The preview of any form speaks each language.
    const spoken = page.locator(".preview").getByLabel("Language of the preview");
    await expect(spoken.locator("option")).toHaveText(["English", "Français"]);
    await expect(spoken).toHaveValue("en");
    await expect(shown(page).getByRole("button", { name: "Accept all" })).toBeVisible();
    await spoken.selectOption("Français");
    await expect(shown(page).getByRole("button", { name: "Ça me va" })).toBeVisible();
    await parts.getByRole("link", { name: "Position and behaviour" }).click();
    await expect(shown(page).getByRole("button", { name: "Ça me va" })).toBeVisible();
    const { data } = await person.read("cookies", shop.configuration);
    expect(data.languages).toEqual(["fr"]);
    expect(data.translations).toEqual({
      fr: {
        privacyPolicyUrl: "https://shop.example/fr/confidentialite",
        strings: { acceptAll: "Ça me va" },
        steps: {
          hello: { title: "Votre vie privée", message: "Vous décidez, à tout moment." },
          services: { title: "Nos services" },
        },
      },
    });

    await person.publish(shop.project);
    await open(page, `${placet.url}/projects/${shop.project}/install`);
    const snippet = page.getByRole("region", { name: "Snippet" });
    await expect(snippet).toContainText(`/cdn/${shop.project}/en.js`);
    await page.getByLabel("Language", { exact: true }).selectOption("Français");
    await expect(snippet).toContainText(`/cdn/${shop.project}/en.fr.js`);
    await expect(page.getByRole("button", { name: "Loader" })).toHaveCount(0);
    for (const [lang, title, accept] of [["fr", "Votre vie privée", "Ça me va"], ["en", "Your privacy", "Accept all"]] as const) {
      const html = `<!doctype html><html lang="${lang}"><title>Shop</title><script async src="${placet.url}/cdn/${shop.project}/en.js"></script><main>Shop</main></html>`;
      await page.goto(site.put(`/${lang}`, html));
      await expect(page.getByRole("heading", { name: title })).toBeVisible();
      await page.getByRole("button", { name: accept }).click();
      await page.context().clearCookies({ name: /placet/ });
    }
  });

  test("a language is removed and comes back with its texts", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, {
      languages: ["fr", "de"],
      translations: { fr: { steps: { welcome: { title: "Bonjour" } } } },
    });
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=languages`);
    const languages = page.getByRole("region", { name: "Languages" });
    await expect(languages.getByRole("listitem")).toHaveText([/English/, /Français.*2 texts missing/, /Deutsch.*3 texts missing/]);
    await languages.getByRole("button", { name: "Remove Français" }).click();
    await expect(languages.getByRole("listitem")).toHaveText([/English/, /Deutsch/]);
    await expect(saved(page)).toBeVisible();
    expect((await person.read("cookies", shop.configuration)).data.languages).toEqual(["de"]);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await expect(languages.getByRole("listitem")).toHaveCount(3);
    await languages.getByRole("link", { name: "Français" }).click();
    await expect(page.getByRole("region", { name: "Your privacy" }).getByLabel("Title")).toHaveValue("Bonjour");
    await expect(saved(page)).toBeVisible();
    // The default language is none of the others.
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=general`);
    await page.getByLabel("Language", { exact: true }).selectOption("Deutsch");
    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Languages" }).click();
    await expect(languages.getByRole("listitem")).toHaveText([/Deutsch.*Default/, /Français/]);
    await expect(saved(page)).toBeVisible();
    const { data } = await person.read("cookies", shop.configuration);
    expect([data.language, data.languages]).toEqual(["de", ["fr"]]);
  });

  test("a configuration is duplicated, and the texts of one are taken into another", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { isDefault: true });
    await open(page, `${placet.url}/projects/${shop.project}/widget`);
    for (const copy of ["English (copy)", "English (copy)"]) {
      await page.getByRole("button", { name: "Duplicate: English", exact: true }).click();
      await expect(page.getByText("Duplicated: you are editing the copy").last()).toBeVisible();
      await expect(page.getByRole("heading", { name: copy, level: 1 })).toBeVisible();
      await page.getByLabel("Sections").getByRole("link", { name: "Banner" }).click();
      await expect(page.getByRole("button", { name: "Duplicate: English", exact: true })).toBeVisible();
    }
    const list = (await (await person.call("GET", `/v1/vault/cookies?projectId=${shop.project}`)).json()) as Stored[];
    expect(list.map(({ data }) => [data.name, data.isDefault]).sort()).toEqual([
      ["en", true],
      ["en-copy", undefined],
      ["en-copy-2", undefined],
    ]);
    for (const { data } of list) expect(data.steps).toEqual(list[0]!.data.steps);

    // One of them becomes the French one, as owners had it before a configuration spoke several languages.
    const french = list.find(({ data }) => data.name === "en-copy")!;
    await person.call("PATCH", `/v1/vault/cookies/${french.id}`, {
      title: "Français",
      language: "fr",
      privacyPolicyUrl: "https://shop.example/fr",
      steps: [
        { name: "bonjour", layout: "welcome", title: "Votre vie privée", message: "Vous décidez." },
        { name: "services", layout: "category", title: "Nos services", vendors: [shop.vendor] },
        { name: "fin", layout: "category", title: "Fin" },
      ],
    });
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=languages`);
    await page.getByLabel("Take the texts of another configuration").selectOption("Français (Français)");
    await page.getByRole("button", { name: "Take texts" }).click();
    await expect(page.getByText("4 texts taken: Français. No counterpart here: fin")).toBeVisible();
    const languages = page.getByRole("region", { name: "Languages" });
    await expect(languages.getByRole("listitem")).toHaveText([/English.*Default/, /Français.*Translated/]);
    await expect(saved(page)).toBeVisible();
    expect((await person.read("cookies", shop.configuration)).data.translations).toEqual({
      fr: {
        privacyPolicyUrl: "https://shop.example/fr",
        steps: {
          welcome: { title: "Votre vie privée", message: "Vous décidez." },
          services: { title: "Nos services" },
        },
      },
    });
    await page.getByRole("button", { name: "Undo" }).last().click();
    await expect(languages.getByRole("listitem")).toHaveCount(1);
    // One in the same language has nothing to give.
    await page.getByLabel("Take the texts of another configuration").selectOption("English (copy) (English)");
    await page.getByRole("button", { name: "Take texts" }).click();
    await expect(page.getByText("It has no texts in another language.")).toBeVisible();
  });

  test("texts that arrive after somebody has left disturb nothing", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const { project, configuration } = await person.shop();
    await person.make("cookies", {
      projectId: project,
      name: "fr",
      title: "Français",
      language: "fr",
      steps: [{ name: "bonjour", layout: "welcome", title: "Votre vie privée" }],
    });
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await open(page, `${placet.url}/projects/${project}/widget/${configuration}?at=languages`);
    await page.getByLabel("Take the texts of another configuration").selectOption("Français (Français)");
    const read = "**/ui/documents/read";
    const go = await hold(page, read);
    const asked = page.waitForRequest(read);
    await page.getByRole("button", { name: "Take texts" }).click();
    await asked;
    await page.getByLabel("Sections").getByRole("link", { name: "Banner" }).click();
    await expect(page.getByRole("heading", { name: "Banner", level: 1 })).toBeVisible();
    const answered = page.waitForResponse(read);
    go();
    await (await answered).finished();
    await page.getByRole("main").getByRole("link", { name: "English", exact: true }).click();
    await expect(page.getByLabel("Title", { exact: true })).toBeVisible();
    expect(errors).toEqual([]);
  });

  test("a language that nobody speaks is said to be none of this configuration", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=language-it`);
    await expect(page.getByText("This configuration does not speak this language.")).toBeVisible();
  });
});
