// The plugin inside WordPress, as Debian packages it: its settings, the pages that visitors load, the
// choices that PHP reads. All tests of this file share one WordPress; each sets the options it needs.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, test as base, type Shop } from "./support/shop.ts";
import { php, plugin, WordPress } from "./support/wordpress.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const test = base.extend<{ asked: string[] }, { wordpress: WordPress }>({
  wordpress: [
    async ({}, use) => {
      const wordpress = await WordPress.start();
      await use(wordpress);
      wordpress.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  /** Requests to other hosts than the site's and Placet's. Each script from there notes that it ran. */
  asked: [
    async ({ context }, use) => {
      const asked: string[] = [];
      await context.route(
        (url) => url.hostname !== "localhost" && url.hostname !== "127.0.0.1",
        async (route) => {
          const { hostname, pathname } = new URL(route.request().url());
          asked.push(hostname + pathname);
          const [contentType, body] = pathname.endsWith(".js")
            ? ["text/javascript", `(window.ran = window.ran || []).push("${pathname}");`]
            : pathname.endsWith(".css")
              ? ["text/css", ""]
              : ["text/html", "<p>Theirs</p>"];
          await route.fulfill({ contentType, body, headers: { "access-control-allow-origin": "*" } });
        },
      );
      await use(asked);
    },
    { auto: true },
  ],
});

// In one worker, one after the other.
test.describe.configure({ mode: "default" });

/** All that the theme loads from elsewhere waits. */
const gated = "shop-stats stats\nshop-fonts stats\n@shop/counter stats";
const options = (shop: Shop, more: Record<string, string> = {}) => ({ url: shop.apiUrl, client_id: "shop", cookies_version: "shop-en", published_url: shop.cdnUrl, gated, ...more });

/** Opens a page of the back office as its owner. */
async function open(page: Page, { url }: WordPress, path: string): Promise<void> {
  await page.request.post(`${url}/run.php`, { data: { code: "wp_set_auth_cookie( 1 );" } });
  await page.goto(`${url}/wp-admin/${path}`);
}

const ran = (page: Page) => page.evaluate(() => (window as any).ran ?? []);

test("every file is PHP, and what it does inside WordPress is right", async ({ wordpress }) => {
  for (const file of readdirSync(plugin, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".php"))) {
    expect(execFileSync(php, ["-l", join(plugin, file)], { encoding: "utf8" })).toContain("No syntax errors");
  }
  const said = await wordpress.php("require $given;", join(root, "tests/wordpress/plugin.php"));
  expect(said).not.toMatch(/^(?!✓)./m);
  expect(said.match(/^✓/gm)?.length).toBeGreaterThan(80);
});

test("from the list of plugins to a visitor who refuses", async ({ page, shop, banner, wordpress, asked }) => {
  await page.goto(`${wordpress.url}/wp-login.php?redirect_to=${encodeURIComponent("/wp-admin/plugins.php")}`);
  await page.locator("#user_login").fill("admin");
  await page.locator("#user_pass").fill("secret");
  await page.locator("#wp-submit").click();
  await page.locator("#deactivate-placet").click();
  await expect(page.getByText("Plugin deactivated.")).toBeVisible();
  expect(await (await fetch(wordpress.url)).text()).not.toContain("placet-sdk");
  await page.locator("#activate-placet").click();
  await expect(page.getByText("Plugin activated.")).toBeVisible();
  await page.locator("tr[data-slug=placet]").getByRole("link", { name: "Settings" }).click();
  await expect(page.getByText("The widget is not on your site yet")).toBeVisible();
  await page.getByLabel("Address of your Placet").fill(`${shop.apiUrl}/`);
  await page.getByLabel("Project").fill("shop");
  await page.getByLabel("Cookie configuration").fill("shop-en");
  await page.getByLabel("Address of published files").fill(shop.cdnUrl);
  await page.getByLabel("Scripts and styles that wait").fill(gated);
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Settings saved.")).toBeVisible();
  await expect(page.getByText("The widget is not on your site yet")).toHaveCount(0);

  // A visitor is nobody's account.
  await page.context().clearCookies();
  const address = await wordpress.post("Words.");
  asked.length = 0;
  await page.goto(address);
  await expect(banner.dialog).toBeVisible();
  await expect(page.locator("#stats")).toHaveText("no");
  expect(await page.evaluate(() => [(window as any).own, (window as any).before])).toEqual([1, undefined]);
  expect(await page.locator('link[rel="dns-prefetch"]').evaluateAll((links) => links.map((link) => link.getAttribute("href")))).not.toContain("//stats.example");
  expect(asked).toEqual([]);

  await banner.part("accept").click();
  await expect.poll(() => ran(page)).toEqual(expect.arrayContaining(["/shop.js", "/counter.js"]));
  await expect.poll(() => [...asked].sort()).toEqual(["fonts.example/letters.css", "stats.example/counter.js", "stats.example/shop.js"]);
  expect(await page.evaluate(() => (window as any).before)).toBe(1);
  await expect.poll(() => shop.stored.length).toBe(1);
  await page.reload();
  await expect(page.locator("#stats")).toHaveText("yes");

  await page.evaluate(() => (window as any).placetSDK.openCookies());
  await banner.part("refuse").click();
  await expect.poll(() => shop.stored.length).toBe(2);
  asked.length = 0;
  await page.reload();
  await expect(banner.part("reopen")).toBeVisible();
  await expect(page.locator("#stats")).toHaveText("no");
  expect(asked).toEqual([]);
});

