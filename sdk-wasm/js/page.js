// The page's own, also where its markup has elements of such names. Browsers let `<img name="currentScript">` speak for
// `document.currentScript` and `<a id="placetSDK">` for `window.placetSDK`, and authors of content may write both.

const page = window.document;
// Elements are objects. All other values, such as the page's own `cookie`, are nobody's but the page's.
const holder = (key) => (typeof page[key] == 'object' ? Document.prototype : page);

// Stands for `document` in all of these scripts: the build puts it in. Only `window.document` itself can be observed.
export const document = /* @__PURE__ */ new Proxy(page, {
  get: (_, key) => {
    const value = Reflect.get(holder(key), key, page);
    return typeof value == 'function' ? value.bind(page) : value;
  },
  set: (_, key, value) => Reflect.set(holder(key), key, value, page),
});

// True for objects of scripts, of another frame's too. Elements and their lists are none, nor are frames: a window of
// another origin has no name of its kind, but it is its own window.
export const isObject = (value) => ({}).toString.call(value) == '[object Object]' && value.window != value;
