// Spans of time and countries in words: browsers know them in every language.
export const span = (language, number, unit) =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(number);

// Puts words into the `data` of details that publishing has written.
export const spell = (language, box) => {
  for (const data of box.querySelectorAll('data')) {
    const { value, dataset: { unit } } = data;
    try {
      data.textContent = unit ? span(language, value, unit) : new Intl.DisplayNames(language, { type: 'region' }).of(value.toUpperCase());
    } catch {}
  }
};
