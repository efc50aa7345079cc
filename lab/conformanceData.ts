/** Compares every dataset of the reference data with the tasks here. */
import { readdirSync } from 'node:fs';
import {
  lastWithoutCommas,
  extractDigits,
  scoreDigits,
  extractAnswer,
  GYM_TASKS,
  taskByName,
  extractBoxed,
  gradeAnswer,
  type EqualBy,
  gradeMath,
  gsm8kFinalAnswer,
  normalizeLatex,
  sameAnswer,
  normalizePlain,
  tupleElements,
  scoreCleanDigits,
} from '@rl-playground/tasks/parts';
import {
  conformanceOf,
  MOST_DEVIATING,
  readRows,
  REASONS,
} from '@rl-playground/tasks/testing/gymConformance';
import '@rl-playground/tasks/words';
import { MATH_VERIFY_CASES } from './mathVerifyCases.ts';

export interface DatasetResult {
  readonly dataset: string;
  /** The number of compared rows. */
  readonly rows: number;
  readonly deviations: readonly string[];
  /** The reason why rows deviate, if it is known. */
  readonly reason: string | null;
  /** The rows that ask for something that is not built, and its name. */
  readonly leftOut: { readonly rows: number; readonly why: string } | null;
}

export function deviatesTooMuch({ rows, deviations }: DatasetResult): boolean {
  return rows === 0 || deviations.length > MOST_DEVIATING * rows;
}

type Row = Readonly<Record<string, unknown>> & { readonly id?: string };

const TOLERANCE = 1e-9;

/** Compares two fields. A field that is missing counts as null. */
function same(expected: unknown, found: unknown): boolean {
  if (typeof expected === 'number' && typeof found === 'number')
    return Math.abs(expected - found) <= TOLERANCE;
  return JSON.stringify(expected ?? null) === JSON.stringify(found);
}

/** Compares the result of `find` for each row, field by field, with the fields of the row. */
function compare(
  folder: string,
  dataset: string,
  find: (row: Row) => Readonly<Record<string, unknown>>,
  notBuilt?: { readonly why: string; readonly applies: (row: Row) => boolean },
): DatasetResult {
  const all = readRows<Row>(`${folder}/${dataset}.jsonl`);
  const rows = notBuilt === undefined ? all : all.filter((row) => !notBuilt.applies(row));
  const deviations = rows.flatMap((row, i) => {
    const wrong = Object.entries(find(row)).filter(([field, found]) => !same(row[field], found));
    const details = wrong.map(
      ([field, found]) => `${field} is ${JSON.stringify(row[field])}, found ${JSON.stringify(found)}`,
    );
    return wrong.length === 0 ? [] : [`${row.id ?? i}: ${details.join('; ')}`];
  });
  const leftOut =
    notBuilt === undefined || rows.length === all.length
      ? null
      : { rows: all.length - rows.length, why: notBuilt.why };
  return { dataset, rows: rows.length, deviations, reason: null, leftOut };
}

const text = (row: Row, field: string): string => (typeof row[field] === 'string' ? row[field] : '');
const textOrNull = (row: Row, field: string): string | null =>
  row[field] === null ? null : text(row, field);

const VIA: Readonly<Record<Exclude<EqualBy, null>, string>> = {
  latex: 'normalize_answer',
  plain: '_normalize',
  value: 'sympy',
};
const via = (equal: EqualBy): string | null => (equal === null ? null : VIA[equal]);

/** True if the answers are equal by sympy, with symbols that are no roots, no π and no powers of ten. */
function needsAlgebra(row: Row): boolean {
  const plain = `${normalizePlain(text(row, 'gold'))} ${normalizePlain(text(row, 'given'))}`;
  return row['via'] === 'sympy' && /[a-z]/.test(plain.replace(/sqrt|pi|(?<=[0-9])e(?=[-+]?[0-9])/g, ''));
}

const ALGEBRA = { why: 'symbolic algebra', applies: needsAlgebra };

const TASK_OF_VARIANT: Readonly<Record<string, string>> = {
  'monarch.sum_digits': 'sum_digits',
  'monarch.reverse_digits': 'reverse_digits',
  'torchtitan.rl.sum_digits': 'sum_digits_titan',
};

/** The answer that a digit task works out from the numbers alone. */
function workedOut(row: Row): number {
  const numbers = row['numbers'] as number[];
  const task = taskByName(TASK_OF_VARIANT[text(row, 'variant')] ?? '');
  const problem = {
    ...task.generate(0, 'train', 0, task.defaults),
    data: { numbers, number: numbers[0] },
    answer: '',
  };
  const [steps = ''] = task.workedAnswer(problem).split('\n');
  return Number(task.name === 'reverse_digits' ? steps.replaceAll(' ', '') : steps.split('= ').at(-1));
}

