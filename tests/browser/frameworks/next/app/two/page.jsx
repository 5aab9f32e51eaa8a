import { Consent, ConsentFrame } from "@placet/sdk/react";
import Link from "next/link";
import Script from "next/script";
import { Videos } from "../videos.jsx";

export default function Page() {
  return (
    <main>
      <h1>Two</h1>
      <Videos />
      <Consent vendor="stats">
        <Script src="https://stats.example/b.js" />
      </Consent>
      <ConsentFrame vendor="ads" title="Film" height={315} src="https://www.youtube-nocookie.com/embed/y" />
      <Link href="/">Back</Link>
    </main>
  );
}
