import { currentChoices, subscribe } from "@placet/sdk";
import { readable } from "svelte/store";

// Empty on a server and until the page has been taken over, so that both draw the same.
export const choices = readable({}, (set) => subscribe(() => set(currentChoices())));