test("invalid settings say so, and nothing that was typed is lost", async ({ page, shop, wordpress }) => {
  await wordpress.options(options(shop, { gated: "" }));
  await open(page, wordpress, "options-general.php?page=placet");
  await page.getByLabel("Project").fill("my project");
  await page.getByLabel("Scripts and styles that wait").fill("shop-stats stats\nshop-own");
  await page.getByLabel("Cookie configuration").fill("shop-fr");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Project: Please enter an id")).toBeVisible();
  await expect(page.getByText("“shop-own” is not a handle")).toBeVisible();
  await expect(page.getByText("Settings saved.")).toHaveCount(0);
  await expect(page.getByLabel("Project")).toHaveValue("my project");
  await expect(page.getByLabel("Project")).toHaveAccessibleDescription(/Not saved. In force: shop$/);
  await expect(page.getByLabel("Scripts and styles that wait")).toHaveValue("shop-stats stats\nshop-own");
  // The former settings stay in force; valid ones are saved.
  expect(JSON.parse(await wordpress.php("echo wp_json_encode( placet_options() );"))).toMatchObject({ client_id: "shop", gated: "", cookies_version: "shop-fr" });
  await page.getByLabel("Project").fill("shop");
  await page.getByLabel("Scripts and styles that wait").fill("shop-stats stats");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Settings saved.")).toBeVisible();
  await expect(page.getByText("Not saved")).toHaveCount(0);
  expect(JSON.parse(await wordpress.php("echo wp_json_encode( get_option( 'placet' ) );"))).toMatchObject({ client_id: "shop", gated: "shop-stats stats" });
});

test("embeds wait, show what they wait for, and go when the visitor refuses", async ({ page, shop, banner, wordpress, asked }) => {
  await wordpress.options(options(shop, { embeds: "youtube.com video\ntwitter.com ads\nflickr.com map\nmaps.example map" }));
  const block = `<!-- wp:embed {"url":"https://www.youtube.com/watch?v=film","type":"video","providerNameSlug":"youtube","responsive":true,"className":"wp-embed-aspect-16-9 wp-has-aspect-ratio"} -->
<figure class="wp-block-embed is-type-video is-provider-youtube wp-block-embed-youtube wp-embed-aspect-16-9 wp-has-aspect-ratio"><div class="wp-block-embed__wrapper">
https://www.youtube.com/watch?v=film
</div></figure>
<!-- /wp:embed -->`;
  const html = `<!-- wp:html --><iframe class="map" src="https://tiles.maps.example/here" title="Where we are"></iframe><!-- /wp:html -->`;
  // Some load their parts from elsewhere.
  const addresses = "https://twitter.com/somebody/status/1\n\nhttps://www.flickr.com/photos/somebody/1";
  await page.goto(await wordpress.post(`${block}\n\n${addresses}\n\n${html}`));
  await expect(banner.dialog).toBeVisible();
  await banner.part("refuse").click();
  const film = page.locator(".wp-block-embed [part=placeholder]");
  await expect(film).toBeVisible();
  await expect(film).toContainText("Videoline");
  expect(asked).toEqual([]);
  await film.getByRole("button", { name: /^Allow/ }).click();
  await expect.poll(() => asked).toEqual(["www.youtube.com/embed/film"]);
  await expect(page.frameLocator(".wp-block-embed iframe").getByText("Theirs")).toBeVisible();
  await page.evaluate(() => (window as any).placetSDK.openCookies());
  await banner.part("accept").click();
  await expect.poll(() => asked).toEqual(expect.arrayContaining(["platform.twitter.com/widgets.js", "pictures.example/1.jpg", "tiles.maps.example/here"]));

  await page.evaluate(() => (window as any).placetSDK.openCookies());
  await banner.part("refuse").click();
  await expect(film).toBeVisible();
  asked.length = 0;
  await page.reload();
  await expect(film).toBeVisible();
  expect(asked).toEqual([]);
  // In a feed there is no widget, and elsewhere no consent of this site's visitors.
  expect(await (await fetch(`${wordpress.url}/?feed=rss2`)).text()).not.toContain("data-requires-vendor-consent");
});

