/** Values as text for the part of a link behind "#", which browsers send to no server: JSON, deflated, in base64url. */
import { base64UrlOf, bytesOfBase64Url } from './base64.ts';
import { deflated, inflated } from './deflate.ts';

/** Characters of text that a link carries. */
export const LONGEST_LINKED = 8192;
/** Bytes that such text may come to: what is larger was not written here. */
const MOST_BYTES = 2 ** 20;

/** Resolves to the value as text, or to null if it comes to more than `LONGEST_LINKED` characters, which no link can carry. */
export async function linkedJson(value: unknown): Promise<string | null> {
  const json = new Blob([JSON.stringify(value)]);
  if (json.size > MOST_BYTES) return null;
  const bytes = await deflated(json);
  return Math.ceil((bytes.length * 4) / 3) > LONGEST_LINKED ? null : base64UrlOf(bytes);
}

/** Resolves to the value in such text, which anybody may have written. @throws Error, in the browser's words, where there is none */
export async function valueOfLinked(text: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await inflated(bytesOfBase64Url(text), MOST_BYTES)));
}
