import node from "@astrojs/node";
import react from "@astrojs/react";
import { defineConfig } from "astro/config";

export default defineConfig({
  adapter: node({ mode: "standalone" }), // for pages that read choices; static pages need none
  integrations: [react()],
  experimental: {
    csp: {
      directives: [
        "default-src 'self'",
        "connect-src 'self' https://consent.example",
        "img-src 'self' https://consent.example",
        "frame-src https://www.youtube-nocookie.com",
        "object-src 'none'",
        "base-uri 'none'",
      ],
      scriptDirective: {
        resources: ["'self'", "'wasm-unsafe-eval'", "https://consent.example", "https://stats.example"],
      },
    },
  },
});
