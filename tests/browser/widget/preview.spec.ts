// The live preview of the admin UI: the real SDK in a sandboxed frame under the UI's own policy.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, folder, test } from "./support/shop.ts";

const policy =
  "default-src 'self'; script-src 'nonce-fixture' 'strict-dynamic' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

for (const scheme of ["light", "dark"] as const) {
  test(`a preview shows and tells, and neither stores nor posts: ${scheme}`, async ({ page, shop }) => {
    // The viewer's own colour scheme must not matter.
    await page.emulateMedia({ colorScheme: scheme === "dark" ? "light" : "dark" });
    const document = await readFile(join(folder, "cdn/shop", `shop-fr.preview.${scheme}.html`), "utf8");
    const asked: string[] = [];
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.route(`${shop.site}/editor`, (route) =>
      route.fulfill({
        contentType: "text/html",
        headers: { "Content-Security-Policy": policy },
        body: `<!doctype html><title>Editor</title><script nonce="fixture">window.told=[];addEventListener("message",e=>told.push(e.data.placetPreview))</script><iframe sandbox="allow-scripts" width="500" height="700" srcdoc="${document.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`,
      }),
    );
    await page.goto(`${shop.site}/editor`);
    page.on("request", (request) => asked.push(request.url()));
    const frame = page.frameLocator("iframe");
    // It begins with the requested step.
    await expect(frame.locator("[part=toggle]").first()).toBeVisible();
    const background = await frame.locator("[part=banner]").evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(background).toBe(scheme === "dark" ? "rgb(28, 31, 39)" : "rgb(255, 255, 255)");
    // Details are there without a request.
    await frame.locator("[part=more]").first().click();
    await expect(frame.locator("[part=details] a")).toBeVisible();
    await frame.locator("[part=toggle][data-vendor=chat]").click();
    await frame.locator("[part=title]").click();
    await frame.locator("[part=next]").click();
    const told = () => page.evaluate(() => (window as any).told);
    await expect.poll(told).toEqual(
      expect.arrayContaining([
        { step: "services", part: null },
        { step: "services", part: "toggle", vendor: "chat" },
        { step: "services", part: "title" },
        { step: "services", part: "next" },
      ]),
    );
    // After a choice it opens again at the step that the editor names.
    await expect(frame.locator("[part=configure]")).toBeVisible();
    await page.evaluate(() => frames[0]?.postMessage({ placetPreviewStep: "services" }, "*"));
    await expect(frame.locator("[part=toggle]").first()).toBeVisible();
    expect(asked).toEqual([]);
    expect(said.filter((text) => !text.includes("favicon"))).toEqual([]);
  });
}

test("a preview by TCF shows its layers, and no interface answers for a draft", async ({ page, shop }) => {
  const body = await readFile(join(folder, "cdn/news", "news-few.preview.light.html"), "utf8");
  await page.route(`${shop.site}/preview`, (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(`${shop.site}/preview`);
  await expect(page.locator("#placet [part=first-layer]")).toBeVisible();
  const interfaces = () => page.evaluate(() => ["__tcfapi", "__gpp"].map((name) => [typeof (window as any)[name], document.querySelectorAll(`[name=${name}Locator]`).length]));
  const none = [["undefined", 0], ["undefined", 0]];
  expect(await interfaces()).toEqual(none);
  await page.locator("#placet [part=accept]").click();
  expect([await interfaces(), await page.evaluate(() => [document.cookie, localStorage.length]), shop.posts]).toEqual([none, ["", 0], []]);
});

test("an entrance is seen when the editor asks for it and after an answer, and never by itself", async ({ page, shop }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  // Notes entrances. One that is ended before it is seen is none.
  await page.addInitScript(() => {
    (window as any).came = [];
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (init) {
      const root = attach.call(this, init);
      root.addEventListener("animationstart", (event) => {
        const widget = event.target as Element;
        if (widget.matches(".w") && widget.getAnimations().some((one) => one.playState === "running")) (window as any).came.push((event as AnimationEvent).animationName);
      });
      return root;
    };
  });
  const body = await readFile(join(folder, "cdn/spring/card.preview.light.html"), "utf8");
  await page.route(`${shop.site}/preview`, (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(`${shop.site}/preview`);
  const accept = page.locator("#placet [part=accept]");
  await expect(accept).toBeVisible();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))));
  const came = () => page.evaluate(() => (window as any).came);
  expect(await came()).toEqual([]);
  await page.evaluate(() => postMessage({ placetPreviewEnters: true }, "*"));
  await expect.poll(came).toEqual(["en"]);
  await accept.click();
  await expect.poll(came).toEqual(["en", "en"]);
});

test("a preview that is asked for its text has ended its entrance, as a picture of it shows", async ({ page, shop }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  // Entrances take minutes, and say that they began.
  await page.addInitScript(() => {
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (init) {
      const root = attach.call(this, init);
      root.addEventListener("animationstart", (event) => {
        for (const one of (event.target as Element).getAnimations()) one.playbackRate = 0.001;
        (window as any).enters = true;
      });
      return root;
    };
  });
  await page.addInitScript({ path: fileURLToPath(new URL("../../../service/src/render/tell.js", import.meta.url)) });
  const body = await readFile(join(folder, "cdn/spring/card.preview.light.html"), "utf8");
  await page.route(`${shop.site}/preview`, (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(`${shop.site}/preview`);
  await expect(page.locator("#placet [part=accept]")).toBeVisible();
  await page.evaluate(() => postMessage({ placetPreviewEnters: true }, "*"));
  await page.waitForFunction(() => (window as any).enters);
  const moving = await page.evaluate(
    () =>
      new Promise((done) => {
        const { shadowRoot } = document.querySelector("#placet")!;
        addEventListener("message", ({ data }) => {
          if (data.placetTold) done(shadowRoot!.getAnimations().filter((one) => one.playState === "running").length);
        });
        postMessage({ placetTell: true }, "*");
      }),
  );
  expect(moving).toBe(0);
});
