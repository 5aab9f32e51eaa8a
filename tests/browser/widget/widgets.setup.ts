// Writes the files that publishing would write for `widgets.json`, once, before the tests of the widget.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test as setup } from "@playwright/test";
import { folder } from "./support/shop.ts";

const fixture =
  process.env.PLACET_WIDGET_FIXTURE ??
  fileURLToPath(new URL("../../../target/debug/examples/widget_fixture", import.meta.url));

setup("the widgets of the tests are rendered", () => {
  mkdirSync(folder, { recursive: true });
  execFileSync(fixture, [fileURLToPath(new URL("support/widgets.json", import.meta.url)), folder]);
});