test("every vendor that embeds wait for at first is in the catalogue", async ({ wordpress }) => {
  const vendors = JSON.parse(await wordpress.php("echo wp_json_encode( array_values( placet_pairs( PLACET_EMBEDS, true )[0] ) );")) as string[];
  const catalogue = readFileSync(join(root, "service/src/vendors/catalogue/catalogue.ndjson"), "utf8");
  expect(vendors.length).toBeGreaterThan(15);
  expect(vendors.filter((vendor) => !catalogue.includes(`{"name":"${vendor}",`))).toEqual([]);
});

test("with consent mode the defaults stand before the first tag, as the page “Install” writes them", async ({ page, shop, banner, wordpress }) => {
  await wordpress.options(options(shop, { consent_mode: "1", microsoft: "1", cookies_version: "shop-signals" }));
  await wordpress.php("delete_option( 'test_consent_api' );");
  await page.goto(wordpress.url);
  await expect(banner.dialog).toBeVisible();
  const first = JSON.parse(await page.evaluate(() => (window as any).early)) as unknown[][];
  expect(first[0]).toMatchObject(["consent", "default", { ad_storage: "denied", security_storage: "granted" }]);
  // The same lines, but for what this configuration says beyond and a filter would.
  const lines = (html: string) => html.replace(/^<\/?script.*>$/gm, "").trim().split("\n").filter((line) => !line.includes("url_passthrough")).map((line) => {
    const defaults = /^gtag\('consent', 'default', (.*)\);$/.exec(line);
    return defaults ? JSON.parse(defaults[1]!) as unknown : line;
  });
  const install = await (await fetch(`${shop.cdnUrl}/shop/shop-signals.head.html`)).text();
  expect(lines(await page.locator("#placet-consent-mode").innerHTML())).toEqual(lines(install));
  await banner.part("accept").click();
  const updates = () => page.evaluate(() => (window as any).dataLayer.map((entry: any) => Array.from(entry)).filter((entry: unknown[]) => entry[1] === "update"));
  await expect.poll(updates).toMatchObject([["consent", "update", { ad_storage: "granted" }]]);
});

test("plugins that ask by the WP Consent API are told of each choice", async ({ page, shop, banner, wordpress }) => {
  await wordpress.options(options(shop));
  await wordpress.php("update_option( 'test_consent_api', '1' );");
  try {
    expect(await wordpress.php("echo wp_json_encode( array( wp_get_consent_type(), apply_filters( 'wp_consent_api_registered_placet/placet.php', false ) ) );")).toBe('["optin",true]');
    const told = () => page.evaluate(() => ["functional", "preferences", "statistics", "statistics-anonymous", "marketing"].filter((category) => (window as any).wp_has_consent(category)));
    const read = () => page.locator("#functional, #statistics, #marketing").allInnerTexts();
    await page.goto(wordpress.url);
    await expect(banner.dialog).toBeVisible();
    expect([await told(), await read(), await page.evaluate(() => (window as any).wp_consent_type)]).toEqual([[], ["yes", "no", "no"], "optin"]);
    expect(await page.evaluate(() => document.cookie)).not.toContain("wp_consent");
    // All that counts, and nothing else.
    await banner.part("configure").click();
    for (const vendor of ["stats", "heat", "ab"]) await banner.toggle(vendor).click();
    for (let step = 0; step < 3; step++) await banner.part("next").click();
    await expect.poll(told).toEqual(["functional", "statistics", "statistics-anonymous"]);
    await page.reload();
    expect(await read()).toEqual(["yes", "yes", "no"]);
    // A choice that is gone takes what the API noted along, in PHP at once.
    await page.context().clearCookies({ name: /^placet/ });
    await page.reload();
    expect(await read()).toEqual(["yes", "no", "no"]);
    await expect.poll(told).toEqual(["functional"]);
  } finally {
    await wordpress.php("delete_option( 'test_consent_api' );");
  }
});

