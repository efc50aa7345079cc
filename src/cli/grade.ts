/** `npx rl-playground grade FILE.jsonl`: each line of a file graded. Exit codes: 0 done, 1 a row was malformed, 2 bad arguments or no file. */
import { plural } from '@rl-playground/base/text';
import { linesOf, write } from '@rl-playground/run/disk';
import { gradeRow } from './gradeRow.ts';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { printProblem } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram } from './program.ts';

/** Characters of output that are gathered before they are written. */
const BLOCK = 1 << 16;

/** Grades every line of the file at `path` and resolves to the number of malformed ones. */
async function gradeFile(path: string): Promise<number> {
  let malformed = 0;
  let block = '';
  for await (const text of linesOf(path)) {
    const graded = gradeRow(text);
    if (graded.malformed) malformed++;
    block += `${JSON.stringify(graded.output)}\n`;
    if (block.length < BLOCK) continue;
    await write(block);
    block = '';
  }
  await write(block);
  return malformed;
}

const line = () =>
  command(
    'npx rl-playground grade',
    'Grades each line of a file and prints one line of JSON for it, in order, and nothing else: docs/tasks.md says what a line may be.',
    'answers.jsonl',
  ).argument('<file>', 'lines of JSON');

export default simpleProgram(line, async (_, [file = '']) => {
  const path = fromCaller(file);
  try {
    const malformed = await gradeFile(path);
    if (malformed > 0) printProblem(`${plural(malformed, 'malformed row')}.`);
    return malformed > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new BadInput(
      `${path} could not be graded: ${error.message}. Name a file of JSON lines that can be read.`,
      { cause: error },
    );
  }
});
