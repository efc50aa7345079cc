/** Lines of a file in, lines of standard output out, neither held as a whole. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';

/** The lines of a file; only `\n` ends one, and the last need not have it. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  for await (const chunk of createReadStream(path)) {
    const [first = '', ...rest] = decoder.decode(chunk as Uint8Array, { stream: true }).split('\n');
    pending.push(first);
    for (const part of rest) {
      yield pending.join('');
      pending = [part];
    }
  }
  const last = pending.join('') + decoder.decode();
  if (last !== '') yield last;
}

/** Resolves when there is room for more. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
