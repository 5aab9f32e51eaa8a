// The app is loaded in parts: one for every page, and others for groups of pages, before somebody clicks. A
// part that fails to load loses no work, and the page says so.

import { type Page } from "@playwright/test";
import { expect, test } from "../support/test.ts";
import { alive, open, Person } from "./person.ts";

const parts = /\/ui\/(?:part|shared)-[0-9a-f]+\.bin$/;

/** The files of a page's part. */
async function partOf(page: Page, url: string): Promise<string[]> {
  const html = await (await page.request.get(url, { headers: { accept: "text/html" } })).text();
  return [...new Set(html.match(/\/ui\/(?:part|shared)-[0-9a-f]+\.bin/g))].sort();
}

test("a page fetches its part at once, and another one when its link is pointed at", async ({ page, placet, context }) => {
  await (await Person.join(placet)).enter(context);
  const [own, other] = [await partOf(page, placet.url), await partOf(page, `${placet.url}/organizations`)];
  const more = other.filter((file) => !own.includes(file));
  expect(own).not.toEqual([]);
  expect(more).not.toEqual([]);
  expect(await partOf(page, `${placet.url}/nothing`)).toEqual([]);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (parts.test(request.url())) asked.push(new URL(request.url()).pathname);
  });
  await open(page, placet.url);
  expect(asked.sort()).toEqual(own);
  expect(own.length).toBe(2);

  const link = page.getByRole("link", { name: "Organizations" }).first();
  await link.hover();
  await expect.poll(() => asked.slice(own.length).sort()).toEqual(more);
  // From here on only data are fetched, in both directions.
  await link.click();
  await expect(page.getByRole("heading", { name: "Organizations", level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
  expect(asked.length).toBe(own.length + more.length);
});

test("a link that gets the focus fetches the part behind it", async ({ page, placet, context }) => {
  await (await Person.join(placet)).enter(context);
  await open(page, placet.url);
  const asked = page.waitForRequest(parts);
  await page.getByRole("link", { name: "Organizations" }).first().focus();
  await asked;
});

test("a page whose part fails to load says so, and works after another attempt", async ({ page, placet, context }) => {
  await (await Person.join(placet)).enter(context);
  await page.route(parts, (route) => route.abort());
  await page.goto(`${placet.url}/account`);
  const alert = page.getByRole("alert").filter({ hasText: "did not load" });
  await expect(alert).toBeVisible();
  // The server's markup stays.
  await expect(page.getByRole("heading", { name: "Account", level: 1 })).toBeVisible();
  await page.unroute(parts);
  await alert.getByRole("button", { name: "Try again" }).click();
  await alive(page);
  await expect(alert).toHaveCount(0);
});

test("a link whose part fails to load says so, and works after another attempt", async ({ page, placet, context }) => {
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
