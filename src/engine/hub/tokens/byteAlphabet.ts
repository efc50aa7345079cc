/** The characters as which byte-level BPE writes bytes: printable ones of Latin-1 are their own byte, and the others begin at U+0100. */

/** The character of each byte. */
export const CHARACTERS: readonly string[] = (() => {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPrintable(byte) ? byte : 0x100 + others++),
  );
})();

const BYTES: ReadonlyMap<string, number> = new Map(CHARACTERS.map((character, byte) => [character, byte]));

const utf8 = new TextEncoder();

/** Each byte of a text as its character. */
export function asByteCharacters(text: string): string {
  let written = '';
  for (const byte of utf8.encode(text)) written += CHARACTERS[byte] ?? '';
  return written;
}

/** The bytes that a token's characters stand for; null if one of them stands for none. */
export function bytesOfCharacters(token: string): Uint8Array | null {
  const bytes: number[] = [];
  for (const character of token) {
    const byte = BYTES.get(character);
    if (byte === undefined) return null;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2})>$/;

/** The byte that a token such as `<0x0A>` means; null for any other token. */
export function byteOfToken(token: string): number | null {
  const hex = BYTE_TOKEN.exec(token)?.[1];
  return hex === undefined ? null : Number.parseInt(hex, 16);
}

/** The tokens such as `<0x0A>` for the bytes of a text. */
export function byteTokens(text: string): readonly string[] {
  return Array.from(utf8.encode(text), (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
}
