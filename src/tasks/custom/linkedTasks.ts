/** Custom tasks as text for the part of a link behind "#", which browsers send to no server: JSON, deflated, in base64url. */
import * as z from 'zod';
import { grouped } from '@rl-playground/base/text';
import { customTaskSchema, type CustomTask } from '../define/definition.ts';

/** Characters of text that a link carries. */
export const LONGEST_LINKED = 8192;
/** Bytes that such text may come to: what is larger was not written here. */
const MOST_BYTES = 2 ** 20;

const linkedSchema = z.array(customTaskSchema).min(1).max(16);

async function bytesOf(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    size += value.length;
    if (size > most) throw new Error(`it comes to more than ${grouped(most)} bytes`);
    pieces.push(new Uint8Array(value));
  }
}

/** The tasks as text, or null if they come to more than `LONGEST_LINKED` characters, which no link can carry. */
export async function linkedText(tasks: readonly CustomTask[]): Promise<string | null> {
  const json = new Blob([JSON.stringify(tasks)]);
  if (json.size > MOST_BYTES) return null;
  const bytes = await bytesOf(json.stream().pipeThrough(new CompressionStream('deflate-raw')), MOST_BYTES);
  if (Math.ceil((bytes.length * 4) / 3) > LONGEST_LINKED) return null;
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** @throws Error that says what is wrong with the text */
export async function tasksOfLinkedText(text: string): Promise<readonly CustomTask[]> {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (sign) => sign.codePointAt(0) ?? 0);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return linkedSchema.parse(JSON.parse(new TextDecoder().decode(await bytesOf(stream, MOST_BYTES))));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const reason = issue === undefined ? String(error) : `${issue.path.join('.')}: ${issue.message}`;
    throw new Error(
      `The link’s own task can’t be read (${reason}). It may have been cut when it was copied: ask for it again, or for the task’s file.`,
    );
  }
}
