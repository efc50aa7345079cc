/** Accuracy and format rate on a fixed set of held-out problems. */
import type { Renderer } from '../../hub/renderers.ts';
import type { GenerateOptions } from '../../rollout/types.ts';
import type { PromptStyle, ScoringMode } from '../../tasks/types.ts';
import type { Engine } from '../engine/engine.ts';
import { completed, firstFailure } from './rollouts.ts';
import { rewardsOf } from './scoring.ts';
import { heldOutProblems, taskAt, type MixTask } from './taskMix.ts';
import { taskShares, type TaskShare } from '../metrics/reward.ts';

/** The held-out problems are the same for every run, whatever its seed. */
const PROBLEM_SEED = 0;
/** Stands where training has its step number, so that no draw is shared with training. */
const EVALUATION_STREAM = 0x7fffffff;

export interface EvalSample {
  readonly task: string;
  readonly question: string;
  readonly answer: string;
  readonly text: string;
  readonly extracted: string | null;
  readonly correct: boolean;
  readonly format: boolean;
}

export interface EvalResult {
  /** Number of updates made before this evaluation. */
  readonly step: number;
  readonly accuracy: number;
  readonly format: number;
  readonly n: number;
  readonly tasks: readonly TaskShare[];
  readonly temperature: number;
  readonly seconds: number;
  readonly samples: readonly EvalSample[];
}

export interface EvaluationSettings {
  readonly samples: number;
  /** 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
  readonly seed: number;
  readonly scoring: ScoringMode;
}

export interface EvaluationSubject {
  readonly tasks: readonly MixTask[];
  readonly renderer: Renderer;
  readonly promptStyle: PromptStyle;
  readonly engine: Pick<Engine, 'sample'>;
  /** Milliseconds; a difference of two values is a duration. */
  readonly now: () => number;
}

/** One completion for each of the first `samples` held-out problems of the run's tasks, by the generators' current weights. */
export async function evaluate(
  { tasks, renderer, promptStyle, engine, now }: EvaluationSubject,
  settings: EvaluationSettings,
  step: number,
  options: GenerateOptions = {},
): Promise<EvalResult> {
  const began = now();
  const problems = heldOutProblems(tasks, settings.samples, PROBLEM_SEED);
  const questions = problems.map(({ problem, taskIndex }) =>
    taskAt(tasks, taskIndex).task.messages(problem, promptStyle),
  );
  const groups = await engine.sample(
    questions.map((messages, problem) => ({
      promptIds: renderer.promptIds(messages),
      samples: 1,
      seed: settings.seed,
      step: EVALUATION_STREAM,
      problem,
    })),
    {
      temperature: settings.temperature,
      topP: 1,
      topK: 0,
      maxTokens: settings.maxTokens,
      stop: renderer.stopStrings,
    },
    options,
  );
  const answers = problems.map((mixProblem, i) => {
    const [sampled] = completed(groups[i]);
    if (!sampled)
      throw new Error(`Problem ${i + 1} of the evaluation got no answer: ${firstFailure(groups)}`);
    const { tokens } = sampled;
    const { text, stopReason } = renderer.textOf(tokens, sampled.stopReason);
    return { ...mixProblem, completion: { text, tokens, stopReason } };
  });
  const rewards = await rewardsOf(tasks, answers, settings.scoring);
  const scored = answers.flatMap(({ completion: { text }, ...mixProblem }, i) => {
    const reward = rewards[i];
    return reward === undefined ? [] : [{ ...mixProblem, text, reward }];
  });
  const samples = scored.map(({ problem, text, reward }, i): EvalSample => {
    const { correct, format, extracted } = reward;
    const question = questions[i]?.at(-1)?.content ?? '';
    return { task: problem.task, question, answer: problem.answer, text, extracted, correct, format };
  });
  const share = (test: (sample: EvalSample) => boolean): number =>
    samples.filter(test).length / samples.length;
  return {
    step,
    accuracy: share((sample) => sample.correct),
    format: share((sample) => sample.format),
    n: samples.length,
    tasks: taskShares(tasks, scored, null),
    temperature: settings.temperature,
    seconds: (now() - began) / 1000,
    samples,
  };
}
