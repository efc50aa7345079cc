/** The form of a lesson: a question, answers to choose from, and short runs that decide it. */
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { MetricKey, StepMetrics } from '@rl-playground/run/metrics';
import { LESSON_TITLES, type LessonId } from '../../../run/address/classroom.ts';

interface Choice {
  readonly id: string;
  readonly text: string;
}

/** One of the runs of a lesson. */
export interface LessonArm {
  readonly name: string;
  readonly settings: Partial<RunConfig>;
}

/** The facts that lessons need about an answer of a run's first step. */
export interface FirstAnswer {
  readonly tokens: number;
  readonly advantage: number;
}

interface ForkToken {
  readonly text: string;
  /** The probability of the token behind the beginning, before the run and after it. */
  readonly before: number;
  readonly after: number;
}

/** The place where two answers to the same problem part, of which one earned more than the mean of its group and the other less. */
export interface Fork {
  /** The text that both begin with. */
  readonly beginning: string;
  readonly better: ForkToken;
  readonly worse: ForkToken;
}

/** The results of a run. */
export interface ArmRecord {
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  /** The answers of the first step. */
  readonly answers: readonly FirstAnswer[];
  /** The title of the alarm that the run ended under. */
  readonly alarm: string | null;
  /** A lesson without `readsFork` reads none, and the first step may hold none. */
  readonly fork: Fork | null;
}

interface LessonCurve {
  readonly name: string;
  /** The colour that the page gives to what is measured. Several runs have the colours of runs. */
  readonly colour: string;
  readonly value: (step: StepMetrics) => number | null;
}

/** A chart that draws all runs of the lesson. */
export interface LessonChart {
  readonly title: string;
  readonly unit: string;
  readonly metrics: readonly MetricKey[];
  readonly curves: readonly LessonCurve[];
  /** A `share` has an axis from 0 to 100%; the axis of a `small share` ends at the greatest value. */
  readonly shown: 'share' | 'small share' | 'number';
}

/** The result of the lesson's runs. */
export interface Finding {
  /** The answer that the runs support; null: they do not decide. */
  readonly outcome: string | null;
  /** One row for each measurement, with a text for each run. */
  readonly rows: readonly { readonly what: string; readonly values: readonly string[] }[];
  /** The same in sentences. */
  readonly said: readonly string[];
}

export interface Lesson {
  readonly id: LessonId;
  /** The facts that a prediction needs. */
  readonly before: readonly string[];
  readonly question: string;
  readonly choices: readonly Choice[];
  readonly task: 'reverse_digits' | 'sum_digits';
  /** Settings of all runs of the lesson. */
  readonly settings: Partial<RunConfig>;
  readonly arms: readonly LessonArm[];
  readonly charts: readonly LessonChart[];
  /** True if the runs look at a place where two answers part. */
  readonly readsFork?: boolean;
  /** One record for each arm, in their order, each with a step at least. */
  readonly find: (records: readonly ArmRecord[]) => Finding;
  readonly why: readonly string[];
  /** The document that says more, in the folder `docs`. */
  readonly document: string;
}

/** Settings of all lessons. Few held-out problems leave most of the time for training. */
const SHORT: Partial<RunConfig> = { seed: 0, evalSamples: 100, evalEvery: 0, passAtK: 1, curriculum: 'off' };

/** The settings of one of a lesson's runs. */
export function armConfig({ task, settings }: Lesson, arm: LessonArm): RunConfig {
  return { ...defaultConfig(task), ...SHORT, ...settings, ...arm.settings };
}

/** The name of one of a lesson's runs in the list of runs. */
export function armTitle({ id, arms }: Lesson, { name }: LessonArm): string {
  return arms.length > 1 ? `${LESSON_TITLES[id]}: ${name}` : LESSON_TITLES[id];
}

/** A sentence that compares the prediction with the outcome. */
export function verdictText({ choices }: Lesson, prediction: string, outcome: string | null): string {
  const textOf = (id: string): string => choices.find((choice) => choice.id === id)?.text ?? id;
  if (outcome === null) return `You predicted: ${textOf(prediction)}. This run does not settle the question.`;
  return outcome === prediction
    ? `As you predicted: ${textOf(prediction)}.`
    : `You predicted: ${textOf(prediction)}. The run showed: ${textOf(outcome)}.`;
}

/** A lesson is `interrupted` if a run was paused, stopped or failed, so that there is no result to compare with the prediction. */
type LessonPhase = 'asking' | 'running' | 'interrupted' | 'done';

export interface LessonState {
  readonly open: LessonId | null;
  readonly prediction: string | null;
  readonly phase: LessonPhase;
  /** The runs so far. The last one grows while it trains. */
  readonly records: readonly ArmRecord[];
  /** The time of all runs together. */
  readonly seconds: number;
}

export const ASKED = { prediction: null, phase: 'asking', records: [], seconds: 0 } as const;

export type ChangeLesson = (changes: Partial<LessonState>) => void;

export interface LessonProps {
  readonly state: LessonState;
  readonly change: ChangeLesson;
}
