// Names that the stub and the interface of GPP share.
export const API = '1.1';
export const SUPPORTED = ['2:tcfeuv2', '7:usnat'];
