/** `{<name of a vendor>: allowed}`, with every vendor of the configuration. */
export type Choices = Readonly<Record<string, boolean>>;

/** Google Consent Mode's signals that follow from a choice. */
export type Signals = Readonly<
  Partial<
    Record<
      | "ad_storage"
      | "ad_user_data"
      | "ad_personalization"
      | "analytics_storage"
      | "functionality_storage"
      | "personalization_storage",
      "granted" | "denied"
    >
  >
>;

/** A consent as it was posted. */
export interface Consent {
  readonly accept: boolean;
  readonly token: string;
  readonly consentId: string;
  readonly publication: string;
  /** Milliseconds between the decision and the post. */
  readonly age: number;
  /** The value of a box's button. */
  readonly value?: string;
  readonly preferences: {
    readonly vendors: Choices;
    readonly config: { readonly identifier: string; readonly name: string; readonly language: string };
    readonly googleConsentMode?: Signals | null;
  };
}

/** An answer to a consent box or a contract box whose proof is stored. */
export interface Answer {
  readonly accept: boolean;
  readonly value?: string;
  readonly consentId: string;
}

/** Events and what their listeners are given. */
export interface Events {
  /** The site's queue has run: `settings`, with `token`, and all methods can be used. */
  ready: undefined;
  /** The choices of the visitor: after each choice, and on load where one is stored. */
  "cookies:complete": Choices;
  /** The widget shows another step. */
  "cookies:step:change": { readonly step: string };
  /** Google's signals that follow from a choice, with each choice, also without Google Consent Mode. */
  "consent:signals": Signals;
  /** The server has stored the proof of a choice or of a box's answer. */
  "consent:saved": Consent;
  /** The server has refused a consent for good. */
  "consent:failed": Consent;
  /** The visitor has another token. */
  "token:update": string;
  /** The widget has opened. */
  open: undefined;
  /** The widget has closed. */
  close: undefined;
  /** The site has forgotten the choice; what is in force now. */
  clear: Choices;
}

/** An event, or all whose names begin with what stands before the star. */
export type Pattern = keyof Events | "*" | "cookies:*" | "consent:*";

/** The events that a pattern stands for. */
export type Matching<P extends Pattern> = P extends keyof Events
  ? P
  : P extends "*"
    ? keyof Events
    : P extends `${infer Kind}:*`
      ? Extract<keyof Events, `${Kind}:${string}`>
      : never;

export type Listener<P extends Pattern> = (detail: Events[Matching<P>], event: Matching<P>) => void;

export interface ListenOptions {
  /** Whether `ready`, `consent:signals` and `cookies:complete` are told again to who comes late. Yes by default. */
  readonly replay?: boolean;
}

/** Settings of a site. */
export interface Settings {
  /** The project's id. */
  clientId?: string;
  /** The configuration's name; without it the page's language decides, else the default one. */
  cookiesVersion?: string;
  /** Token of the visitor: at least 128 random bits, or signed. */
  token?: string;
  /** Address that consents are posted to. */
  apiUrl?: string;
  /** Address of published files. */
  configUrl?: string;
  /** Days that a choice is kept, unless it was made by closing; those of the configuration when absent. */
  userCookiesDuration?: number;
  /** Domain of the cookies; the host of the page alone when absent. */
  userCookiesDomain?: string;
  /** `SameSite` of the cookies; `Lax` when absent. */
  userCookiesSameSite?: "Lax" | "Strict" | "None";
  /** `Secure` of the cookies; on pages of https when absent. */
  userCookiesSecure?: boolean;
  /** Name of the cookie with the choice; `placet_cookies` when absent. */
  jsonCookieName?: string;
  /** Name of the cookie that lists the allowed vendors; `placet_authorized_vendors` when absent. */
  authorizedVendorsCookieName?: string;
  /** Name of the cookie that lists all vendors; `placet_all_vendors` when absent. */
  allVendorsCookieName?: string;
  /** Puts each choice into the data layer; where the page has a data layer when absent. */
  triggerGTMEvents?: boolean;
  /** Name of the data layer; `dataLayer` when absent. */
  dataLayerName?: string;
  /** Tells Google's tags of each choice, also where the configuration does not. */
  googleConsentMode?: boolean;
  /**
   * `true`: the page's language chooses the configuration, whatever `cookiesVersion` says. `false`: a configuration
   * with several languages keeps its default one.
   */
  useDocumentLang?: boolean;
  /** Whether the law applies to the visitor, where a configuration asks by TCF with `tcf.applies: site`. */
  gdprApplies?: boolean;
  /** Of the page's policy; then only elements that carry it are started. */
  nonce?: string;
  /** A refusal of advertising that the site knows of. */
  privacySignal?: boolean;
}

