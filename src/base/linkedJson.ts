/** Values as text for the part of a link behind "#", which browsers send to no server: JSON, deflated, in base64url. */
import { grouped } from './text.ts';

/** Characters of text that a link carries. */
export const LONGEST_LINKED = 8192;
/** Bytes that such text may come to: what is larger was not written here. */
const MOST_BYTES = 2 ** 20;

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    size += value.length;
    if (size > MOST_BYTES) throw new Error(`it comes to more than ${grouped(MOST_BYTES)} bytes`);
    pieces.push(new Uint8Array(value));
  }
}

/** Resolves to the value as text, or to null if it comes to more than `LONGEST_LINKED` characters, which no link can carry. */
export async function linkedJson(value: unknown): Promise<string | null> {
  const json = new Blob([JSON.stringify(value)]);
  if (json.size > MOST_BYTES) return null;
  const bytes = await bytesOf(json.stream().pipeThrough(new CompressionStream('deflate-raw')));
  if (Math.ceil((bytes.length * 4) / 3) > LONGEST_LINKED) return null;
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Resolves to the value in such text, which anybody may have written. @throws Error, in the browser's words, where there is none */
export async function valueOfLinked(text: string): Promise<unknown> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (sign) => sign.codePointAt(0) ?? 0);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return JSON.parse(new TextDecoder().decode(await bytesOf(stream)));
}
