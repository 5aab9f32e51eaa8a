export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  app: {
    head: {
      htmlAttrs: { lang: "en" },
      script: [
        { innerHTML: "window.placetSettings = { nonce: document.currentScript.nonce }", tagPriority: 0 },
        { src: "https://consent.example/cdn/notices/gpc.js", async: true },
      ],
    },
  },
});
