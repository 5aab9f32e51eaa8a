// What stub and interface of GPP both say.
export const API = '1.1';
export const SUPPORTED = ['2:tcfeuv2', '7:usnat'];
