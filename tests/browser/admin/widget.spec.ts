import { type Page } from "@playwright/test";
import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { drawn, drop } from "./files.ts";
import { hold, open, Person } from "./person.ts";

/** The widget inside the live preview. */
const shown = (page: Page) => page.locator(".preview iframe:not(.waiting)").contentFrame();

const saved = (page: Page) => page.locator(".save-state").first().filter({ hasText: /^Saved$/ });

onOne("sqlite", () => {
  test("the effect of closing is set, drawn and warned of", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=behaviour`);
    const says = shown(page).getByText("Until you choose, closing refuses all.");
    const warning = page.getByRole("list", { name: "Warnings" }).getByText(/asked again too soon/);
    const closing = page.getByLabel("When a visitor closes the banner");
    const days = page.getByLabel("Ask again after closing");
    await expect(closing).toHaveValue("refuse");
    await expect(says).toBeVisible();
    await closing.selectOption({ label: "Store nothing and ask again on the next page" });
    await expect(says).toHaveCount(0);
    await expect(days).toHaveCount(0);
    await expect(warning).toBeVisible();
    await closing.selectOption({ label: "Refuse all services" });
    await expect(warning).toHaveCount(0);
    await days.fill("90");
    await expect(warning).toBeVisible();
    await days.fill("401");
    await expect(days).toHaveAccessibleDescription(/outside of the allowed range/);
    await days.fill("200");
    await expect(warning).toHaveCount(0);
    await expect(saved(page)).toBeVisible();
    await expectAccessible(page);
    expect((await person.read("cookies", shop.configuration)).data.settings).toEqual({ askAgainAfterDays: 200 });
  });

  test("a voice is chosen and seen in the preview, and own texts stay", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    // As configurations begin in the admin UI: with the shipped title, and a message that the banner writes.
    const steps = [
      { name: "welcome", layout: "welcome", title: "Your privacy, your choice" },
      { name: "services", layout: "category", title: "Our services", vendors: [shop.vendor] },
    ];
    const translations = { fr: { steps: { welcome: { title: "Votre vie privée, votre choix" }, services: { title: "Nos outils" } } } };
    const patch = { steps, strings: { save: "Keep them" }, languages: ["fr"], translations };
    expect((await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, patch)).status).toBe(200);
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=words`);
    const voice = page.getByLabel("Voice", { exact: true });
    const configure = page.getByRole("textbox", { name: "Configure", exact: true });
    const heading = (title: string) => shown(page).getByRole("heading", { name: title });
    await expect(voice).toHaveValue("neutral");
    await expect(heading("Your privacy, your choice")).toBeVisible();
    await expect(configure).toHaveAttribute("placeholder", "Let me choose");
    // It is drawn anew at each pause in typing, and travels small.
    const drawn = page.waitForResponse((answer) => answer.url().endsWith("/ui/widget/preview") && answer.ok());
    await voice.selectOption("Friendly");
    expect((await (await drawn).allHeaders())["content-encoding"]).toBe("gzip");
    await expect(heading("Your privacy is up to you")).toBeVisible();
    await expect(shown(page).getByText(/^If you agree, we’ll use services for:/)).toBeVisible();
    await expect(shown(page).getByRole("button", { name: "Refuse all" })).toBeVisible();
    await expect(configure).toHaveAttribute("placeholder", "I’ll choose");
    const french = async () => JSON.stringify((await person.read("cookies", shop.configuration)).data.translations);
    await expect.poll(french).toContain("Ta vie privée, ton choix");
    await expect(saved(page)).toBeVisible();
    await expectAccessible(page);
    const { data } = await person.read("cookies", shop.configuration);
    expect(data).toMatchObject({
      voice: "friendly",
      steps: [{ title: "Your privacy is up to you" }, { title: "Our services" }],
      translations: { fr: { steps: { welcome: { title: "Ta vie privée, ton choix" }, services: { title: "Nos outils" } } } },
    });

    // A title of the owner's own stays, as do other texts.
    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Your privacy is up to you" }).click();
    await page.getByLabel("Title", { exact: true }).fill("A few cookies");
    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Texts", exact: true }).click();
    await voice.selectOption("Neutral");
    await expect(configure).toHaveAttribute("placeholder", "Let me choose");
    await expect(heading("A few cookies")).toBeVisible();
    const now = async () => (await person.read("cookies", shop.configuration)).data;
    await expect.poll(async () => (await now()).voice).toBeUndefined();
    expect(await now()).toMatchObject({ strings: { save: "Keep them" }, steps: [{ title: "A few cookies" }, {}] });
  });

  test("the editor is there for many people at once", async ({ placet }) => {
    const person = await Person.join(placet);
    const shop = await person.shop();
    const url = `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`;
    const headers = { cookie: `placet_session=${person.token}`, accept: "text/html" };
    for (let round = 0; round < 40; round++) {
      const answers = await Promise.all([...Array<number>(6)].map(() => fetch(url, { headers })));
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain("<title>English · Corner shop · Placet</title>");
      }
    }
  });

  test("a configuration is written step by step, with catalogue and own services", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const project = await person.make("projects", { title: "Shop", websiteURL: "https://shop.example" });
    await open(page, `${placet.url}/projects/${project.id}/widget`);
    await page.getByRole("button", { name: "New configuration" }).last().click();
    const create = page.getByRole("dialog", { name: "New configuration" });
    await create.getByLabel("Title").fill("Shop, English");
    await create.getByLabel("Name in the snippet").fill("no good");
    await create.getByRole("button", { name: "Create configuration" }).click();
    await expect(create.getByLabel("Name in the snippet")).toHaveAccessibleDescription(/at most 64/);
    await create.getByLabel("Name in the snippet").fill("en");
    await create.getByRole("button", { name: "Create configuration" }).click();
    await expect(page.getByRole("heading", { name: "Shop, English" })).toBeVisible();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await expect(page.getByText("The banner asks for nothing yet. Add services.")).toBeVisible();

    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Our services" }).click();
    await page.getByRole("button", { name: "Add services" }).click();
    const picker = page.getByRole("dialog", { name: "Add services" });
    await picker.getByRole("searchbox").fill("matomo");
    await picker.getByRole("button", { name: /^Add: Matomo/ }).first().click();
    await expect(picker.getByRole("button", { name: /^Added: Matomo/ }).first()).toBeVisible();
    await picker.getByRole("searchbox").fill("Our very own chat");
    await expect(picker.getByText(/Nothing found for/)).toBeVisible();
    await picker.getByRole("button", { name: "New custom service" }).click();
    await expect(picker.getByLabel("Name")).toHaveValue("our_very_own_chat");
    await picker.getByLabel("Privacy policy").fill("nowhere");
    await picker.getByRole("button", { name: "Create and add" }).click();
    await expect(picker.getByLabel("Privacy policy")).toHaveAccessibleDescription(/starts with https/);
    await picker.getByLabel("Privacy policy").fill("https://shop.example/privacy");
    // Nobody leaves the form before its answer is there.
    const go = await hold(page, "**/ui/documents/create");
    await picker.getByRole("button", { name: "Create and add" }).click();
    await expect(picker.getByRole("button", { name: "Cancel" })).toBeDisabled();
    await page.keyboard.press("Escape");
    await expect(picker.getByLabel("Privacy policy")).toBeVisible();
    go();
    await picker.getByRole("button", { name: "Done" }).click();
    await expect(page.locator("main .vendor")).toHaveCount(2);
    await page.getByRole("button", { name: "Move up: Our very own chat" }).click();
    await expect(page.locator("main .vendor").first()).toContainText("Our very own chat");

    await page.getByRole("button", { name: "Add a step" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Services" }).click();
    // Until the next frame the form is that of the previous step.
    await expect(page.getByRole("heading", { name: "Step 3 of 3" })).toBeVisible();
    await page.getByLabel("Title", { exact: true }).fill("Last words");
    await page.getByRole("button", { name: "Move up", exact: true }).click();
    await expect(page).toHaveURL(/at=step-2$/);
    await expect(saved(page)).toBeVisible();
    await expect
      .poll(async () => ((await person.read("cookies", id)).data.steps as { title: string }[]).map(({ title }) => title))
      .toEqual(["Your privacy, your choice", "Last words", "Our services"]);
    // A new step of services folds, as that of a new configuration does.
    expect((await person.read("cookies", id)).data.steps).toMatchObject([{}, { groupByCategory: true }, { groupByCategory: true }]);

    await page.getByRole("button", { name: "Remove step" }).click();
    await expect(page.locator(".toast")).toContainText("“Last words” removed");
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Last words" }).click();
    await page.getByRole("button", { name: "Remove step" }).click();
    await expect
      .poll(async () => {
        const { steps } = (await person.read("cookies", id)).data as { steps: { vendors?: unknown[] }[] };
        return steps.map(({ vendors }) => vendors?.length);
      })
      .toEqual([undefined, 2]);

    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Name and language" }).click();
    await expect(page.getByLabel("Language", { exact: true }).locator("option")).toHaveCount(32);
    await page.getByLabel("Privacy policy").fill("https://shop.example/privacy");
    await expect.poll(async () => (await person.read("cookies", id)).data.privacyPolicyUrl).toBe("https://shop.example/privacy");
  });

  test("what is always on is written with its reason and shown in the list of services, with the details of the others", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.call("PATCH", `/v1/vault/vendors/${shop.vendor}`, { company: "Chat Ltd", country: "IE" });
    const base = `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`;
    await open(page, `${base}?at=general`);
    await page.getByRole("button", { name: "Add a service" }).click();
    await page.getByRole("group", { name: "Service 1" }).getByLabel("Title").fill("Basket");
    await page.getByLabel("Why it needs no consent").fill("Keeps what visitors choose.");
    await expect
      .poll(async () => (await person.read("cookies", shop.configuration)).data.alwaysOn)
      .toEqual([{ title: "Basket", reason: "Keeps what visitors choose." }]);
    await expectAccessible(page);
    await open(page, `${base}?at=step-2`);
    await expect(shown(page).locator("[part=always-on]").first()).toContainText("Keeps what visitors choose.");
    // The preview is smaller than life, and a pointer would scroll it first.
    await shown(page).getByRole("button", { name: "Read more Our chat" }).dispatchEvent("click");
    await expect(shown(page).locator("[part=provider]")).toHaveText("Provider: Chat Ltd, Ireland");
    // A service that is changed here is drawn anew.
    await page.getByRole("button", { name: "Edit: Our chat" }).click();
    const form = page.getByRole("dialog", { name: "Custom service" });
    await form.getByLabel("Title").fill("Our helpdesk");
    await form.getByRole("button", { name: "Save" }).click();
    await expect(shown(page).getByRole("button", { name: "Read more Our helpdesk" })).toHaveCount(1);
  });

  test("signals and the words of a step", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const mode = async () => (await person.read("cookies", shop.configuration)).data.googleConsentMode;
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=signals`);
    await expect(page.getByLabel("Regions denied by default")).toHaveCount(0);
    await page.getByRole("switch", { name: "Google Consent Mode" }).click();
    await page.getByRole("switch", { name: "Microsoft Advertising and Clarity" }).click();
    const regions = page.getByLabel("Regions denied by default");
    await regions.fill("FR\nNowhere");
    await expect(regions).toHaveAccessibleDescription(/One per line/);
    await expect(regions).toHaveAttribute("aria-invalid", "true");
    await regions.fill("FR\n\nUS-CA");
    await page.getByRole("switch", { name: "Redact ads data" }).click();
    await expect
      .poll(mode)
      .toEqual({ enabled: true, microsoft: true, adsDataRedaction: false, region: ["FR", "US-CA"] });
    await expectAccessible(page);
    await page.getByRole("switch", { name: "Google Consent Mode" }).click();
    await expect(regions).toHaveCount(0);
    await expect
      .poll(mode)
      .toEqual({ enabled: false, microsoft: true, adsDataRedaction: false, region: ["FR", "US-CA"] });

    // A step's texts take precedence over those of the widget.
    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Your privacy" }).click();
    await page.getByText("Texts of this step").click();
    await page.getByLabel("Accept all").fill("Fine here");
    await expect(shown(page).getByRole("button", { name: "Fine here" })).toBeVisible();
    await expect
      .poll(async () => {
        const { steps } = (await person.read("cookies", shop.configuration)).data as { steps: { strings?: object }[] };
        return steps[0]?.strings;
      })
      .toEqual({ acceptAll: "Fine here" });
    await expectAccessible(page);
  });

  test("the preview is the real widget, fed by the draft", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`);
    const widget = shown(page);
    await expect(widget.getByRole("dialog", { name: "Your privacy" })).toBeVisible();
    await page.getByLabel("Title", { exact: true }).fill("Before you go on");
    await expect(widget.getByRole("dialog", { name: "Before you go on" })).toBeVisible();

    await drop(page.locator(".upload"));
    await expect(page.getByRole("link", { name: "letter.png" })).toBeVisible();
    await expect.poll(() => drawn(widget.locator("img"))).toBe(true);

    await page.getByRole("button", { name: "Phone" }).click();
    await expect
      .poll(() => page.locator(".preview iframe:not(.waiting)").evaluate((frame) => frame.clientWidth))
      .toBeLessThanOrEqual(375);

    // The button shows its new text, and a click on it leads to the field.
    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Texts" }).click();
    await page.getByLabel("Accept all").fill("Fine with me");
    await widget.getByRole("button", { name: "Fine with me" }).click();
    await expect(page.getByLabel("Accept all")).toBeFocused();

    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Our services" }).click();
    await expect(widget.getByRole("switch", { name: "Our chat" })).toBeVisible();
    await page.getByRole("button", { name: "Dark" }).first().click();
    await expect(widget.locator("html[data-scheme=dark]")).toBeAttached();
    // Somebody who has answered finds the button, and behind it the widget with the time of that answer. The preview is
    // smaller than life, and a pointer would scroll it first.
    await page.getByRole("button", { name: "Returning" }).click();
    const reopen = widget.getByRole("button", { name: "Privacy choices" });
    await expect(reopen).toBeVisible();
    await expect(widget.getByRole("dialog")).toHaveCount(0);
    await reopen.dispatchEvent("click");
    await widget.getByRole("button", { name: "Let me choose" }).dispatchEvent("click");
    await expect(widget.locator("[part=last-answer]")).toContainText("Your last answer");
    await page.getByRole("button", { name: "First visit" }).click();
    await expect(widget.getByRole("dialog", { name: "Before you go on" })).toBeVisible();

    // Colours belong to the project. The preview follows before they are saved.
    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Colours and shape" }).click();
    await page.getByRole("textbox", { name: "Text on buttons", exact: true }).fill("#777777");
    await page.getByRole("textbox", { name: "Buttons and switches", exact: true }).fill("#888888");
    await expect(page.getByText(/^Text on buttons: #777 on .* has a contrast of/)).toBeVisible();
    await expect
      .poll(async () => (await person.read("projects", shop.project)).data.colors)
      .toEqual({ main: "#888888", buttonText: "#777777" });
  });

  test("unreadable colours are reported, with the colours that the widget draws instead", async ({
    page,
    placet,
    context,
  }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/design`);
    const warning = page.getByRole("listitem").filter({ hasText: /has a contrast of/ });
    await expect(warning).toHaveCount(0);
    await page.getByRole("textbox", { name: "Text", exact: true }).first().fill("#999999");
    await expect(warning).toHaveText(/^.*Text: #999 on #\w+ has a contrast of 2\.\d\. It needs 4\.5\. The banner uses #\w+ instead\./);
    const used = /uses (#\w+) instead/.exec(await warning.innerText())?.[1] ?? "";
    await expect(shown(page).getByText("You decide.")).toHaveCSS("--fg", used);
    await page.getByRole("button", { name: `Use ${used}: Text`, exact: true }).click();
    await expect(page.getByRole("textbox", { name: "Text", exact: true }).first()).toHaveValue(used);
    await expect(warning).toHaveCount(0);
    // Buttons keep a bright colour. Its shades are told, and there is nothing to correct.
    await page.getByRole("textbox", { name: "Buttons and switches", exact: true }).fill("#ffe600");
    await expect(page.getByText(/^Links and focus: #\w+, a shade of #ffe600 that can be seen there\.$/)).toBeVisible();
    await expect(warning).toHaveCount(0);
    await expect(shown(page).getByRole("button", { name: "Accept all" })).toHaveCSS("background-color", "rgb(255, 230, 0)");
  });

  test("unfair settings are reported at their field until they are corrected", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`);
    const warnings = page.getByRole("list", { name: "Warnings" });
    await expect(warnings).toHaveCount(0);
    await page.getByLabel("Message").fill("By continuing to browse you accept our cookies. You can change your mind at any time.");
    await expect(warnings.getByText(/^Your privacy: This text suggests that going on/)).toBeVisible();

    const parts = page.getByLabel("Parts of the banner");
    await parts.getByRole("link", { name: "Texts" }).click();
    await page.getByLabel("Refuse all").fill("×");
    await expect(warnings.getByText(/^The refuse button has no words/)).toBeVisible();
    await parts.getByRole("link", { name: "Position and behaviour" }).click();
    await page.getByRole("switch", { name: "Button to change the choice" }).uncheck();
    await expect(warnings.getByRole("listitem")).toHaveCount(3);
    await expectAccessible(page);

    const fix = (text: string) => warnings.getByRole("listitem").filter({ hasText: text }).getByRole("button", { name: "Fix" });
    await fix("The refuse button").click();
    await expect(page.getByLabel("Refuse all")).toBeFocused();
    await page.getByLabel("Refuse all").fill("No, thank you");
    await fix("Your privacy").click();
    await expect(page.getByLabel("Message")).toBeFocused();
    await page.getByLabel("Message").fill("Nothing runs before you decide. You can change your mind at any time.");
    await warnings.getByRole("button", { name: "Fix" }).click();
    await page.getByRole("switch", { name: "Button to change the choice" }).check();
    await expect(warnings).toHaveCount(0);
  });

  test("a field with an error says so and is not saved until it is corrected", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=general`);
    // Before the first drawing there is no last valid state.
    await expect(page.locator("[data-drawing]").first()).toBeAttached();
    await page.getByLabel("Name in the snippet").fill("../up");
    await expect(page.getByLabel("Name in the snippet")).toHaveAccessibleDescription(/at most 64/);
    await expect(page.locator(".save-state").first()).toContainText("Not saved");
    await expect(page.getByText("The preview shows the last valid state.")).toBeVisible();
    expect((await person.read("cookies", shop.configuration)).data.name).toBe("en");
    await page.getByLabel("Name in the snippet").fill("english");
    await expect(saved(page)).toBeVisible();
    expect((await person.read("cookies", shop.configuration)).data.name).toBe("english");

    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Our services" }).click();
    await page.getByLabel("Name", { exact: true }).fill("welcome");
    await expect(page.getByLabel("Name", { exact: true })).toHaveAccessibleDescription(/used twice/);
    await expect(page.getByLabel("Parts of the banner").getByRole("link", { name: /Our services has problems/ })).toBeVisible();
  });

  test("going back and forth through changes", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=behaviour`);
    await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
    await page.getByRole("radio", { name: "Dialog" }).check({ force: true });
    await expect(shown(page).locator("[part=overlay]").or(shown(page).locator("[part=banner]")).first()).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("radio", { name: "Card" })).toBeChecked();
    await page.getByRole("button", { name: "Redo" }).click();
    await expect(page.getByRole("radio", { name: "Dialog" })).toBeChecked();
    await expect
      .poll(async () => (await person.read("cookies", shop.configuration)).data.settings)
      .toEqual({ displayMode: "modal" });
    // The look is another document, and its changes are taken back there.
    await page.getByLabel("Parts of the banner").getByRole("link", { name: "Colours and shape" }).click();
    const padding = page.getByLabel("Inner spacing");
    await padding.fill("19");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(padding).toHaveValue("");
    await page.getByRole("button", { name: "Redo" }).click();
    const style = async () => (await person.read("projects", shop.project)).data.widgetStyle;
    const settings = async () => (await person.read("cookies", shop.configuration)).data.settings;
    await expect.poll(style).toEqual({ padding: 19 });
    expect(await settings()).toEqual({ displayMode: "modal" });

    // Somebody who comes back takes back what was changed before.
    const elsewhere = async (): Promise<void> => {
      await page.getByLabel("Sections").getByRole("link", { name: "Banner" }).click();
      await expect(page.getByRole("heading", { name: "Banner", level: 1 })).toBeVisible();
    };
    const back = () => page.getByRole("main").getByRole("link", { name: "English", exact: true }).click();
    await elsewhere();
    await back();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(style).toBeUndefined();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(settings).toBeUndefined();
    // A document that somebody else has changed meanwhile stays as it is.
    await expect(saved(page)).toBeVisible();
    await elsewhere();
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { country: "FR" });
    await back();
    await page.getByRole("button", { name: "Redo" }).click();
    await expect.poll(style).toEqual({ padding: 19 });
    await expect(page.getByRole("button", { name: "Redo" })).toBeDisabled();
    expect((await person.read("cookies", shop.configuration)).data).toMatchObject({ country: "FR" });
    expect(await settings()).toBeUndefined();
  });

  test("a removal is taken back at its place, and later changes stay", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const alwaysOn = ["Basket", "Login"].map((title) => ({ title, reason: "The shop needs it." }));
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { alwaysOn });
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=general`);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const undo = page.locator(".toast").getByRole("button", { name: "Undo" });
    await button("Remove: Service 1").press("Enter");
    await expect(button("Remove: Service 1")).toBeFocused();
    await page.getByLabel("Privacy policy").fill("https://shop.example/later");
    await undo.click();
    await expect
      .poll(async () => (await person.read("cookies", shop.configuration)).data)
      .toMatchObject({ alwaysOn, privacyPolicyUrl: "https://shop.example/later" });

    await button("Remove: Service 2").press("Enter");
    await expect(button("Remove: Service 1")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(button("Add a service")).toBeFocused();
    // The offers end with the editor whose document they would change.
    await expect(undo).toHaveCount(2);
    await page.getByRole("main").getByRole("link", { name: "Publish", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Publish", level: 1 })).toBeVisible();
    await expect(undo).toHaveCount(0);
  });

  test("one of twelve services is moved with one key", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const others = await Promise.all(
      [...Array<unknown>(11).keys()].map((n) =>
        person.make("vendors", { projectId: shop.project, name: `tool-${n}`, title: `Tool ${n}` }),
      ),
    );
    const vendors = [shop.vendor, ...others.map(({ id }) => id)];
    const steps = [{ name: "services", layout: "category", title: "Our services", vendors }];
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { steps });
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const services = page.getByRole("region", { name: "Services" }).getByRole("listitem");
    await button("Move up: Tool 10").focus();
    for (let place = 10; place > 0; place -= 1) {
      await page.keyboard.press("Enter");
      await expect(services.nth(place)).toContainText("Tool 10");
      await expect(button("Move up: Tool 10")).toBeFocused();
    }
    await page.keyboard.press("Enter");
    await expect(button("Move down: Tool 10")).toBeFocused();
    await expect(services.first()).toContainText("Tool 10");
  });

  test("two editors of one configuration: the second is told, nothing is lost", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const address = `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`;
    await open(page, address);
    const other = await context.newPage();
    await open(other, address);
    await other.getByLabel("Title", { exact: true }).fill("The other was here");
    await expect(saved(other)).toBeVisible();
    await expect
      .poll(async () => JSON.stringify((await person.read("cookies", shop.configuration)).data))
      .toContain("The other was here");

    await page.getByLabel("Title", { exact: true }).fill("I was here");
    const dialog = page.getByRole("dialog", { name: "This document has two versions" });
    await expect(dialog.getByRole("row", { name: /^Steps › .+ › Title/ })).toContainText("The other was here");
    // Closing the dialog leaves the decision for later.
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await page.getByRole("button", { name: "Compare" }).click();
    await dialog.getByRole("button", { name: "Keep mine" }).click();
    await expect
      .poll(async () => JSON.stringify((await person.read("cookies", shop.configuration)).data))
      .toContain("I was here");
  });

  test("publishing right after typing saves first", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const editor = `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`;
    await open(page, editor);
    await page.getByLabel("Title", { exact: true }).fill("Typed at the last moment");
    await page.getByRole("main").getByRole("link", { name: "Publish", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Publish", level: 1 })).toBeVisible();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(JSON.stringify((await person.read("cookies", shop.configuration)).data)).toContain("Typed at the last moment");

    // A page with changes that cannot be saved asks before it is left.
    await open(page, `${editor}?at=general`);
    await page.getByLabel("Name in the snippet").fill("../up");
    await page.getByRole("main").getByRole("link", { name: "Publish", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Leave this page?" });
    await expect(question).toBeVisible();
    await question.getByRole("button", { name: "Leave without saving" }).click();
    await expect(page.getByRole("heading", { name: "Publish", level: 1 })).toBeVisible();
  });

  test("the focus stays where something was moved or removed", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const [second, third] = await Promise.all(
      ["Second", "Third"].map((title) =>
        person.make("vendors", { projectId: shop.project, name: title.toLowerCase(), title }),
      ),
    );
    const steps = [
      { name: "welcome", layout: "welcome", title: "Hello" },
      { name: "services", layout: "category", title: "Our services", vendors: [shop.vendor, second?.id, third?.id] },
    ];
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { steps });
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=step-2`);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await button("Move up: Third").press("Enter");
    await expect(button("Move up: Third")).toBeFocused();
    await page.keyboard.press("Enter");
    // At the top there is no way up.
    await expect(button("Move down: Third")).toBeFocused();
    await button("Remove: Third").press("Enter");
    await expect(button("Remove: Our chat")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(button("Remove: Second")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(button("Add services")).toBeFocused();

    // Each notice puts its service back where it was, and the focus on it.
    const services = page.getByRole("region", { name: "Services" }).getByRole("listitem");
    const notice = (title: string) => page.getByRole("status").locator(".toast", { hasText: `“${title}” removed from the step` });
    for (const title of ["Second", "Our chat"]) {
      await notice(title).getByRole("button", { name: "Undo" }).press("Enter");
      await expect(button(`Remove: ${title}`)).toBeFocused();
    }
    await expect(services).toHaveText([/Our chat/, /Second/]);
    // Also after its step has moved, and from another form.
    await button("Remove: Our chat").press("Enter");
    // Otherwise the focus may leave the next button before the key is pressed.
    await expect(button("Remove: Second")).toBeFocused();
    await button("Move up").press("Enter");
    await expect(page).toHaveURL(/at=step-1$/);
    await page.getByRole("link", { name: "Hello" }).click();
    await expect(page).toHaveURL(/at=step-2$/);
    await notice("Our chat").getByRole("button", { name: "Undo" }).press("Enter");
    await expect(button("Remove: Our chat")).toBeFocused();
    await expect(page).toHaveURL(/at=step-1$/);
    await expect(services).toHaveText([/Our chat/, /Second/]);
    await expect
      .poll(async () => (await person.read("cookies", shop.configuration)).data.steps)
      .toMatchObject([{ name: "services", vendors: [shop.vendor, second?.id] }, { name: "welcome" }]);
    await button("Move down").press("Enter");
    await expect(page).toHaveURL(/at=step-2$/);
    await expect(button("Move up")).toBeFocused();

    await button("Move up").press("Enter");
    await expect(page).toHaveURL(/at=step-1$/);
    await expect(button("Move down")).toBeFocused();
    await button("Remove: Second").press("Enter");
    await expect(button("Remove: Our chat")).toBeFocused();
    await button("Remove step").press("Enter");
    await expect(page.getByRole("heading", { name: "Step 1 of 1" })).toBeFocused();
    // Without its step a service has no place to go back to.
    await notice("Second").getByRole("button", { name: "Undo" }).press("Enter");
    await expect(page.locator(".toast", { hasText: "The service was not put back." })).toBeVisible();
  });

  test("menus are walked by arrow keys, and closing one keeps the focus", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    await person.shop();
    await open(page, placet.url);
    const summary = page.locator(".switcher summary");
    const item = (name: string) => page.locator(".switcher .menu-item", { hasText: name });
    await summary.focus();
    await page.keyboard.press("ArrowDown");
    await expect(item("Corner shop")).toBeFocused();
    await page.keyboard.press("End");
    await expect(item("New project")).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(item("Corner shop")).toBeFocused();
    await page.keyboard.press("ArrowUp");
    await expect(item("New project")).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page.locator("details.menu[open]")).toHaveCount(0);
    await expect(summary).toBeFocused();
  });

  test("steps are moved by dragging", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`);
    const steps = page.getByLabel("Parts of the banner").getByRole("listitem");
    await steps.filter({ hasText: "Our services" }).dragTo(steps.filter({ hasText: "Your privacy" }));
    await expect(steps.first()).toContainText("Our services");
  });
});
