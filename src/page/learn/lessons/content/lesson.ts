/** What a lesson is: a question with answers to choose from, short runs that decide, and what is made of their numbers. */
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { MetricKey, StepMetrics } from '@rl-playground/run/metrics';
import type { LessonId } from '../../../run/address/classroom.ts';

/** An answer to the lesson's question. */
export interface Choice {
  readonly id: string;
  readonly text: string;
}

/** One of the runs that are held against each other, or the only one. */
export interface LessonArm {
  readonly name: string;
  readonly settings: Partial<RunConfig>;
}

/** One answer of a run's first step, as far as lessons look at it. */
export interface FirstAnswer {
  readonly tokens: number;
  readonly advantage: number;
}

/** What a run came to. */
export interface ArmRecord {
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  /** Of its first step. */
  readonly answers: readonly FirstAnswer[];
}

interface LessonCurve {
  readonly name: string;
  readonly value: (step: StepMetrics) => number | null;
}

/** A chart that all runs of the lesson are drawn in. */
export interface LessonChart {
  readonly title: string;
  readonly unit: string;
  readonly metrics: readonly MetricKey[];
  readonly curves: readonly LessonCurve[];
  /** `share`: on an axis from 0 to 100%. `small share`: on one from 0 to the greatest. */
  readonly shown: 'share' | 'small share' | 'number';
}

/** What the runs showed. */
export interface Finding {
  /** The answer that they bear out; null where they tell none. */
  readonly outcome: string | null;
  /** A line for each thing measured, with a text for each run. */
  readonly rows: readonly { readonly what: string; readonly values: readonly string[] }[];
  /** The same in sentences. */
  readonly said: readonly string[];
}

export interface Lesson {
  readonly id: LessonId;
  /** What one needs to know to predict. */
  readonly before: readonly string[];
  readonly question: string;
  readonly choices: readonly Choice[];
  readonly task: 'reverse_digits' | 'sum_digits';
  /** Of every run, beside what all lessons set. */
  readonly settings: Partial<RunConfig>;
  readonly arms: readonly LessonArm[];
  readonly charts: readonly LessonChart[];
  /** One record for each arm, in their order, each with at least two steps. */
  readonly find: (records: readonly ArmRecord[]) => Finding;
  readonly why: readonly string[];
  /** Where more is said: words of the glossary, and pages of the documentation. */
  readonly more: { readonly words: readonly string[]; readonly pages: readonly string[] };
}

/** What the runs of all lessons share: few held-out problems, so that most of the time is training. */
const SHORT: Partial<RunConfig> = { seed: 0, evalSamples: 100, evalEvery: 0, passAtK: 1, curriculum: 'off' };

/** The settings of one of a lesson's runs. */
export function armConfig({ task, settings }: Lesson, arm: LessonArm): RunConfig {
  return { ...defaultConfig(task), ...SHORT, ...settings, ...arm.settings };
}

/** Whether it came as predicted, in a sentence. */
export function verdictText({ choices }: Lesson, prediction: string, outcome: string | null): string {
  const textOf = (id: string): string => choices.find((choice) => choice.id === id)?.text ?? id;
  if (outcome === null) return `You predicted: ${textOf(prediction)}. This run does not settle the question.`;
  return outcome === prediction
    ? `As you predicted: ${textOf(prediction)}.`
    : `You predicted: ${textOf(prediction)}. The run showed: ${textOf(outcome)}.`;
}
