export const policy = (nonce) =>
  [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic' 'wasm-unsafe-eval'`,
    "connect-src 'self' https://consent.example",
    "img-src 'self' https://consent.example",
    "frame-src https://www.youtube-nocookie.com",
    "object-src 'none'; base-uri 'none'",
  ].join("; ");
