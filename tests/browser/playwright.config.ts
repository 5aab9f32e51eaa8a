import { defineConfig } from "@playwright/test";

// `cargo xtask test --only sdk,browser` sets these. The defaults serve a run by hand.
const chromium = process.env.PLACET_CHROMIUM_SHELL ?? process.env.PLACET_CHROMIUM ?? "/usr/bin/chromium";

// Tests of these files run one after the other. They begin first, so that other browsers need not wait for them at the end.
const inTurn = {
  widget: ["frameworks.spec.ts", "wordpress.spec.ts"],
  admin: ["verifier.spec.ts"],
};

export default defineConfig({
  projects: [
    { name: "rendered", testDir: "widget", testMatch: "*.setup.ts" },
    { name: "widget-in-turn", testDir: "widget", testMatch: inTurn.widget, dependencies: ["rendered"] },
    { name: "widget", testDir: "widget", testIgnore: inTurn.widget, dependencies: ["rendered"] },
    { name: "admin-in-turn", testDir: "admin", testMatch: inTurn.admin },
    { name: "admin", testDir: "admin", testIgnore: inTurn.admin },
  ],
  outputDir: "out",
  fullyParallel: true,
  // Two cores wait a good part of their time for timers and pages: a third browser uses it.
  workers: 3,
  forbidOnly: Boolean(process.env.CI),
  // A retry would hide tests that fail at first. `.ci/run` retries once and names such tests.
  retries: 0,
  // These end a run that hangs. They judge no speed: a machine under load takes several times as long.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  use: {
    launchOptions: {
      executablePath: chromium,
      args: ["--no-sandbox", "--disable-quic", "--disable-background-networking"],
    },
    locale: "en-GB",
    timezoneId: "Europe/Paris",
    screenshot: "only-on-failure",
    // A trace of each step doubles the time of tests with large pages, so that only a retry records one.
    // Without a trace Chromium paints nothing while nothing changes, and may then call no idle callback that has no
    // timeout.
    trace: "on-first-retry",
  },
});
