/** Bytes as text in base64. */

export const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** @throws DOMException if the text is no base64 */
export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

/** The alphabet of links and file names (RFC 4648, section 5), without the signs that fill up the end. */
export const base64UrlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** @throws DOMException if the text is no base64url */
export const bytesOfBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  bytesOfBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
