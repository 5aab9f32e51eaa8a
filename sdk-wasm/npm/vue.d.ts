import type { ComputedRef, DefineComponent, Plugin, Ref } from "vue";
import type { Choices, LoadOptions } from "./index.js";

/** Choices in force: `{<vendor>: boolean}`, empty before the SDK is there and on a server. */
export function useChoices(): Readonly<Ref<Choices>>;

/** Whether a vendor is allowed now. */
export function useConsent(vendor: string): ComputedRef<boolean>;

/** Whether the visitor has answered; `undefined` before that is known. */
export function useAnswered(): Readonly<Ref<boolean | undefined>>;

/** `app.use(placet, options)` puts the widget on the page; the options are those of `load`. */
export const placet: Plugin<[LoadOptions]>;

/** Shows its default slot only while a vendor is allowed, else the slot `fallback`. */
export const Consent: DefineComponent<{ vendor: string }>;

/** A frame that waits for its vendor, with the SDK's placeholder until then. */
export const ConsentFrame: DefineComponent<{
  vendor: string;
  src: string;
  title?: string;
  width?: string | number;
  height?: string | number;
  allow?: string;
  allowfullscreen?: boolean;
  loading?: "eager" | "lazy";
  name?: string;
  placeholder?: string;
  referrerpolicy?: string;
  sandbox?: string;
}>;

/** Opens the widget, at the vendor's step if one is named. */
export function openCookies(vendor?: string): void;

/** A consent box, in a form. */
export const ConsentBox: DefineComponent<{ id: string; name?: string; required?: boolean }>;

/** A contract box, in a form. */
export const ContractBox: DefineComponent<{ id: string; name?: string; required?: boolean }>;