/** The SDK on the page, `window.placetSDK`. */
export interface PlacetSDK {
  /** The settings in force, with the token of the visitor. */
  readonly settings: Settings & { token: string };
  /** Listens to an event, or to all of a pattern. */
  on<P extends Pattern>(event: P, callback: Listener<P>, options?: ListenOptions): void;
  /** Ends listening; without a callback for all listeners of the event. */
  off<P extends Pattern>(event: P, callback?: Listener<P>): void;
  /** Opens the widget at its first step, or at the named one. */
  openCookies(step?: string): void;
  /** Opens the widget at the step of a vendor. */
  requestConsent(vendor: string): void;
  /** Whether a vendor is allowed now. */
  hasAcceptedVendor(vendor: string): boolean;
  /** The choices in force. */
  getChoices(): Choices;
  /** Names the visitor from now on. */
  setToken(token: string): void;
  /** Forgets the choice: nothing is stored, nothing is allowed. */
  clear(): void;
  /**
   * Shows a box over the page; resolves when the proof is stored, with null when the box was closed without one:
   * unanswered, or with an answer that the API refused for good (`consent:failed`).
   */
  openContract(id: string): Promise<Answer | null>;
}

/** Source of the widget: the server (`sdk.js`), or a whole address as “Install” shows it. */
export type Source =
  | { url: string; src?: undefined; integrity?: undefined }
  | { src: string; url?: undefined; integrity?: string };

export type LoadOptions = Source & Settings;

/**
 * Puts the widget on the page, once, and resolves with the SDK. Rejects if it cannot be loaded; a
 * later call tries again. On a server it does nothing and never settles.
 */
export function load(options: LoadOptions): Promise<PlacetSDK>;

/** Runs a callback with the SDK: at once if it is there, else as soon as it is. */
export function push(callback: (sdk: PlacetSDK) => void): void;

/** Listens from now on, also before the SDK is there. Gives a function that ends it. */
export function on<P extends Pattern>(event: P, callback: Listener<P>, options?: ListenOptions): () => void;

/**
 * Calls back when the choices are known, at once if they are, and after each change. With
 * `replay: false` only after changes. Gives a function that ends it.
 */
export function subscribe(watcher: () => void, options?: { replay?: boolean }): () => void;

/** Choices in force now, empty before the SDK is there. */
export function currentChoices(): Choices;

/**
 * Whether the visitor has answered: `undefined` before that is known, and on a server. A refusal is an answer,
 * and so is closing where that refuses. `subscribe` tells when it changes.
 */
export function hasAnswered(): boolean | undefined;

/** Settings that rename cookies. */
export type CookieNames = Pick<Settings, "jsonCookieName" | "authorizedVendorsCookieName" | "allVendorsCookieName">;

/**
 * The answer in a `Cookie` header, for servers: `undefined` if there is none that is still good. `now` is in
 * milliseconds since 1970.
 */
export function readChoices(header: string | null | undefined, settings?: CookieNames, now?: number): Choices | undefined;

declare global {
  interface Window {
    placetSDK?: PlacetSDK;
    placetSettings?: Settings;
    _placet?: { push(...callbacks: ((sdk: PlacetSDK) => void)[]): unknown };
  }
}
