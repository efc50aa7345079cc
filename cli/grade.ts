/**
 * `npm run --silent grade -- FILE.jsonl`: grades each line of a file and prints one line of JSON for it, in order, and nothing else.
 * Exit code 1 where a row was malformed, 2 where the file could not be read.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { gradeRow } from './gradeRow.ts';

/** Characters of output that are gathered before they are written. */
const BLOCK = 1 << 16;

/** The lines of a file; only `\n` ends one, and the last need not have it. */
async function* linesOf(path: string): AsyncGenerator<string> {
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

const [file, ...more] = process.argv.slice(2);
if (file === undefined || more.length > 0) {
  console.error('Usage: npm run --silent grade -- FILE.jsonl');
  process.exit(2);
}

// npm runs programs in the repository's folder and says here where the person is.
const path = resolve(process.env['INIT_CWD'] ?? '', file);
let malformed = 0;
let block = '';

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

try {
  for await (const line of linesOf(path)) {
    const graded = gradeRow(line);
    if (graded.malformed) malformed++;
    block += `${JSON.stringify(graded.output)}\n`;
    if (block.length < BLOCK) continue;
    await write(block);
    block = '';
  }
  await write(block);
  if (malformed > 0) {
    console.error(`${malformed} malformed ${malformed === 1 ? 'row' : 'rows'}.`);
    process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof Error && 'code' in error)) throw error;
  console.error(`${path} could not be graded: ${error.message}. Name a file of JSON lines that can be read.`);
  process.exitCode = 2;
}
