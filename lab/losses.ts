/** `npm run --silent lab -- losses FILE.jsonl`: steps of TRL's trainer, given as numbers, through this project's losses. Exit codes: 0 done, 2 bad arguments or no file. */
import { linesOf, write } from '@rl-playground/run/disk';
import { lossRow } from './lossRow.ts';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram } from '../src/cli/program.ts';

const line = () =>
  command(
    'npm run --silent lab -- losses',
    'Takes steps of TRL’s GRPO trainer, one on each line, and prints for each one line of JSON with its loss, advantages and derivatives, in order: docs/losses.md says what a line holds.',
    'losses.jsonl',
  ).argument('<file>', 'lines of JSON');

export default simpleProgram(line, async (_, [file = '']) => {
  const path = fromCaller(file);
  try {
    for await (const text of linesOf(path)) await write(`${JSON.stringify(await lossRow(text))}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new BadInput(
      `${path} could not be read: ${error.message}. Name a file of JSON lines that can be read.`,
      { cause: error },
    );
  }
});
