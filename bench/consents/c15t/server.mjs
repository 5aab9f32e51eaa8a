import { c15tInstance } from "@c15t/backend";
import { serve } from "@hono/node-server";
import { adapter } from "./database.mjs";

const c15t = c15tInstance({
  appName: "bench",
  basePath: "/api/c15t",
  trustedOrigins: ["https://example.com"],
  adapter,
  // The default level prints a line for each request.
  logger: { level: "error" },
});
serve({ fetch: c15t.handler, port: Number(process.env.PORT), hostname: "127.0.0.1" });
