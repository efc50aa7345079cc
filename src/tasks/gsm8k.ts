import { LEAST_ROWS, rowStream, type Sides, splitRows } from './custom/rowStream.ts';
import { defineTask } from './define/define.ts';
import { flag } from './define/fields.ts';
import { boxedGold } from './math/boxedAnswer.ts';
import { endingFault, FORMAT_FIELDS, gradeMath } from './math/cookbookReward.ts';
import { readWhole } from './math/reading.ts';
import { LINE_ENDS } from '@rl-playground/base/pythonText';
import { stripSpace } from './python/text.ts';
import type { ChatMessage } from '@rl-playground/base/conversation';
import type { DatasetRow, DatasetRows, DrawnProblem, Problem, Task, TaskDataset } from './define/types.ts';

/** The mark before the final answer in GSM8K's own notation. */
const MARK = '####';

/**
 * The final answer of a solution: the text behind `####` on the last line that starts with it, without a colon and commas. Otherwise it is
 * the text behind the last `####`, unchanged, or null.
 */
export function gsm8kFinalAnswer(solution: string): string | null {
  const line = solution
    .split(new RegExp(`[${LINE_ENDS}]`))
    .map(stripSpace)
    .findLast((each) => each.startsWith(MARK));
  if (line !== undefined) {
    const content = stripSpace(line.slice(MARK.length));
    return stripSpace((content.startsWith(':') ? stripSpace(content.slice(1)) : content).replaceAll(',', ''));
  }
  const found = Array.from(solution.matchAll(/####\s*([^\n]+)/g)).at(-1)?.[1];
  return found === undefined ? null : stripSpace(found);
}

/** A row with its final answer apart from the solution that leads to it. */
interface SolvedRow extends DatasetRow {
  readonly solution: string;
}
interface Data {
  readonly solution: string;
  /** True if a worked example comes before the question. */
  readonly few_shot: boolean;
}

const SUFFIX = ' Put your final answer inside \\boxed{}.';

const WORKED_EXAMPLE: readonly ChatMessage[] = [
  {
    role: 'user',
    content: `A bag holds 4 red marbles and three times as many blue ones. How many marbles are in the bag?${SUFFIX}`,
  },
  {
    role: 'assistant',
    content:
      'There are 3 * 4 = 12 blue marbles. Together with the 4 red ones that makes 12 + 4 = 16 marbles. \\boxed{16}',
  },
];

/** An answer behind a solution, in its last box, or alone; null for any other text, of which nobody knows what counts. */
function finalAnswer(given: string): string | null {
  const final = boxedGold(given);
  if (final !== stripSpace(given)) return final;
  return readWhole(final)?.kind === 'number' ? final : null;
}

/** A row in GSM8K's form, a solution and then `#### 18`, or null if its answer cannot be read. */
function solvedRow({ question, answer }: DatasetRow): SolvedRow | null {
  const given = answer.trim();
  const final = gsm8kFinalAnswer(given) ?? finalAnswer(given);
  if (final === null || final === '' || question.trim() === '') return null;
  const solution = given.replace(/<<[^<>]*>>/g, '').split('####')[0] ?? '';
  return { question: question.trim(), answer: final, solution: solution.trim() };
}

function tooFewError({ train, eval: test }: Sides<SolvedRow>, leftOut: number): string | null {
  if (train.length >= LEAST_ROWS && test.length >= LEAST_ROWS) return null;
  return `GSM8K: ${train.length} problems are left for training and ${test.length} for evaluation, and at least ${LEAST_ROWS} of each are needed; ${leftOut} rows had no answer that can be read. Give rows with a question and an answer that ends in "#### " and a number.`;
}

function worked({ answer, data }: Problem<Data>): string {
  return `${data.solution}${data.solution === '' ? '' : '\n'}\\boxed{${answer}}`;
}

/** GSM8K's environment of the Tinker cookbook, on rows that `dataset.provide` is given; each call makes a task with rows of its own. */
export function gsm8kTask(): Task {
  let stream: ReturnType<typeof rowStream<SolvedRow>> | null = null;
  let counts: ReturnType<TaskDataset['counts']> = null;
  let provided: DatasetRows | null = null;

  function provide(rows: DatasetRows): ReturnType<TaskDataset['provide']> {
    const { train, test } = rows;
    const solved = (side: typeof train) => side.map(solvedRow).filter((row) => row !== null);
    const [trainRows, testRows] = [solved(train), solved(test)];
    const leftOut = train.length + test.length - trainRows.length - testRows.length;
    const sides = splitRows([...trainRows, ...testRows.map((row) => ({ ...row, test: true as const }))]);
    const error = tooFewError(sides, leftOut);
    if (error !== null) throw new Error(error);
    stream = rowStream(sides);
    provided = rows;
    counts = { train: sides.train.length, eval: sides.eval.length };
    return { counts, leftOut };
  }

  const task = defineTask({
    name: 'gsm8k',
    title: 'GSM8K',
    summary: 'Word problems of primary school (OpenAI, 2021), answered in a box; loaded or dropped in.',
    source: 'Tinker cookbook',
    family: 'mathematics',
    fields: {
      few_shot: flag('Worked example', 'Whether one solved problem comes before the question.', true),
      ...FORMAT_FIELDS,
    },
    levels: [{}],
    draw(): DrawnProblem<Data> {
      throw new Error('GSM8K: problems are taken from rows, not drawn.');
    },
    messages: ({ question, data }) => [
      ...(data.few_shot ? WORKED_EXAMPLE : []),
      { role: 'user', content: `${question}${SUFFIX}` },
    ],
    score: ({ answer }, { text, stopReason }, { mode, config }) =>
      gradeMath(text, answer, {
        mode,
        endingFault: endingFault(stopReason, config),
        formatWeight: config.format_weight,
      }),
    workedAnswer: worked,
    demonstration: worked,
  });
  return {
    ...task,
    dataset: { id: 'openai/gsm8k', counts: () => counts, rows: () => provided, provide },
    generate(seed, split, index, config) {
      if (stream === null)
        throw new Error(
          'GSM8K is not loaded: there are 0 problems. Load it from the Hugging Face Hub, or drop its file (JSONL or parquet, columns question and answer).',
        );
      const { question, answer, solution } = stream(seed, split, index);
      const data: Data = { solution, few_shot: config['few_shot'] !== false };
      return { task: task.name, split, index, question, compact: `${question}${SUFFIX}`, answer, data };
    },
  };
}

/** The one task of the page. */
export const gsm8k = gsm8kTask();
