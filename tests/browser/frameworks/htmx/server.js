import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { readChoices } from "@placet/sdk";

const policy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval' https://consent.example https://stats.example",
  "connect-src 'self' https://consent.example",
  "img-src 'self' https://consent.example",
  "frame-src https://www.youtube-nocookie.com",
  "style-src 'self' 'sha256-WAyOw4V+FqDc35lQPyRADLBWbuNK8ahvYEaQIYF1+Ps='", // the progress bar of Turbo 8.0.23
  "object-src 'none'; base-uri 'none'",
].join("; ");

const libraries = {
  htmx: `<meta name="htmx-config" content='{
      "includeIndicatorStyles": false, "historyCacheSize": 0, "allowEval": false
    }'>
    <script defer src="/htmx.js"></script>`,
  turbo: `<script type="module" src="/turbo.js"></script>`,
};
const library = libraries[process.argv[2] ?? "htmx"];

const page = (body) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <script async src="https://consent.example/cdn/notices/gpc.js"></script>
    <script defer src="/choices.js"></script>
    ${library}
  </head>
  <body hx-boost="true">${body}</body>
</html>`;

const one = (choices) => `
    <p id="server">${choices?.stats ? "The server counts this visit." : "The server counts nothing."}</p>
    <p data-if="ads" hidden>Videos play.</p>
    <button data-ask="ads" hidden>Allow videos</button>
    <script type="text/plain" data-requires-vendor-consent="stats" src="https://stats.example/a.js"></script>
    <iframe title="Film" data-requires-vendor-consent="ads"
      data-src="https://www.youtube-nocookie.com/embed/x"></iframe>
    <form>
      <div data-placet-processing="01980000-0000-7000-8000-000000000032" data-name="news"></div>
    </form>
    <a href="/two">On</a>`;

const two = () => `
    <h1>Two</h1>
    <p data-if="ads" hidden>Videos play.</p>
    <button data-ask="ads" hidden>Allow videos</button>
    <script type="text/plain" data-requires-vendor-consent="stats" src="https://stats.example/b.js"></script>
    <iframe title="Film" data-requires-vendor-consent="ads"
      data-src="https://www.youtube-nocookie.com/embed/y"></iframe>
    <a href="/">Back</a>`;

const file = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const scripts = {
  "/choices.js": file("choices.js"),
  "/htmx.js": file("node_modules/htmx.org/dist/htmx.js"),
  "/turbo.js": file("node_modules/@hotwired/turbo/dist/turbo.es2017-esm.js"),
};

createServer((request, response) => {
  const script = scripts[request.url];
  if (script) return response.writeHead(200, { "Content-Type": "text/javascript" }).end(script);
  const draw = { "/": one, "/two": two }[request.url];
  if (!draw) return response.writeHead(404).end();
  const choices = readChoices(request.headers.cookie);
  const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "Cache-Control": "private" };
  response.writeHead(200, headers).end(page(draw(choices)));
}).listen(Number(process.env.PORT), process.env.HOST);
