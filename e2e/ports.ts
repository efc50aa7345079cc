/** Where the e2e tests find the page. */

/** Sends COOP and COEP, as `npm start` does. */
export const ISOLATED_PORT = 4183;
/** A plain static host: no such headers, and the page in a folder. */
export const PLAIN_PORT = 4184;
export const PLAIN_BASE = '/sub/dir/';
