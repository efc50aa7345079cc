/**
 * `eval_results/eval_step_N.json`: RL for Real's fields (`accuracy` and `format_score` in percent, `num_correct`, `num_samples`,
 * `examples`), and beside them what our own records have: `correct` and `format` as shares, temperature, tasks, seconds. One field of the
 * same name counts otherwise: `format_score` is the share of answers in the whole form (of one answer, 100 or 0), under either scoring; RL
 * for Real's is the mean share of its four tags that an answer has.
 */
import { z } from 'zod';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { checked } from '../../base/json.ts';

const count = z.number().int().nonnegative();

const taskShare = z.object({
  task: z.string(),
  reward: z.number(),
  accuracy: z.number(),
  format: z.number(),
  n: count,
  level: count.nullable(),
});

const fileSchema = z.object({
  /** Below 0: inside the warm start, minus the updates that were still to come. */
  step: z.number().int(),
  accuracy: z.number(),
  format_score: z.number(),
  num_correct: count,
  num_samples: count,
  correct: z.number(),
  format: z.number(),
  temperature: z.number(),
  seconds: z.number(),
  tasks: z.array(taskShare),
  examples: z.array(
    z.object({
      task: z.string(),
      question: z.string(),
      ground_truth: z.string(),
      generated: z.string(),
      extracted: z.string().nullable(),
      correct: z.boolean(),
      format_score: z.number(),
    }),
  ),
});

/** As the files were before they had RL for Real's fields: `accuracy` is a share. */
const formerSchema = z.object({
  step: count,
  accuracy: z.number(),
  format: z.number(),
  n: count,
  tasks: z.array(taskShare),
  temperature: z.number(),
  seconds: z.number(),
  samples: z.array(
    z.object({
      task: z.string(),
      question: z.string(),
      answer: z.string(),
      text: z.string(),
      extracted: z.string().nullable(),
      correct: z.boolean(),
      format: z.boolean(),
    }),
  ),
});

/** An evaluation under RL for Real's names, in percent. */
export function evaluationPercent({ accuracy, format, n }: EvalResult) {
  return {
    accuracy: 100 * accuracy,
    format_score: 100 * format,
    num_correct: Math.round(accuracy * n),
    num_samples: n,
  };
}

export function evalFileJson(result: EvalResult): z.infer<typeof fileSchema> {
  const { step, accuracy, format, temperature, seconds, tasks, samples } = result;
  return {
    step,
    ...evaluationPercent(result),
    correct: accuracy,
    format,
    temperature,
    seconds,
    tasks: [...tasks],
    examples: samples.map((sample) => ({
      task: sample.task,
      question: sample.question,
      ground_truth: sample.answer,
      generated: sample.text,
      extracted: sample.extracted,
      correct: sample.correct,
      format_score: sample.format ? 100 : 0,
    })),
  };
}

/** The inverse of `evalFileJson`; reads the files of earlier versions, too. @throws Error naming the first field that does not fit. */
export function evalResultFromJson(json: unknown): EvalResult {
  if (!isCurrent(json)) return checked(formerSchema, json);
  const { step, correct, format, num_samples, temperature, seconds, tasks, examples } = checked(
    fileSchema,
    json,
  );
  return {
    step,
    accuracy: correct,
    format,
    n: num_samples,
    tasks,
    temperature,
    seconds,
    samples: examples.map(({ ground_truth, generated, format_score, ...sample }) => ({
      task: sample.task,
      question: sample.question,
      answer: ground_truth,
      text: generated,
      extracted: sample.extracted,
      correct: sample.correct,
      format: format_score > 0,
    })),
  };
}

function isCurrent(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'num_samples' in json;
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
