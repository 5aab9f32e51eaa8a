import { readChoices } from "@placet/sdk";
import { Consent, ConsentBox, ConsentFrame } from "@placet/sdk/react";
import { headers } from "next/headers";
import Link from "next/link";
import Script from "next/script";
import { Videos } from "./videos.jsx";

export default async function Page() {
  const choices = readChoices((await headers()).get("cookie"));
  return (
    <main>
      <p id="server">{choices?.stats ? "The server counts this visit." : "The server counts nothing."}</p>
      <Videos />
      <Consent vendor="stats">
        <Script src="https://stats.example/a.js" />
      </Consent>
      <ConsentFrame vendor="ads" title="Film" height={315} src="https://www.youtube-nocookie.com/embed/x" />
      <form>
        <ConsentBox id="01980000-0000-7000-8000-000000000032" name="news" />
      </form>
      <Link href="/two">On</Link>
    </main>
  );
}
