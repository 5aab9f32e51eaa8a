// An element that React has drawn or taken over has a key of it. Markup that was given as text never gets one.
export const isOfReact = (element) => /Fiber/.test(Object.keys(element));
