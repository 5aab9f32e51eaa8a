// What React has drawn or taken over has a key of it. What stands in markup that was given as text never gets one.
export const isOfReact = (element) => /reactFiber/.test(Object.keys(element));
