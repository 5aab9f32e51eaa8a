// `test` with a running Placet and a site on another origin. `onBoth` makes tests for each database, `onOne`
// for the named one.
//
//   import { expect, expectAccessible, onBoth, test } from "../support/test.ts";
//   onBoth(() => {
//     test("a choice is stored", async ({ page, placet, site }) => { … });
//   });

import { test as base, expect, type TestInfo } from "@playwright/test";
import { all } from "./all.ts";
import { engines, Placet, type Engine } from "./placet.ts";
import { Site } from "./site.ts";

export { expect };
export { expectAccessible, expectAccessibleInBoth } from "./axe.ts";
export { Placet, Site };

interface PerTest {
  /** The database of `placet`. */
  engine: Engine;
  /** A running server, shared by the tests of a worker. Each test makes its own accounts and projects. */
  placet: Placet;
  /** A site on another origin, for one test. */
  site: Site;
}

interface PerWorker {
  servers: (engine: Engine) => Promise<Placet>;
}

export const test = base.extend<PerTest, PerWorker>({
  servers: [
    async ({}, use) => {
      const running = new Map<Engine, Promise<Placet>>();
      await use((engine) => {
        const server = running.get(engine) ?? Placet.start(engine);
        running.set(engine, server);
        return server;
      });
      for (const server of running.values()) await (await server).stop();
    },
    { scope: "worker" },
  ],
  engine: ["sqlite", { option: true }],
  placet: async ({ servers, engine }, use, info: TestInfo) => {
    const placet = await servers(engine);
    const before = (await placet.log()).length;
    await use(placet);
    if (info.status !== info.expectedStatus) {
      await info.attach("placet.log", { body: (await placet.log()).slice(before) });
    }
  },
  site: async ({}, use) => {
    const site = await Site.start();
    await use(site);
    await site.stop();
  },
});

/** Makes the tests in `define` for each database, for subjects that read and write much. */
export function onBoth(define: () => void): void {
  onThese(engines, define);
}

/**
 * Makes the tests in `define` for one database, because the API's tests show that both behave alike. Files
 * alternate: name the other database than the file before. `cargo xtask test --all` makes them for both.
 */
export function onOne(engine: Engine, define: () => void): void {
  onThese(all ? engines : [engine], define);
}

function onThese(chosen: readonly Engine[], define: () => void): void {
  for (const engine of chosen) {
    test.describe(engine, () => {
      test.use({ engine });
      define();
    });
  }
}
