/**
 * `npm run lab -- recorded FOLDER`: writes answers of a run into the recorded run that the page shows before its first own one. The run is
 * made by `npx rl-playground train --task reverse_digits --num-steps 150 --eval-samples 200 --backend wasm --out FOLDER evalEvery=30`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram } from '../src/cli/program.ts';

/** The step whose answers are shown: the model gets some right and some wrong there. */
const STEP = 10;
const MOST = 3;
const RECORDED = fileURLToPath(new URL('../src/page/learn/recorded/run.json', import.meta.url));

/** An answer of an evaluation, as far as it is read here. */
interface Example {
  readonly question: string;
  readonly ground_truth: string;
  readonly generated: string;
  readonly extracted: string | null;
  readonly correct: boolean;
}

/** A line of `rollouts.jsonl`, as far as it is read here. */
interface Line {
  readonly question: string;
  readonly answer: string;
  readonly completion: string;
  readonly extracted: string | null;
  readonly correct: boolean;
  readonly step: number;
  readonly group: number;
  readonly reward: number;
  readonly reward_parts: Readonly<Record<string, number>>;
  readonly reward_reason: string;
}

const read = (...path: readonly string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));

/** The answers of every evaluation to one problem, which the model gets wrong at first and right in the end. */
function followed(folder: string): {
  readonly question: string;
  readonly answer: string;
  readonly answers: unknown[];
} {
  const results = readdirSync(join(folder, 'eval_results'))
    .map((name) => read(folder, 'eval_results', name) as { step: number; examples: readonly Example[] })
    .toSorted((a, b) => a.step - b.step);
  const [first, last] = [results[0], results.at(-1)];
  const place = first?.examples.findIndex(
    (example, i) => !example.correct && last?.examples[i]?.correct === true,
  );
  const asked = first?.examples[place ?? -1];
  if (place === undefined || asked === undefined)
    throw new Error(`No problem of ${folder} goes from wrong to right.`);
  return {
    question: asked.question,
    answer: asked.ground_truth,
    answers: results.flatMap(({ step, examples }) => {
      const at = examples[place];
      return at ? [{ step, text: at.generated, read: at.extracted, correct: at.correct }] : [];
    }),
  };
}

/** The best and the worst answer of a group whose answers differ, and one between them. */
function telling(folder: string): unknown {
  const lines = readFileSync(join(folder, 'rollouts.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ step }) => step === STEP);
  const groups = [...new Set(lines.map(({ group }) => group))].map((group) =>
    [
      ...new Map(
        lines.filter((line) => line.group === group).map((line) => [line.completion, line]),
      ).values(),
    ].toSorted((a, b) => b.reward - a.reward),
  );
  const group = groups.find(
    (each) => each.length >= MOST && each[0]?.correct === true && !each.at(-1)?.correct,
  );
  const [best] = group ?? [];
  if (group === undefined || best === undefined)
    throw new Error(`Step ${STEP} has no group of mixed rewards.`);
  const shown = [best, group[1], group.at(-1)].flatMap((line) => line ?? []);
  return {
    step: STEP,
    question: best.question,
    answer: best.answer,
    answers: shown.map((line) => ({
      text: line.completion,
      read: line.extracted,
      correct: line.correct,
      reward: { total: line.reward, parts: line.reward_parts, reason: line.reward_reason },
    })),
  };
}

export default simpleProgram(
  () =>
    command('npm run lab -- recorded', 'Writes answers of a run into the recorded one.', 'my-run').argument(
      '<folder>',
      'run directory',
    ),
  (_options, [folder = '']) => {
    const recorded = { ...(read(RECORDED) as object), problem: followed(folder), telling: telling(folder) };
    writeFileSync(RECORDED, `${JSON.stringify(recorded)}\n`);
    printLine(`${RECORDED} has answers of ${folder}.`);
  },
);