function digitResults(folder: string): DatasetResult[] {
  return [
    compare(folder, 'digits/extract_answer', (row) => {
      const { value, matchedBy } = extractDigits(text(row, 'input'));
      const truth = `${row['expected'] as number}`;
      const monarch = scoreDigits(truth, text(row, 'input'), 'tag_required');
      return {
        extracted_str: value,
        matched_by: matchedBy,
        correct: monarch.correct,
        has_answer_tag: monarch.format,
        reward_monarch: monarch.total,
        reward_rl_sum_digits: scoreCleanDigits(truth, text(row, 'input'), 0.2).total,
      };
    }),
    compare(folder, 'digits/tasks', (row) => ({ answer: workedOut(row) })),
  ];
}

function mathResults(folder: string): DatasetResult[] {
  return [
    compare(folder, 'math/responses', (row) => {
      const reward = gradeMath(text(row, 'candidate'), text(row, 'gold'), {
        endingFault: null,
        formatWeight: 0.1,
        mode: 'upstream',
      });
      return {
        extracted: reward.extracted,
        format_ok: reward.format,
        correct: reward.correct,
        reward_math_env: reward.total,
        via: via(gradeAnswer(extractBoxed(text(row, 'candidate')), text(row, 'gold'))),
      };
    }),
    compare(
      folder,
      'math/grade_answer',
      (row) => {
        const [given, gold] = [textOrNull(row, 'given'), text(row, 'gold')];
        const equal = gradeAnswer(given, gold);
        return {
          correct: equal !== null,
          via: via(equal),
          ...(given === null
            ? {}
            : { normalize_answer_given: normalizeLatex(given), normalize_given: normalizePlain(given) }),
        };
      },
      ALGEBRA,
    ),
    compare(folder, 'math/normalize_gold', (row) => ({
      normalize_answer: normalizeLatex(text(row, 'input')),
      _normalize: normalizePlain(text(row, 'input')),
      split_tuple: tupleElements(normalizePlain(text(row, 'input'))),
    })),
    compare(folder, 'math/extract_gsm8k_final_answer', (row) => ({
      output: gsm8kFinalAnswer(text(row, 'input')),
    })),
    compare(folder, 'math/arithmetic_extract_final_int', (row) => {
      const found = lastWithoutCommas(text(row, 'input'));
      return { output: found === null ? null : Number(found) };
    }),
  ];
}

/** Compares the verdicts of math-verify on two answers with the exact comparison here. No folder has them. */
function mathVerifyResult(): DatasetResult {
  const wrong = MATH_VERIFY_CASES.filter(({ gold, given, correct }) => sameAnswer(given, gold) !== correct);
  return {
    dataset: 'cases after math-verify',
    rows: MATH_VERIFY_CASES.length,
    deviations: wrong.map(({ id, gold, given, correct }) => `${id}: ${given} for ${gold} is ${correct}`),
    reason: null,
    leftOut: null,
  };
}

function gymResults(folder: string): DatasetResult[] {
  const scores = GYM_TASKS.map((task): DatasetResult => {
    const { rows, deviations } = conformanceOf(task, `${folder}/rg`);
    return {
      dataset: `rg/${task.name}`,
      rows,
      deviations: deviations.map(
        ({ row, candidate, expected, found }) =>
          `${row}: ${JSON.stringify(candidate)} scores ${expected}, found ${found}`,
      ),
      reason: REASONS[task.name] ?? null,
      leftOut: null,
    };
  });
  const extraction = compare(folder, 'rg/extract_answer', (row) => {
    const { tag_name: tag, strip } = row['kwargs'] as { tag_name?: string; strip?: boolean };
    return { output: extractAnswer(text(row, 'input'), tag, strip) };
  });
  return [...scores, extraction];
}

/** `folder` is the reference data's. Datasets of reasoning-gym come first, in the order of the tasks. */
export function datasetResults(folder: string): DatasetResult[] {
  return [...gymResults(folder), ...digitResults(folder), ...mathResults(folder), mathVerifyResult()];
}

/** Datasets of reasoning-gym with scores in the reference data that are no tasks here. */
export function unbuiltDatasets(folder: string): string[] {
  const built = new Set(GYM_TASKS.map(({ name }) => name));
  return readdirSync(`${folder}/rg/scores`)
    .map((file) => file.replace(/\.jsonl(\.gz)?$/, ''))
    .filter((name) => !built.has(name));
}
