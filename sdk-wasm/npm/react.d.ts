import type { HTMLAttributes, IframeHTMLAttributes, ReactElement, ReactNode } from "react";
import type { Choices, LoadOptions } from "./index.js";

/** Choices in force: `{<vendor>: boolean}`, empty before the SDK is there and on a server. */
export function useChoices(): Choices;

/** Whether a vendor is allowed now. */
export function useConsent(vendor: string): boolean;

/** Whether the visitor has answered; `undefined` before that is known. */
export function useAnswered(): boolean | undefined;

/** Puts the widget on the page; its properties are those of `load`, as they are at first. */
export function Placet(options: LoadOptions): null;

/** Shows its children only while a vendor is allowed, else `fallback`. */
export function Consent(properties: { vendor: string; children?: ReactNode; fallback?: ReactNode }): ReactNode;

type FrameAttributes = Pick<
  IframeHTMLAttributes<HTMLIFrameElement>,
  "allow" | "allowFullScreen" | "height" | "loading" | "name" | "referrerPolicy" | "sandbox" | "width"
>;

/** `className`, `style` and the like are those of the element around the frame and its placeholder. */
export interface FrameProperties extends FrameAttributes, Omit<HTMLAttributes<HTMLDivElement>, "children" | "title"> {
  /** The vendor that the frame waits for. */
  vendor: string;
  /** The frame's address. */
  src: string;
  /** The frame's name for people who do not see it. */
  title: string;
  /** Address of a picture below the words of the placeholder. It is loaded before a choice. */
  placeholder?: string;
}

/** A frame that waits for its vendor, with the SDK's placeholder until then. */
export function ConsentFrame(properties: FrameProperties): ReactElement;

/** Opens the widget, at the vendor's step if one is named. */
export function openCookies(vendor?: string): void;

export interface BoxProperties extends Omit<HTMLAttributes<HTMLDivElement>, "id" | "children"> {
  /** The id of the box. */
  id: string;
  /** Name of the checkbox. */
  name?: string;
  /** Whether the form needs it; the box itself says so otherwise. */
  required?: boolean;
}

/** A consent box, in a form. */
export function ConsentBox(properties: BoxProperties): ReactElement;

/** A contract box, in a form. */
export function ContractBox(properties: BoxProperties): ReactElement;
