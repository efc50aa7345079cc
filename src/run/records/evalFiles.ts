/**
 * `eval_results/eval_step_N.json`: RL for Real's fields (`accuracy` and `format_score` in percent, `num_correct`, `num_samples`,
 * `examples`), and beside them what our own records have: `correct` and `format` as shares, temperature, tasks, seconds, and greedy answers,
 * pass@k and 95 % intervals as shares too. Under `upstream` scoring of its tasks `format_score` is RL for Real's: the mean share of its four
 * tags that an answer has, which `tag_share` has too. Otherwise it is the share of answers in the whole form (of one answer, 100 or 0).
 */
import { z } from 'zod';
import { wilson95, type Interval } from '@rl-playground/base/intervals';
import { MOST_DRAWS } from '../settings/schema/run.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import { wrongWorking } from '../loop/working.ts';
import { passCurve } from '../metrics/passAtK.ts';
import { checked } from '@rl-playground/base/json';

const count = z.number().int().nonnegative();
const draws = count.max(MOST_DRAWS);

const taskShare = z.object({
  task: z.string(),
  reward: z.number(),
  accuracy: z.number(),
  format: z.number(),
  n: count,
  level: count.nullable(),
});

/** Greedy, at one level of difficulty. */
const levelShare = z.object({
  task: z.string(),
  level: count.min(1),
  accuracy: z.number(),
  format: z.number(),
  n: count,
});

/** 95 %, low and high; written for readers, and calculated anew here. */
const interval = z.tuple([z.number(), z.number()]).nullable().optional();

const fileSchema = z.object({
  /** A number below 0 is inside the warm-up: minus the updates that were still to come. */
  step: z.number().int(),
  accuracy: z.number(),
  format_score: z.number(),
  num_correct: count,
  num_samples: count,
  correct: z.number(),
  format: z.number(),
  tag_share: z.number().optional(),
  temperature: z.number(),
  seconds: z.number(),
  tasks: z.array(taskShare),
  levels: z.array(levelShare).optional(),
  interval,
  greedy: z.object({ correct: z.number(), format: z.number(), interval }).optional(),
  pass_at_k: z
    .object({
      k: draws.min(1),
      correct: z.number(),
      interval,
      /** pass@1, pass@2, … up to k. */
      curve: z.array(z.object({ k: draws, correct: z.number(), interval })).optional(),
    })
    .optional(),
  examples: z.array(
    z.object({
      task: z.string(),
      question: z.string(),
      ground_truth: z.string(),
      generated: z.string(),
      extracted: z.string().nullable(),
      correct: z.boolean(),
      format_score: z.number(),
      /** Files made before rewards had reasons lack it. */
      reward: z
        .object({ total: z.number(), parts: z.record(z.string(), z.number()), reason: z.string() })
        .optional(),
      /** The share of the shown working that is right. */
      working: z.number().min(0).max(1).optional(),
      /** It is there if `format_score` is a share of the form. */
      format: z.boolean().optional(),
      greedy: z.object({ correct: z.boolean(), format: z.boolean() }).optional(),
      /** Right ones of the k draws. */
      correct_draws: draws.optional(),
    }),
  ),
});

/** An evaluation under RL for Real's names, in percent. */
export function evaluationPercent({ accuracy, format, formatScore = format, n }: EvalResult) {
  return {
    accuracy: 100 * accuracy,
    format_score: 100 * formatScore,
    num_correct: Math.round(accuracy * n),
    num_samples: n,
  };
}

/** Its greedy answers, its pass@k and the right answers with wrong working, in percent; what a record lacks is left out. */
export function furtherPercent(result: EvalResult): Readonly<Record<string, number>> {
  const { greedy, passAtK } = result;
  const wrong = wrongWorking(result);
  return {
    ...(greedy && { greedy_accuracy: 100 * greedy.accuracy, greedy_format_score: 100 * greedy.format }),
    ...(passAtK && { [`pass@${passAtK.k}`]: 100 * passAtK.accuracy }),
    ...(wrong && { wrong_working: 100 * wrong.share }),
  };
}

const rangeOf = (found: Interval | null): [number, number] | null => found && [found.low, found.high];

