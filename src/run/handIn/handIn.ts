/**
 * A hand-in: what a run says of itself in one small file, which another page makes again and holds against it. Draws are counted, so
 * where two machines compute alike every metric of every step comes out the same, whatever their clocks and generators. Who changes a
 * figure would have to find settings that lead to it.
 */
import { z } from 'zod';
import { parsedJson, shownJson } from '@rl-playground/base/json';
import { grouped, plural } from '@rl-playground/base/text';
import type { RunConfig } from '../settings/schema/schema.ts';
import { parseRecord, SETTINGS_VERSION } from '../settings/settingsVersion.ts';
import { sameToTheBit } from '../environment/computation.ts';
import { evaluatesAfter, type EvalResult } from '../loop/evaluate.ts';
import { type StepMetrics, timeless } from '../metrics/metrics.ts';
import { customTaskSchema, type CustomTask } from '@rl-playground/tasks/parts';

const KIND = 'rl-playground hand-in';
/** The largest file that is read: some ten thousand steps. */
export const LARGEST_HAND_IN = 64 * 2 ** 20;
export const LONGEST_LEARNER = 80;

const record = z.record(z.string(), z.unknown());
const handInSchema = z.object({
  kind: z.literal(KIND),
  version: z.literal(1),
  /** The learner's own name for themselves. */
  learner: z.string().max(LONGEST_LEARNER),
  /** `run/environment/computation.ts`. */
  computation: z.string().max(400),
  settingsVersion: z.number().int().nonnegative(),
  settings: record,
  customTasks: z.array(customTaskSchema).max(16),
  /** The metrics of each step, without those of clock and machine. */
  metrics: z.array(record).max(100_000),
  /** The evaluations that the settings ask for, one a step, in order: step, accuracies, texts. */
  evaluations: z.array(z.looseObject({ step: z.number() })).max(10_000),
});

export interface HandIn extends Omit<z.infer<typeof handInSchema>, 'kind' | 'version' | 'settings'> {
  readonly settings: RunConfig;
}

export interface RunLeft {
  readonly config: RunConfig;
  readonly customTasks: readonly CustomTask[];
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
}

function withoutClock(evaluation: EvalResult): HandIn['evaluations'][number] {
  const { seconds: _, ...figures } = evaluation;
  return figures;
}

/** True if a page that makes the first `steps` steps again evaluates after this one without being asked. */
const isMadeAgain = (step: number, steps: number, config: RunConfig): boolean =>
  Number.isInteger(step) && (step === steps || (step < steps && evaluatesAfter(step, config)));

/** The evaluation as a run makes it by itself: pressing Evaluate between two steps adds the draws for pass@k. */
function asScheduled(evaluation: EvalResult, steps: number): EvalResult {
  if (evaluation.step === 0 || evaluation.step === steps) return evaluation;
  const { passAtK: _, ...rest } = evaluation;
  return { ...rest, samples: rest.samples.map(({ correctDraws: __, ...sample }) => sample) };
}

/** The evaluations that another page makes again: those that the user asked for besides are left out. */
function claimable({ config, metrics, evaluations }: RunLeft): HandIn['evaluations'] {
  const steps = metrics.length;
  return evaluations
    .filter(({ step }) => isMadeAgain(step, steps, config))
    .toSorted((a, b) => a.step - b.step)
    .map((evaluation) => withoutClock(asScheduled(evaluation, steps)));
}

export function writeHandIn(learner: string, computation: string, run: RunLeft): string {
  return JSON.stringify({
    kind: KIND,
    version: 1,
    learner,
    computation,
    settingsVersion: SETTINGS_VERSION,
    settings: run.config,
    customTasks: [...run.customTasks],
    metrics: timeless(run.metrics),
    evaluations: claimable(run),
  } satisfies z.input<typeof handInSchema>);
}

/** @throws Error that says what is wrong with the file */
export function readHandIn(text: string): HandIn {
  const json = parsedJson(text);
  if ('error' in json) throw new Error(`It is not JSON (${json.error}). Choose a file that “Hand in” wrote.`);
  const parsed = handInSchema.safeParse(json.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `It is not a hand-in (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}). Choose a file that “Hand in” wrote.`,
    );
  }
  const { settings, settingsVersion } = parsed.data;
  if (settingsVersion !== SETTINGS_VERSION)
    throw new Error(
      `Its settings are of version ${settingsVersion}, and this page re-runs only those of version ${SETTINGS_VERSION}. Open it on a page of its own version.`,
    );
  const config = parseRecord(settings);
  if (!config.ok) throw new Error(`Its settings can’t be used: ${config.errors.slice(0, 3).join(' ')}`);
  const handIn = { ...parsed.data, settings: config.config };
  const impossible = impossibleClaim(handIn);
  if (impossible !== null) throw new Error(impossible);
  return handIn;
}

