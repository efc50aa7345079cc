/**
 * `npm run lab -- gguf`: a real GGUF file beside the rows of reference data about it, as `npx rl-playground model` answers them. Exit codes: 0 all
 * agree, 1 some do not, 2 bad arguments or a file that can't be used.
 */
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { z } from 'zod';
import { BadInput, messageOf } from '@rl-playground/base/errors';
import { printLine } from '@rl-playground/base/print';
import { BASE_FORMATS, type BaseFormat } from '@rl-playground/engine/parts';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { openAnswerer } from '../src/cli/model.ts';
import { command, simpleProgram } from '../src/cli/program.ts';

interface Options {
  readonly backend: 'wasm' | 'webgpu';
  readonly baseFormat: BaseFormat;
  readonly tolerance: string;
}

/** A lead of a token, in logits, below which another order of sums may choose another. */
const CLEAR_LEAD = 0.05;
const TOLERANCE = 2e-3;

const line = () =>
  command(
    'npm run lab -- gguf',
    'Asks a GGUF file for the rows of reference data about it, and prints for each kind of row how many agree and the largest difference. Ends with 1 where any does not agree.',
    'SmolLM2-135M-Instruct.Q4_1.gguf ../shared/refdata/gguf/smollm2-135m-instruct-q4_1.json',
  )
    .argument('<model>', 'the GGUF file')
    .argument('<rows>', 'the file of rows')
    .addOption(new Option('--backend <name>', 'what computes').choices(['wasm', 'webgpu']).default('wasm'))
    .addOption(
      new Option('--base-format <name>', 'what the weights are kept in')
        .choices(BASE_FORMATS)
        .default('auto'),
    )
    .option('--tolerance <nats>', 'largest difference of a log-probability', String(TOLERANCE));

const ids = z.array(z.number());
const sequence = z.object({
  text: z.string(),
  ids,
  logprobs: z.array(z.number()),
  greedy: ids,
  margins: z.array(z.number()),
  messages: z.array(z.looseObject({})).optional(),
});
type Sequence = z.infer<typeof sequence>;
const schema = z.object({
  encode: z.array(z.object({ text: z.string(), ids })),
  greedy: z.array(sequence),
  chat: z.array(sequence),
});

const answered = z.object({
  error: z.string().optional(),
  text: z.string().optional(),
  ids: ids.optional(),
  logprobs: z.array(z.number()).optional(),
});
type Answer = z.infer<typeof answered>;

/** The rows of one kind. */
class Tally {
  #rows = 0;
  #agree = 0;
  #worst = 0;
  readonly #deviations: string[] = [];

  add(agrees: boolean, deviation: string, difference = 0): void {
    this.#rows++;
    this.#worst = Math.max(this.#worst, difference);
    if (agrees) this.#agree++;
    else this.#deviations.push(deviation);
  }

  /** Prints the line of the kind and what deviates. Returns whether anything does. */
  print(kind: string): boolean {
    const worst = this.#worst > 0 ? this.#worst.toExponential(1) : '';
    printLine(
      `${kind.padEnd(18)} ${String(this.#rows).padStart(5)} ${String(this.#agree).padStart(6)}  ${worst}`,
    );
    for (const deviation of this.#deviations) printLine(`  ${deviation.slice(0, 300)}`);
    return this.#deviations.length > 0;
  }
}

const same = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((value, i) => value === other[i]);

/** The greedy tokens that must agree: those before the first that another order of sums may choose otherwise. */
const clearLength = ({ margins }: Sequence): number => {
  const close = margins.findIndex((margin) => margin < CLEAR_LEAD);
  return close < 0 ? margins.length : close;
};

export default simpleProgram<Options>(line, async (options, [model = '', file = '']) => {
  const rows = readRows(file);
  const tolerance = Number(options.tolerance);
  const start = performance.now();
  const { backend, baseFormat } = options;
  const answerer = await openAnswerer(model, { backend, baseFormat });
  printLine(`Opened in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
  const ask = async (row: object): Promise<Answer> =>
    answered.parse(JSON.parse(await answerer.answer(JSON.stringify(row))));
  const tallies = new Map(
    ['encode', 'chat text', 'chat ids', 'log-probabilities', 'greedy'].map((kind) => [kind, new Tally()]),
  );
  const add = (kind: string, ...found: Parameters<Tally['add']>): void => tallies.get(kind)?.add(...found);
  try {
    for (const { text, ids: expected } of rows.encode) {
      const { ids: found = [], error } = await ask({ op: 'encode', text });
      add('encode', same(found, expected), `${JSON.stringify(text)}: ${error ?? String(found)}`);
    }
    for (const { messages, text, ids: expected } of rows.chat) {
      const found = await ask({ op: 'chat', messages, add_generation_prompt: true });
      add('chat text', found.text === text, found.error ?? found.text ?? '');
      add('chat ids', same(found.ids ?? [], expected), found.error ?? String(found.ids));
    }
    for (const row of [...rows.greedy, ...rows.chat]) {
      const { logprobs = [], error } = await ask({ op: 'logprobs', ids: row.ids });
      const worst = row.logprobs.reduce(
        (most, value, i) => Math.max(most, Math.abs(value - (logprobs[i] ?? Infinity))),
        0,
      );
      add('log-probabilities', worst <= tolerance, `${row.text}: ${error ?? `differ by ${worst}`}`, worst);
      const answer = await ask({ op: 'greedy', ids: row.ids, max: row.greedy.length });
      const clear = clearLength(row);
      const agrees = same((answer.ids ?? []).slice(0, clear), row.greedy.slice(0, clear));
      add('greedy', agrees, `${row.text}: ${answer.error ?? String(answer.ids)}`);
    }
  } finally {
    await answerer.close();
  }
  printLine(`${'rows'.padEnd(18)} count  agree  largest difference`);
  const deviating = [...tallies].filter(([kind, tally]) => tally.print(kind));
  printLine(`${((performance.now() - start) / 1000).toFixed(1)} s in all.`);
  return deviating.length > 0 ? 1 : 0;
});

function readRows(file: string): z.infer<typeof schema> {
  try {
    return schema.parse(JSON.parse(readFileSync(fromCaller(file), 'utf8')));
  } catch (error) {
    throw new BadInput(`${file} can't be used as rows: ${messageOf(error)}`, { cause: error });
  }
}
