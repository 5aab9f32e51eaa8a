import adapter from "@sveltejs/adapter-node";

export default {
  kit: {
    adapter: adapter(),
    csp: {
      mode: "nonce",
      directives: {
        "default-src": ["self"],
        "script-src": ["self", "strict-dynamic", "wasm-unsafe-eval"],
        "connect-src": ["self", "https://consent.example"],
        "img-src": ["self", "https://consent.example"],
        "frame-src": ["https://www.youtube-nocookie.com"],
        "style-src-attr": ["unsafe-inline"], // SvelteKit's own element that announces pages
        "object-src": ["none"],
        "base-uri": ["none"],
      },
    },
  },
};
