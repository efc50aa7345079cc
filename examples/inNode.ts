/** `minimalLoop.ts` as a program: `node src/cli/run.mjs examples/inNode [--steps 40] [--loss custom]`. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { minimalLoop, type LoopOptions } from './minimalLoop.ts';

const HELP = `Usage: node src/cli/run.mjs examples/inNode [options]
Trains the starter model on reverse_digits by GRPO; prints the reward of each step, and of held-out problems before and after.

  --model <path>    folder of the model, or its address (default: the starter)
  --steps <number>  steps (default: 40)
  --loss <name>     grpo, or custom: the one that this file writes out (default: grpo)
  --seed <number>   decides problems and samples (default: 0)

Example: node src/cli/run.mjs examples/inNode --steps 10 --loss custom`;

const OPTIONS = {
  model: { type: 'string' },
  steps: { type: 'string' },
  loss: { type: 'string' },
  seed: { type: 'string' },
} as const;

const STARTER = fileURLToPath(new URL('../public/models/starter', import.meta.url));

/** Reads the options of a command line. @throws Error if one is unknown or its value can't be used */
function read(args: string[]): Omit<LoopOptions, 'say'> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const { model = STARTER, steps = '40', loss = 'grpo', seed = '0' } = values;
  if (!/^\d+,\d+$/.test(`${steps},${seed}`) || (loss !== 'grpo' && loss !== 'custom'))
    throw new Error(
      `--steps is ${steps}, --seed ${seed}, --loss ${loss}; pass whole numbers, and grpo or custom.`,
    );
  return { model, steps: Number(steps), loss, seed: Number(seed) };
}

/** The options that `read` returns; null if it refuses them, with the reason on stderr and exit code 2. */
function accepted(words: string[]): ReturnType<typeof read> | null {
  try {
    return read(words);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const wanted = words.includes('--help') ? null : accepted(words);
  if (words.includes('--help')) console.log(HELP);
  if (wanted !== null) await minimalLoop({ ...wanted, say: (line) => console.log(line) });
}
