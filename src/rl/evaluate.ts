/** Accuracy and format rate on a fixed set of held-out problems. */
import type { Tokenizer } from '../hub/types.ts';
import type { GenerateOptions, GeneratorPool } from '../rollout/types.ts';
import type { PromptStyle, RewardRule, Task } from '../tasks/types.ts';
import { completed, firstFailure } from './failures.ts';
import type { EvalResult, EvalSample } from './types.ts';

/** The held-out problems are the same for every run, whatever its seed. */
const PROBLEM_SEED = 0;
/** Stands where training has its step number, so that no draw is shared with training. */
const EVALUATION_STREAM = 0x7fffffff;

export interface EvaluationSettings {
  readonly samples: number;
  /** 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
  readonly seed: number;
  readonly rewardRule: RewardRule;
}

export interface EvaluationSubject {
  readonly task: Task;
  readonly tokenizer: Tokenizer;
  readonly promptStyle: PromptStyle;
  readonly pool: GeneratorPool;
}

/** One completion for each of the first `samples` held-out problems, by the generators' current weights. */
export async function evaluate(
  { task, tokenizer, promptStyle, pool }: EvaluationSubject,
  settings: EvaluationSettings,
  step: number,
  now: () => number,
  options: GenerateOptions = {},
): Promise<EvalResult> {
  const began = now();
  const problems = Array.from({ length: settings.samples }, (_, i) => task.generate(PROBLEM_SEED, 'eval', i));
  const questions = problems.map((problem) => task.messages(problem, promptStyle));
  const groups = await pool.generate(
    questions.map((messages, problem) => ({
      promptIds: tokenizer.promptIds(messages),
      samples: 1,
      seed: settings.seed,
      step: EVALUATION_STREAM,
      problem,
    })),
    { temperature: settings.temperature, topP: 1, topK: 0, maxTokens: settings.maxTokens },
    options,
  );
  const samples = problems.map((problem, i): EvalSample => {
    const [completion] = completed(groups[i]);
    if (!completion)
      throw new Error(`Problem ${i + 1} of the evaluation got no answer: ${firstFailure(groups)}`);
    const text = tokenizer.decode(completion.tokens);
    const { correct, format, extracted } = task.score(
      problem,
      { text, stopReason: completion.stopReason },
      settings.rewardRule,
    );
    const question = questions[i]?.at(-1)?.content ?? '';
    return { question, answer: problem.answer, text, extracted, correct, format };
  });
  const share = (test: (sample: EvalSample) => boolean): number =>
    samples.filter(test).length / samples.length;
  return {
    step,
    accuracy: share((sample) => sample.correct),
    format: share((sample) => sample.format),
    n: samples.length,
    temperature: settings.temperature,
    seconds: (now() - began) / 1000,
    samples,
  };
}
