/** The table of hand-ins: what each file claims, what came of its check, and both as CSV. */
import { z } from 'zod';
import { bytesText } from '@rl-playground/base/text';
import { messageOf } from '@rl-playground/base/errors';
import { LARGEST_HAND_IN, readHandIn, type HandIn, type Verdict } from '@rl-playground/run/handIn';
import { changedBetween, defaultConfig } from '@rl-playground/run/settings';
import type { Table } from '../../see/charts/csv.ts';
import { percent } from '../../ui/text/format.ts';
import { changesText } from '../kept/changes.ts';
import type { HandInClaim, HandInFile } from '../kept/keptStore.ts';

const resultSchema = z.object({
  accuracy: z.number().nullable().catch(null),
  greedy: z.object({ accuracy: z.number() }).nullable().catch(null),
});

/** The machine in a reader's words; `computation` is in those of the program. */
export function trainedOn(computation: string): string {
  const [, rounding, build] =
    /^wasm, products and sums rounded (once|apart), functions (\w+)$/.exec(computation) ?? [];
  if (build === undefined) return computation.replace(/^webgpu, /, 'GPU (WebGPU), ');
  return `CPU (WebAssembly), build ${build}${rounding === 'apart' ? ', without fused products' : ''}`;
}

/** The claims of a file. The answers of its run, counted, tell how long it takes to make again. */
export function claimOf({ learner, settings, metrics, evaluations, computation }: HandIn): HandInClaim {
  const usual = defaultConfig(settings.task, settings.preset);
  const result = resultSchema.safeParse(evaluations.at(-1)).data;
  const { problemsPerStep, rolloutsPerProblem, evalSamples } = settings;
  return {
    learner,
    task: settings.task,
    steps: metrics.length,
    greedy: result?.greedy?.accuracy ?? null,
    sampled: result?.accuracy ?? null,
    changes: changedBetween(usual, settings).length === 0 ? '' : changesText(usual, settings),
    trainedOn: trainedOn(computation),
    answers: metrics.length * problemsPerStep * rolloutsPerProblem + 2 * evaluations.length * evalSamples,
  };
}

/** Reads a file. @throws Error that says what is wrong with it. */
export async function handInOf(file: File): Promise<HandIn> {
  if (file.size > LARGEST_HAND_IN)
    throw new Error(`It has ${bytesText(file.size)}; a hand-in has at most ${bytesText(LARGEST_HAND_IN)}.`);
  return readHandIn(await file.text());
}

/** A row of the table. A file that can't be read has one, too. */
export async function rowOf(id: number, file: File): Promise<HandInFile> {
  const row = { id, file, claim: null, verdict: null, problem: null };
  try {
    return { ...row, claim: claimOf(await handInOf(file)) };
  } catch (error) {
    return { ...row, problem: `Can’t be read: ${messageOf(error)}` };
  }
}

/** The result that a file claims; greedy accuracy where it was measured. */
export function resultText({ greedy, sampled }: HandInClaim): string {
  if (greedy !== null) return `${percent(greedy)} greedy`;
  return sampled === null ? 'not evaluated' : `${percent(sampled)} sampled`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const BEGINNINGS: Readonly<Record<Exclude<Verdict['kind'], 'same'>, string>> = {
  refuted: 'Differs in',
  different: 'Differs in',
  undecided: 'Can’t be verified here: trained on another kind of device or browser. It first differs in',
  unconfirmed: 'Not verified yet, verify it again: the re-run lacks',
};

export function verdictText(verdict: Verdict): string {
  if (verdict.kind === 'same') return 'Verified: the re-run matches the file in every figure.';
  const { place, key, claimed, found } = verdict.difference;
  const says = verdict.kind === 'refuted' ? 'its own answers give' : 'the re-run gives';
  return `${BEGINNINGS[verdict.kind]} ${lowerFirst(place)}, ${key}: the file says ${claimed}, ${says} ${found}.`;
}

/** The text of a row's last cell, without the progress of a check. */
export const outcomeText = ({ verdict, problem }: HandInFile): string =>
  problem ?? (verdict === null ? 'Not verified yet' : verdictText(verdict));

export const COLUMNS = ['Name', 'Task', 'Steps', 'Result as handed in', 'Verdict'] as const;
export type Column = (typeof COLUMNS)[number];

const KEYS: Readonly<Record<Column, (row: HandInFile) => string | number>> = {
  Name: ({ claim, file }) => claim?.learner ?? file.name,
  Task: ({ claim }) => claim?.task ?? '',
  Steps: ({ claim }) => claim?.steps ?? -1,
  'Result as handed in': ({ claim }) => claim?.greedy ?? claim?.sampled ?? -1,
  Verdict: outcomeText,
};

export function sorted(rows: readonly HandInFile[], column: Column, descending: boolean): HandInFile[] {
  const key = KEYS[column];
  return rows.toSorted((a, b) => {
    const [one, two] = descending ? [key(b), key(a)] : [key(a), key(b)];
    return typeof one === 'number' && typeof two === 'number'
      ? one - two
      : String(one).localeCompare(String(two), undefined, { numeric: true });
  });
}

export function handInsTable(rows: readonly HandInFile[]): Table {
  return {
    columns: [
      'file',
      'name',
      'task',
      'steps',
      'greedy',
      'sampled',
      'settings',
      'trained on',
      'verdict',
      'reason',
    ],
    rows: rows.map((row) => {
      const { file, claim, verdict, problem } = row;
      const kind = verdict?.kind ?? (problem === null ? 'waiting' : 'failed');
      const claims =
        claim === null
          ? ['', '', null, null, null, '', '']
          : [
              claim.learner,
              claim.task,
              claim.steps,
              claim.greedy,
              claim.sampled,
              claim.changes,
              claim.trainedOn,
            ];
      return [file.name, ...claims, kind, outcomeText(row)];
    }),
  };
}
