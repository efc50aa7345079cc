/** Runs of the page's lessons as they were recorded, small: what tests of what a lesson reveals are given. */
import type { EvalResult } from '../loop/evaluate.ts';
import type { MetricKey, StepMetrics } from '../metrics/metrics.ts';
import { mean } from '@rl-playground/base/statistics';
import recorded from './recordedLessons.json';
import { stepMetricsWith } from './stepMetrics.ts';

export interface RecordedArm {
  /** A value for each step. */
  readonly steps: Readonly<Partial<Record<MetricKey, readonly (number | null)[]>>>;
  /** Right (1) and wrong (0) likeliest answers of each evaluation, problem by problem. */
  readonly greedy: readonly string[];
  /** Tokens and advantage of the first step's answers. */
  readonly answers: readonly (readonly number[])[];
  readonly alarm: string | null;
  readonly fork: RecordedFork | null;
}

interface RecordedToken {
  readonly text: string;
  readonly before: number;
  readonly after: number;
}

interface RecordedFork {
  readonly beginning: string;
  readonly better: RecordedToken;
  readonly worse: RecordedToken;
}

/** The recorded runs of each lesson by its id. */
export const RECORDED: Readonly<Record<string, readonly RecordedArm[]>> = recorded;

function evaluationOf(greedy: string, step: number): EvalResult {
  const right = Array.from(greedy, (each) => each === '1');
  const accuracy = mean(right.map(Number));
  return {
    step,
    accuracy,
    format: 1,
    n: right.length,
    tasks: [],
    temperature: 1,
    greedy: { accuracy, format: 1 },
    seconds: 0,
    samples: right.map((correct, i) => ({
      task: 'recorded',
      question: `problem ${i}`,
      answer: '',
      text: '',
      extracted: null,
      correct,
      format: true,
      greedy: { correct, format: true },
    })),
  };
}

/** The runs of a lesson; what was not recorded of a step is 0 or null. */
export function recordedLesson(id: string) {
  return (RECORDED[id] ?? []).map(({ steps, greedy, answers, alarm, fork }) => {
    const length = Math.max(...Object.values(steps).map((values) => values.length));
    const metrics: StepMetrics[] = Array.from({ length }, (_, i) =>
      stepMetricsWith({
        ...Object.fromEntries(Object.entries(steps).map(([key, values]) => [key, values[i] ?? null])),
        step: i + 1,
      }),
    );
    return {
      metrics,
      evaluations: greedy.map((text, i) => evaluationOf(text, i === 0 ? 0 : length)),
      answers: answers.map(([tokens = 0, advantage = 0]) => ({ tokens, advantage })),
      alarm,
      fork,
    };
  });
}
