import { defineConfig } from "@playwright/test";

// `cargo xtask test --only sdk,browser` sets these; by hand the usual places will do.
const chromium = process.env.PLACET_CHROMIUM ?? "/usr/bin/chromium";

export default defineConfig({
  projects: [
    { name: "rendered", testDir: "widget", testMatch: "*.setup.ts" },
    { name: "widget", testDir: "widget", dependencies: ["rendered"] },
    { name: "admin", testDir: "admin" },
  ],
  outputDir: "out",
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  // A test that passes the second time only would hide what is broken (`.ci/run` retries once, and
  // names it).
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    launchOptions: {
      executablePath: chromium,
      args: ["--no-sandbox", "--disable-quic", "--disable-background-networking"],
    },
    locale: "en-GB",
    timezoneId: "Europe/Paris",
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
  },
});
