import { computed, getCurrentInstance, getCurrentScope, h, onMounted, onScopeDispose, readonly, shallowRef, watchEffect } from "vue";
import { ATTRIBUTES, put } from "./frame.js";
import { currentChoices, hasAnswered, load, push, subscribe } from "./index.js";

/** Read-only ref with the value of `read`, now and after each change; with `first` on a server. */
function follows(read, first) {
  const value = shallowRef(first);
  const follow = () => (value.value = read());
  const end = subscribe(follow, { replay: false });
  // A component begins as a server has rendered it.
  if (getCurrentInstance()) onMounted(follow);
  else follow();
  if (getCurrentScope()) onScopeDispose(end);
  return readonly(value);
}

/** Choices in force: `{<vendor>: boolean}`, empty before the SDK is there and on a server. */
export const useChoices = () => follows(currentChoices, {});

/** Whether the visitor has answered; `undefined` before that is known. */
export const useAnswered = () => follows(hasAnswered, undefined);

/** Whether a vendor is allowed now. */
export function useConsent(vendor) {
  const choices = useChoices();
  return computed(() => choices.value[vendor] === true);
}

/** `app.use(placet, options)` puts the widget on the page; the options are those of `load`. */
export const placet = {
  install: (app, options) => void load(options).catch(console.error),
};

/** Shows its default slot only while a vendor is allowed, else the slot `fallback`. */
export const Consent = {
  name: "PlacetConsent",
  props: { vendor: { type: String, required: true } },
  setup(props, { slots }) {
    const choices = useChoices();
    return () => (choices.value[props.vendor] === true ? slots.default?.() : slots.fallback?.());
  },
};

/** A frame that waits for its vendor, with the SDK's placeholder until then. */
export const ConsentFrame = {
  name: "PlacetConsentFrame",
  props: {
    vendor: { type: String, required: true },
    src: { type: String, required: true },
    ...Object.fromEntries(ATTRIBUTES.map((name) => [name, { type: [String, Number, Boolean], default: undefined }])),
  },
  setup(props) {
    const holder = shallowRef();
    watchEffect((cleanup) => {
      const own = Object.fromEntries(ATTRIBUTES.map((name) => [name, props[name]]));
      const { vendor, src } = props;
      if (holder.value) cleanup(put(holder.value, vendor, src, own));
    });
    return () => h("div", { ref: holder });
  },
};

/** Opens the widget, at the vendor's step if one is named. */
export const openCookies = (vendor) =>
  push((sdk) => (vendor ? sdk.requestConsent(vendor) : sdk.openCookies()));

const box = (name, attribute) => ({
  name,
  props: { id: { type: String, required: true }, name: String, required: { type: Boolean, default: undefined } },
  setup: (props) => () =>
    h("div", {
      // Another box is another element: what is drawn and posted is of the box that it was made for.
      key: [props.id, props.name, props.required].join(),
      [attribute]: props.id,
      "data-name": props.name,
      "data-required": props.required === undefined ? undefined : String(props.required),
    }),
});

/** A consent box, in a form. */
export const ConsentBox = box("PlacetConsentBox", "data-placet-processing");

/** A contract box, in a form. */
export const ContractBox = box("PlacetContractBox", "data-placet-contract");
