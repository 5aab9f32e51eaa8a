// The bundle as Placet publishes it, the same wording as the peers (`bench widget` of this repository
// makes the project). One script, no settings: the first choice of the page "Install".
export const fetched = { 'placet.js': 'placet' };
export const head = '<script async src="placet.js"></script>';
export const body = '';
