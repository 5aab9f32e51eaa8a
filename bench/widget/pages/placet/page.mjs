// The bundle as Placet publishes it, with the same wording as the peers (`cargo xtask bench widget` makes the
// project). It is one script without settings, the first choice of the page "Install".
export const fetched = { 'placet.js': 'placet' };
export const head = '<script async src="placet.js"></script>';
export const body = '';