export function evalFileJson(result: EvalResult): z.infer<typeof fileSchema> {
  const { step, accuracy, format, n, temperature, seconds, tasks, samples, greedy, passAtK, levels } = result;
  const { formatScore } = result;
  return {
    step,
    ...evaluationPercent(result),
    correct: accuracy,
    format,
    ...(formatScore !== undefined && { tag_share: formatScore }),
    temperature,
    seconds,
    tasks: [...tasks],
    ...(levels && { levels: [...levels] }),
    interval: rangeOf(wilson95(accuracy, n)),
    ...(greedy && {
      greedy: {
        correct: greedy.accuracy,
        format: greedy.format,
        interval: rangeOf(wilson95(greedy.accuracy, n)),
      },
    }),
    ...(passAtK && {
      pass_at_k: {
        k: passAtK.k,
        correct: passAtK.accuracy,
        interval: rangeOf(wilson95(passAtK.accuracy, n)),
        curve: passCurve(result).map((point) => ({
          k: point.k,
          correct: point.accuracy,
          interval: rangeOf(point.interval),
        })),
      },
    }),
    examples: samples.map((sample) => ({
      task: sample.task,
      question: sample.question,
      ground_truth: sample.answer,
      generated: sample.text,
      extracted: sample.extracted,
      correct: sample.correct,
      ...(sample.reward && { reward: { ...sample.reward } }),
      format_score: 100 * (sample.formatScore ?? Number(sample.format)),
      ...(sample.formatScore !== undefined && { format: sample.format }),
      ...(sample.working !== undefined && { working: sample.working }),
      ...(sample.greedy && { greedy: { ...sample.greedy } }),
      ...(sample.correctDraws !== undefined && { correct_draws: sample.correctDraws }),
    })),
  };
}

/** The inverse of `evalFileJson`. @throws Error naming the first field that does not fit. */
export function evalResultFromJson(json: unknown): EvalResult {
  const file = checked(fileSchema, json);
  const { examples, greedy, pass_at_k, levels, tag_share } = file;
  const most = pass_at_k?.k ?? MOST_DRAWS;
  const impossible = examples.findIndex(({ correct_draws = 0 }) => correct_draws > most);
  if (impossible >= 0)
    throw new Error(
      `examples.${impossible}.correct_draws: ${examples[impossible]?.correct_draws} of ${most} draws`,
    );
  return {
    step: file.step,
    accuracy: file.correct,
    format: file.format,
    ...(tag_share !== undefined && { formatScore: tag_share }),
    n: file.num_samples,
    tasks: file.tasks,
    temperature: file.temperature,
    ...(greedy && { greedy: { accuracy: greedy.correct, format: greedy.format } }),
    ...(pass_at_k && { passAtK: { k: pass_at_k.k, accuracy: pass_at_k.correct } }),
    ...(levels && { levels }),
    seconds: file.seconds,
    samples: examples.map(
      ({ ground_truth, generated, format_score, format: kept, correct_draws, ...sample }) => ({
        task: sample.task,
        question: sample.question,
        answer: ground_truth,
        text: generated,
        extracted: sample.extracted,
        correct: sample.correct,
        format: kept ?? format_score > 0,
        ...(sample.reward && { reward: sample.reward }),
        ...(kept !== undefined && { formatScore: format_score / 100 }),
        ...(sample.working !== undefined && { working: sample.working }),
        ...(sample.greedy && { greedy: sample.greedy }),
        ...(correct_draws !== undefined && { correctDraws: correct_draws }),
      }),
    ),
  };
}

const EVAL_FILE = /^eval_results\/eval_step_(-?\d+)(?:_(\d+))?\.json$/;

/** The files by name, in the order of the evaluations; a second one at the same step gets `_2`, and so on. */
export function evalFiles(evaluations: readonly EvalResult[]): Map<string, object> {
  const seen = new Map<number, number>();
  return new Map(
    evaluations.map((evaluation) => {
      const { step } = evaluation;
      const times = (seen.get(step) ?? 0) + 1;
      seen.set(step, times);
      return [`eval_results/eval_step_${step}${times > 1 ? `_${times}` : ''}.json`, evalFileJson(evaluation)];
    }),
  );
}

/** The evaluation files among `names`, in order of step and then of repetition. */
export function sortedEvalFiles(names: Iterable<string>): string[] {
  const found = [...names].flatMap((name) => {
    const match = EVAL_FILE.exec(name);
    return match ? [{ name, step: Number(match[1]), times: Number(match[2] ?? 1) }] : [];
  });
  return found.sort((a, b) => a.step - b.step || a.times - b.times).map((file) => file.name);
}
