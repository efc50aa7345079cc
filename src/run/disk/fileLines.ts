/** Lines of a file in, lines of standard output out, neither held as a whole. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { grouped } from '@rl-playground/base/text';
import { visibleJson } from '@rl-playground/base/visibleText';

/** Characters of one line: a file without line ends would be in memory as a whole. */
const LONGEST_LINE = 2 ** 26;

/** The lines of a file; only `\n` ends one, and the last need not have it. @throws Error where one is longer than any that is written. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path)) {
    const [first = '', ...rest] = decoder.decode(chunk as Uint8Array, { stream: true }).split('\n');
    pending.push(first);
    length += first.length;
    if (length > LONGEST_LINE)
      throw new Error(
        `${path} has a line of more than ${grouped(LONGEST_LINE)} characters, which is no line of text.`,
      );
    for (const part of rest) {
      yield pending.join('');
      pending = [part];
      length = part.length;
    }
  }
  const last = pending.join('') + decoder.decode();
  if (last !== '') yield last;
}

/** Lines of JSON to standard output; resolves when there is room for more. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(visibleJson(text))) await once(process.stdout, 'drain');
}
