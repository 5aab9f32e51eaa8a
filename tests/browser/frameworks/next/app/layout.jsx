import { Placet } from "@placet/sdk/react";
import { headers } from "next/headers";

export default async function Layout({ children }) {
  const nonce = (await headers()).get("x-nonce");
  return (
    <html lang="en">
      <body>
        <Placet src="https://consent.example/cdn/notices/gpc.js" nonce={nonce} />
        {children}
      </body>
    </html>
  );
}
