/**
 * GRPO in one file, on nothing but the engine's API and a task: sample groups of answers, score them, weigh each answer by how much better
 * it did than its group, push the policy that way, hand its weights to the sampler. It runs under Node (`inNode.ts`) as in a page.
 */
import { createEngine, type CustomLoss, type OpenEngine, type Sequence } from '@rl-playground/engine';
import { taskFor } from '@rl-playground/tasks';

const PROBLEMS_PER_STEP = 16;
const ANSWERS_PER_PROBLEM = 8;
const MAX_TOKENS = 32;
const LEARNING_RATE = 3e-4;
const TASK = 'reverse_digits';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** A name, which stands for the loss as its own system runs it, or a function over [B, T]. */
export type Loss = 'grpo' | CustomLoss;

/**
 * A loss of one's own: GRPO's clipped surrogate, every token with the same weight (DAPO). ρ = p / q, the policy's probability of a token over
 * the sampler's; L = −mean over all tokens of min(ρ · A, clip(ρ, 0.8, 1.28) · A).
 */
export const clippedTokenMean =
  ({ tf }: Pick<OpenEngine, 'tf'>): CustomLoss =>
  ({ logprob, samplerLogprob, advantage, mask }) => {
    const ratio = tf.exp(tf.sub(logprob, samplerLogprob));
    const gain = tf.minimum(tf.mul(ratio, advantage), tf.mul(tf.clipByValue(ratio, 0.8, 1.28), advantage));
    return tf.neg(tf.div(tf.sum(tf.mul(gain, mask)), tf.sum(mask)));
  };

/** One step of GRPO; resolves to the mean reward of the answers it learned from. */
export async function trainStep(open: OpenEngine, step: number, loss: Loss): Promise<number> {
  const { engine } = open;
  const task = taskFor(open, TASK);
  const problems = Array.from({ length: PROBLEMS_PER_STEP }, (_, i) =>
    task.problem((step - 1) * PROBLEMS_PER_STEP + i),
  );

  // Seed, step and problem name the random draws: the same three give the same answers.
  const groups = await engine.sample(
    problems.map((problem, i) => ({
      promptIds: task.promptIds(problem),
      samples: ANSWERS_PER_PROBLEM,
      seed: open.settings.seed,
      step,
      problem: i,
    })),
    { maxTokens: MAX_TOKENS },
  );

  const sequences: Sequence[] = [];
  const rewards: number[] = [];
  for (const [i, problem] of problems.entries()) {
    const completions = groups[i]?.completions ?? [];
    const scores = (await task.score(problem, completions)).map(({ total }) => total);
    const baseline = mean(scores);
    rewards.push(...scores);
    completions.forEach(({ tokens, logprobs }, sample) => {
      if (tokens.length === 0) return; // Its generator broke.
      const advantage = (scores[sample] ?? 0) - baseline;
      sequences.push({
        promptIds: task.promptIds(problem),
        tokens,
        samplerLogprobs: logprobs,
        advantages: tokens.map(() => advantage),
      });
    });
  }

  await engine.forwardBackward(sequences, loss);
  await engine.optimStep(LEARNING_RATE);
  await engine.saveWeightsForSampler();
  return mean(rewards);
}

/** Rewards of one answer to each of `count` problems that training never asks. */
export async function heldOutRewards(open: OpenEngine, count: number): Promise<number[]> {
  const task = taskFor(open, TASK);
  const problems = Array.from({ length: count }, (_, i) => task.problem(i, 'eval'));
  const groups = await open.engine.sample(
    problems.map((problem, i) => ({
      promptIds: task.promptIds(problem),
      samples: 1,
      seed: open.settings.seed,
      step: 0,
      problem: i,
    })),
    { maxTokens: MAX_TOKENS },
  );
  const scored = problems.map((problem, i) => task.score(problem, groups[i]?.completions ?? []));
  return (await Promise.all(scored)).flat().map(({ total }) => total);
}

export interface LoopOptions {
  /** The folder of the model: an address, or a path under Node. */
  readonly model: string;
  readonly steps: number;
  readonly loss: 'grpo' | 'custom';
  /** Decides problems and samples. */
  readonly seed: number;
  /** Takes what the loop says, a line each. */
  readonly say: (line: string) => void;
}

/** Trains for `steps` steps; says the reward of each, and of held-out problems before and after. */
export async function minimalLoop({ model, steps, loss, seed, say }: LoopOptions): Promise<void> {
  const open = await createEngine({ model, settings: { seed } });
  const chosen: Loss = loss === 'custom' ? clippedTokenMean(open) : 'grpo';
  const heldOut = async (): Promise<string> => mean(await heldOutRewards(open, 200)).toFixed(3);
  say(`held-out reward ${await heldOut()}`);
  for (let step = 1; step <= steps; step++)
    say(`step ${step}  reward ${(await trainStep(open, step, chosen)).toFixed(3)}`);
  say(`held-out reward ${await heldOut()}`);
  open.dispose();
}
