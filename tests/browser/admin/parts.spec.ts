// The app comes in parts: the first for every page, others for groups of pages. A part that does not
// come costs no work, and never leaves a page that is dead without saying so.

import { type Page } from "@playwright/test";
import { expect, test } from "../support/test.ts";
import { alive, open, Person } from "./person.ts";

const parts = /\/ui\/part-[0-9a-f]+\.wasm$/;

/** The files of the part that a page is in. */
async function partOf(page: Page, url: string): Promise<string[]> {
  const html = await (await page.request.get(url, { headers: { accept: "text/html" } })).text();
  return [...new Set(html.match(/\/ui\/part-[0-9a-f]+\.wasm/g))].sort();
}

test("a page fetches its part at once, and the others when it is alive", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const { project } = await person.shop();
  const base = `${placet.url}/projects/${project}`;
  const own = await partOf(page, `${placet.url}/account`);
  expect(own).not.toEqual([]);
  expect(await partOf(page, `${placet.url}/nothing`)).toEqual([]);
  const all = new Set(own);
  for (const url of [placet.url, `${base}/widget`, `${base}/boxes`, `${base}/proofs`]) {
    for (const file of await partOf(page, url)) all.add(file);
  }
  const asked: string[] = [];
  page.on("request", (request) => {
    if (parts.test(request.url())) asked.push(new URL(request.url()).pathname);
  });
  await open(page, `${placet.url}/account`);
  await expect.poll(() => new Set(asked)).toEqual(all);
  expect(asked.slice(0, own.length).sort()).toEqual(own);

  // From now on nothing is fetched but data, forth and back.
  const before = asked.length;
  await page.getByRole("link", { name: "Organizations" }).first().click();
  await expect(page.getByRole("heading", { name: "Organizations", level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Account", level: 1 })).toBeVisible();
  expect(asked.length).toBe(before);
});

test("a page whose part does not come says so, and works after another try", async ({ page, placet, context }) => {
  await (await Person.join(placet)).enter(context);
  await page.route(parts, (route) => route.abort());
  await page.goto(`${placet.url}/account`);
  const alert = page.getByRole("alert").filter({ hasText: "did not load" });
  await expect(alert).toBeVisible();
  // What the server rendered stays.
  await expect(page.getByRole("heading", { name: "Account", level: 1 })).toBeVisible();
  await page.unroute(parts);
  await alert.getByRole("button", { name: "Try again" }).click();
  await alive(page);
  await expect(alert).toHaveCount(0);
});

test("a link whose part does not come says so, and leads on after another try", async ({ page, placet, context }) => {
  await (await Person.join(placet)).enter(context);
  const here = await partOf(page, placet.url);
  await page.route(parts, (route) =>
    here.includes(new URL(route.request().url()).pathname) ? route.continue() : route.abort(),
  );
  await open(page, placet.url);
  await page.getByRole("link", { name: "New project" }).first().click();
  const alert = page.getByRole("alert").filter({ hasText: "cannot be reached" });
  await expect(alert).toBeVisible();
  expect(new URL(page.url()).pathname).toBe("/projects/new");
  await page.unroute(parts);
  await alert.getByRole("button", { name: "Try again" }).click();
  await alive(page);
  await expect(page.getByRole("heading", { name: "New project", level: 1 })).toBeVisible();
});
