// "Take the look of my site": the server reads a page, proposes its colours, fonts and shapes, and the person decides.

import { type Page } from "@playwright/test";
import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { Placet } from "../support/placet.ts";
import { member, open, Person } from "./person.ts";

const PAGE = `<!doctype html><html lang="en"><head><title>Shop</title><link rel="stylesheet" href="/theme/base.css">
<link rel="stylesheet" media="print" href="/theme/paper.css"><link rel="stylesheet" href="/theme/main.css"></head>
<body class="home"><header><a href="/"><img class="site-logo" src="/theme/mark.svg" alt="Shop"></a></header><h1>Shop</h1><button class="menu">Menu</button><a class="btn btn-primary" href="/buy">Buy</a>
<script>document.body.style.background = "lime"</script></body></html>`;
const SHEET = `.btn { border-radius: var(--round); } .btn-primary { background: var(--brand); color: #fff; }
.menu { background: #ddd; } h1 { color: #123; font-family: "Playfair Display", serif; }
@media (prefers-color-scheme: dark) { body { background: #000; } }`;
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><path fill="#c00" d="M0 0h120v40H0z"/></svg>`;
/** Each level of its selector tries all elements around a link: some 10¹³ steps. */
const ENDLESS = `<!doctype html><title>x</title><style>${":is(".repeat(24)}*${" *) *".repeat(24)} a{color:red}</style>${"<div>".repeat(45)}<a href="/">x</a>`;
/** A process that reads a site gives way to everything else, and is ended after a minute. */
const LONGEST = 75_000;
const BASE = `:root { --brand: oklch(0.55 0.2 29); --round: .25rem; } body { margin: 0; background: #fffaf0; color: #222; font: 16px/1.5 Lato, sans-serif; }`;

/** `test` with a server that may call the sites of the tests. */
const reading = test.extend<{ placet: Placet }>({
  placet: async ({}, use) => {
    const placet = await Placet.start("sqlite", ["--outbound-allow", "127.0.0.1"]);
    await use(placet);
    await placet.stop();
  },
});

const OWN = { colors: { main: "#123456", danger: "#aa0000" }, widgetStyle: { padding: 7, position: "top" } };
/** `OWN.colors.main`, as browsers write it. */
const OLD = "rgb(18, 52, 86)";

/** A project with the look `OWN`. */
const shop = async (person: Person, origin: string): Promise<string> => {
  const { project } = await person.shop(origin);
  expect((await person.call("PATCH", `/v1/vault/projects/${project}`, OWN)).status).toBe(200);
  return project;
};

/** The parts of the page "Design". */
const design = (page: Page) => {
  const section = page.getByRole("region", { name: "The look of your site" });
  const widget = page.locator(".preview iframe:not(.waiting)").contentFrame();
  const accept = widget.getByRole("button", { name: "Accept all" });
  return {
    section,
    address: section.getByLabel("Address of the page"),
    read: section.getByRole("button", { name: "Take the look of my site" }),
    said: section.getByRole("status"),
    values: section.getByRole("list", { name: "Values of the site" }).getByRole("listitem"),
    widget,
    accept,
    drawn: (colour: string) => expect(accept).toHaveCSS("background-color", colour),
  };
};

reading("the look of a site is proposed, seen in the preview, taken over and taken back", async ({ page, context, site, placet }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  site.put("/", PAGE);
  site.put("/theme/main.css", SHEET);
  site.put("/theme/base.css", BASE);
  site.put("/theme/mark.svg", { html: MARK, headers: { "content-type": "image/svg+xml" } });
  const project = await shop(person, site.origin);
  const before = (await person.read("projects", project)).data;
  await open(page, `${placet.url}/projects/${project}/design`);
  const { section, address, read, said, values, widget, accept, drawn } = design(page);
  await expect(address).toHaveValue(site.origin);
  const red = "rgb(204, 41, 31)";
  await drawn(OLD);

  // The proposal is seen, and changes nothing.
  await read.click();
  await expect(said).toHaveText(`This is the look of ${new URL(site.origin).host}. The preview shows it.`);
  await drawn(red);
  await expect(accept).toHaveCSS("border-radius", "4px");
  await expect(accept).toHaveCSS("font-family", /^"?Lato"?, sans-serif$/);
  await expect(values).toHaveText([
    /#cc291f from the buttons of the page$/,
    /#fff$/,
    /#fffaf0$/,
    /#222$/,
    /#123$/,
    /4 px$/,
    /Font of titles Playfair Display, serif$/,
    /Font of the text Lato, sans-serif$/,
    /Logo mark\.svg is copied to your files/,
  ]);
  await expectAccessible(page);
  expect((await person.read("projects", project)).data).toEqual(before);
  await section.getByRole("button", { name: "Leave it" }).click();
  await expect(read).toBeFocused();
  await drawn(OLD);
  expect((await person.read("projects", project)).data).toEqual(before);

  // Taken over by the keyboard, it is saved and not published; what the site does not tell stays.
  await address.press("Enter");
  await section.getByRole("button", { name: "Take it over" }).click();
  await expect(read).toBeFocused();
  await drawn(red);
  await expect(page.locator(".save-state")).toHaveText("Saved");
  await expect.poll(async () => (await person.read("projects", project)).data).toMatchObject({
    colors: { main: "#cc291f", buttonText: "#fff", background: "#fffaf0", text: "#222", title: "#123" },
    fonts: { title: "Playfair Display, serif", text: "Lato, sans-serif" },
    widgetStyle: { padding: 7, position: "top", buttonRadius: 4 },
  });
  const { data } = await person.read("projects", project);
  expect(data.colors).not.toHaveProperty("danger");
  // The logo is a file of the project, drawn once.
  expect(data.logo).toMatch(/^[0-9a-f-]{36}$/);
  const logo = widget.locator("[part=logo]");
  await expect.poll(() => logo.evaluate((one) => (one as HTMLImageElement).naturalWidth).catch(() => 0)).toBeGreaterThan(0);
  expect((await fetch(`${placet.url}/cdn/${project}/en.js`)).status).toBe(404);
  // Again there is nothing to take over.
  await read.click();
  await expect(section.getByText("The widget has this look already.")).toBeVisible();
  await expect(section.getByRole("button", { name: "Take it over" })).toHaveCount(0);
  await section.getByRole("button", { name: "Leave it" }).click();
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await drawn(OLD);
  await expect.poll(async () => (await person.read("projects", project)).data.colors).toEqual(OWN.colors);
  expect((await person.read("projects", project)).data).not.toHaveProperty("logo");

  // One that cannot be copied is left out, and that is said.
  site.put("/theme/mark.svg", { html: "no picture", headers: { "content-type": "image/svg+xml" } });
  await read.click();
  await section.getByRole("button", { name: "Take it over" }).click();
  await expect(page.locator(".toast").filter({ hasText: "Its logo could not be copied" })).toBeVisible();
  await expect.poll(async () => (await person.read("projects", project)).data.colors).toMatchObject({ main: "#cc291f" });
  expect((await person.read("projects", project)).data).not.toHaveProperty("logo");
  await page.locator(".toast").filter({ hasText: "Its logo" }).getByRole("button", { name: "Undo" }).click();
  await drawn(OLD);

  // A logo that takes a while leaves the focus with a person who has gone on to another field.
  site.put("/theme/mark.svg", { html: MARK, headers: { "content-type": "image/svg+xml" } });
  await read.click();
  let go = (): void => undefined;
  const waits = new Promise<void>((done) => (go = done));
  await page.route("**/ui/looks/logo", async (route) => {
    await waits;
    await route.continue();
  });
  await section.getByRole("button", { name: "Take it over" }).click();
  await address.focus();
  go();
  await expect(section.getByRole("button", { name: "Take it over" })).toHaveCount(0);
  await expect(address).toBeFocused();
  await drawn(red);
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await drawn(OLD);
});

reading("each other answer of an address is said in words", async ({ page, context, site, placet }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const project = await shop(person, site.origin);
  await open(page, `${placet.url}/projects/${project}/design`);
  const { address, read, said, values, drawn } = design(page);
  await expect(address).toHaveValue(site.origin);
  site.put("/plain", "<!doctype html><title>Plain</title><p>Text</p>");
  site.put("/endless", ENDLESS);
  site.put("/data", { html: `{"secret": "of the site"}`, headers: { "content-type": "application/json" } });
  for (const [typed, words] of [
    [`${site.origin}/plain`, "tells of no colours and fonts"],
    [`${site.origin}/data`, "answers, but not with a web page (HTML)"],
    [`${site.origin}/endless`, "take too long to read"],
    [`${site.origin}/nowhere`, "it answers with the status 404"],
    ["http://127.0.0.1:1", "127.0.0.1:1 cannot be reached"],
    ["http://10.0.0.1/", "This server may not call 10.0.0.1"],
    ["ftp://shop.example", "This is no address of a web page"],
  ] as const) {
    await address.fill(typed);
    await read.click();
    await expect(said).toContainText(words, { timeout: LONGEST });
    await expect(said).not.toContainText("secret");
    await expect(values).toHaveCount(0);
  }
  await drawn(OLD);
});

onOne("sqlite", () => {
  test("a viewer cannot have a site read, and a private one is read for nobody", async ({ page, placet, context, site }) => {
    const owner = await Person.join(placet);
    const { project } = await owner.shop(site.origin);
    const ask = async (person: Person, what = "site") => {
      await context.clearCookies();
      await person.enter(context);
      const data = { project, address: site.origin };
      return page.request.post(`${placet.url}/ui/looks/${what}`, { data, headers: { origin: placet.url } });
    };
    const refused = await ask(owner);
    expect(await refused.json()).toBe("Refused");
    const viewer = await member(owner, project, "viewer");
    expect((await ask(viewer)).status()).toBe(403);
    expect((await ask(await Person.join(placet))).status()).toBe(404);
    expect((await ask(await Person.join(placet), "logo")).status()).toBe(404);
    expect((await ask(viewer, "logo")).status()).toBe(403);
    expect(await (await ask(owner, "logo")).json()).toBeNull();
    expect(site.asked).toEqual([]);
  });
});