test("authors put boxes, frames that wait and a link to the widget into pages", async ({ page, shop, banner, wordpress, asked }) => {
  await wordpress.options(options(shop, { embeds: "video.example video" }));
  await page.goto(
    await wordpress.post(`[placet_reopen] [placet_reopen text="Ask me again"]
[placet_frame src="https://video.example/1" title="A film" width="400" height="225"] [placet_frame src="https://evil.example/1"]
[placet_box id="b1" name="news" required] [placet_contract id="c1"]
<!-- wp:placet/consent {"show":"box","id":"b2"} /-->`),
  );
  await expect(banner.dialog).toBeVisible();
  await banner.part("refuse").click();
  const film = page.locator("[part=placeholder]");
  await expect(film).toContainText("Videoline");
  expect(await film.boundingBox()).toMatchObject({ width: 400, height: 225 });
  await expect(page.locator("iframe")).toHaveCount(1);
  await expect(page.getByRole("link", { name: "https://evil.example/1" })).toBeVisible();
  const boxes = await page.locator("[data-placet-processing], [data-placet-contract]").evaluateAll((all) => all.map((one) => ({ ...(one as HTMLElement).dataset })));
  expect(boxes).toEqual([{ placetProcessing: "b1", name: "news", required: "" }, { placetContract: "c1" }, { placetProcessing: "b2" }]);
  await page.getByRole("link", { name: "Ask me again" }).click();
  await expect(banner.dialog).toBeVisible();
  expect(asked).toEqual([]);
  // In the language of the site, where somebody has translated the plugin.
  await wordpress.php(`
    require_once ABSPATH . WPINC . '/pomo/mo.php';
    $mo = new MO();
    $mo->add_entry( new Translation_Entry( array( 'singular' => 'Cookie settings', 'translations' => array( 'Réglages des cookies' ) ) ) );
    $mo->export_to_file( WP_PLUGIN_DIR . '/placet/languages/placet-fr_FR.mo' );
    update_option( 'test_locale', 'fr_FR' );`);
  await page.reload();
  await wordpress.php("delete_option( 'test_locale' );");
  await expect(page.getByRole("link", { name: "Réglages des cookies" })).toBeVisible();
});

test("authors find them among the blocks of the editor", async ({ page, wordpress }) => {
  // The guide for new authors comes some time after the page.
  await page.addLocatorHandler(page.locator(".components-modal__screen-overlay"), () => page.keyboard.press("Escape"));
  await open(page, wordpress, "post-new.php");
  const names = await page.evaluate(() => (window as any).wp.blocks.getBlockVariations("placet/consent", "inserter").map((one: any) => one.title));
  expect(names).toEqual(["Link to cookie settings", "Content that waits for consent", "Consent box", "Contract box"]);
  await page.evaluate(() => {
    const { wp } = window as any;
    wp.data.dispatch("core/block-editor").insertBlocks(wp.blocks.createBlock("placet/consent", { show: "box" }));
  });
  // Newer editors draw what is edited in a frame.
  const framed = page.locator("iframe[name=editor-canvas]");
  await expect(page.getByLabel("Id of the box").or(framed)).toBeVisible();
  const canvas = (await framed.count()) > 0 ? framed.contentFrame() : page;
  await canvas.getByLabel("Id of the box").fill("b1");
  await canvas.getByLabel("The form needs it").check();
  const written = () => page.evaluate(() => (window as any).wp.data.select("core/editor").getEditedPostContent());
  await expect.poll(written).toBe('<!-- wp:placet/consent {"show":"box","id":"b1","required":"1"} /-->');
});

test("the template for translations holds every text", () => {
  const made = execFileSync(php, [join(root, "tests/wordpress/pot.php")], { encoding: "utf8" });
  expect(made.match(/^msgid/gm)?.length).toBeGreaterThan(40);
  expect(made).toBe(readFileSync(join(plugin, "languages/placet.pot"), "utf8"));
});

test("on a network of sites nothing of it is left on any", async ({ wordpress }) => {
  await wordpress.php(`
    require_once ABSPATH . 'wp-admin/includes/upgrade.php';
    require_once ABSPATH . 'wp-admin/includes/network.php';
    define( 'WP_INSTALLING_NETWORK', true );
    foreach ( $GLOBALS['wpdb']->tables( 'ms_global' ) as $name => $table ) $GLOBALS['wpdb']->$name = $table;
    install_network();
    populate_network( 1, 'localhost', 'admin@shop.example', 'Two sites', '/', false );`);
  expect(wordpress.script("network.php")).toMatch(/2 0$/);
});

test("who removes the plugin finds nothing of it left", async ({ page, shop, wordpress }) => {
  await wordpress.options(options(shop));
  await open(page, wordpress, "plugins.php");
  const left = () => wordpress.php("global $wpdb; echo wp_json_encode( $wpdb->get_col( \"SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%placet%'\" ) );");
  expect(await left()).toBe('["placet"]');
  await page.locator("#deactivate-placet").click();
  await expect(page.getByText("Plugin deactivated.")).toBeVisible();
  expect(await (await fetch(wordpress.url)).text()).not.toContain("placet-sdk");
  // Else the link leads to a page that asks the same.
  await page.waitForLoadState();
  page.once("dialog", (dialog) => void dialog.accept());
  await page.locator("#delete-placet").click();
  await expect(page.getByText("was successfully deleted")).toBeVisible();
  expect(await left()).toBe("[]");
});