/** A claim that no run of these settings makes, so that no replay would look at it; null where there is none. */
function impossibleClaim({ metrics, evaluations, settings }: HandIn): string | null {
  const steps = metrics.length;
  if (steps === 0) return 'It holds no step, so there is nothing to check.';
  if (steps > settings.numSteps)
    return `It holds ${plural(steps, 'step')}, but its settings end a run after ${grouped(settings.numSteps)}.`;
  let before = -Infinity;
  for (const { step } of evaluations) {
    if (!isMadeAgain(step, steps, settings))
      return `It claims an evaluation after step ${step}, where a run of these settings makes none.`;
    if (step <= before)
      return `Its evaluations are out of order: one after step ${step} follows one after step ${before}.`;
    before = step;
  }
  return null;
}

/** The first place in which a run that was made again says otherwise. */
export interface HandInDifference {
  /** "Step 12", "evaluation after step 40". */
  readonly place: string;
  /** The figure that differs. */
  readonly key: string;
  readonly claimed: string;
  readonly found: string;
}

/** The result of a check. A file is `refuted` by its own answers, `undecided` if this machine rounds differently, and `unconfirmed` if an evaluation was not made again. */
export type Verdict =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'refuted' | 'different' | 'undecided' | 'unconfirmed';
      readonly difference: HandInDifference;
    };

const shown = (value: unknown): string => (value === undefined ? 'nothing' : shownJson(value, 79));

function differenceOf(
  place: string,
  claimed: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
): HandInDifference | null {
  for (const key of new Set([...Object.keys(claimed), ...Object.keys(found)])) {
    const [then, now] = [shownWhole(claimed[key]), shownWhole(found[key])];
    if (then !== now) return { place, key, claimed: shown(claimed[key]), found: shown(found[key]) };
  }
  return null;
}

/** The value as a file holds it: what JSON has no word for counts as nothing, here too. */
const shownWhole = (value: unknown): string => shownJson(value ?? null, Infinity);

const explained = z.looseObject({ reward: z.looseObject({ reason: z.unknown() }) });

/** Another version of the page may explain the same reward in other words. */
function withoutReasons(evaluation: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const samples = z.array(z.unknown()).safeParse(evaluation['samples']);
  if (!samples.success) return evaluation;
  return {
    ...evaluation,
    samples: samples.data.map((sample) => {
      const read = explained.safeParse(sample);
      if (!read.success) return sample;
      const { reason: _, ...reward } = read.data.reward;
      return { ...read.data, reward };
    }),
  };
}

/**
 * The first difference from what was made again so far, or null. Steps before `from` are not looked at again; those behind the hand-in's
 * last are nobody's claim.
 */
export function firstDifference(
  { metrics, evaluations }: Pick<HandIn, 'metrics' | 'evaluations'>,
  again: Pick<RunLeft, 'metrics' | 'evaluations'>,
  from = 0,
): HandInDifference | null {
  for (const [i, step] of timeless(again.metrics.slice(from, metrics.length)).entries()) {
    const place = `Step ${grouped(from + i + 1)}`;
    const difference = differenceOf(place, metrics[from + i] ?? {}, step);
    if (difference) return difference;
  }
  for (const evaluation of again.evaluations) {
    const place = `The evaluation after step ${grouped(evaluation.step)}`;
    const claimed = evaluations.find(({ step }) => step === evaluation.step);
    const difference =
      claimed && differenceOf(place, withoutReasons(claimed), withoutReasons(withoutClock(evaluation)));
    if (difference) return difference;
  }
  return null;
}

/** The first evaluation that the hand-in claims and the run, made again to its end, does not have; null where it has all. */
export function unconfirmed(
  { evaluations }: Pick<HandIn, 'evaluations'>,
  again: Pick<RunLeft, 'evaluations'>,
): HandInDifference | null {
  const made = new Set(again.evaluations.map(({ step }) => step));
  const claim = evaluations.find(({ step }) => !made.has(step));
  if (claim === undefined) return null;
  const place = `The evaluation after step ${grouped(claim.step)}`;
  return { place, key: 'accuracy', claimed: shown(claim['accuracy']), found: 'nothing' };
}

/**
 * Says whether a difference refutes the hand-in: between machines that compute alike it does; elsewhere the last bits of logits differ, and
 * sooner or later a token is drawn otherwise. `computation` is that of the page that made the run again.
 */
export function differenceTells(handIn: HandIn, computation: string): boolean {
  return sameToTheBit(handIn.computation, computation);
}
