import { NextResponse } from "next/server";
import { policy } from "./policy.js";

export function proxy(request) {
  const nonce = crypto.randomUUID();
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("Content-Security-Policy", policy(nonce)); // Next gives its own scripts this nonce
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("Content-Security-Policy", policy(nonce));
  return response;
}
