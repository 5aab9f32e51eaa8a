import { openCookies, useConsent } from "@placet/sdk/react";

export function Videos() {
  const allowed = useConsent("ads");
  return allowed ? <p>Videos play.</p> : <button onClick={() => openCookies("ads")}>Allow videos</button>;
}
