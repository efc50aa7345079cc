/**
 * The failure zoo: twelve small seeded runs, each of which goes wrong for one cause. What one sees, why, and the settings that cure it. The labelled runs
 * of `npm run lab -- watch` are made of these too, so that what the alarms are judged on is what a visitor meets.
 */
import { defaultConfig } from './presets/presets.ts';
import type { RunConfig } from './schema/schema.ts';

/** The diagnosis that the alarm is to give of a run (`run/diagnosis/alarms`). */
export type DiagnosisId =
  | 'ruinous-rate'
  | 'idle-rate'
  | 'entropy-collapse'
  | 'paid-for-length'
  | 'paid-for-form'
  | 'paid-for-something-else'
  | 'form-lost'
  | 'form-over-answer'
  | 'no-signal'
  | 'few-answers'
  | 'answers-cut'
  | 'too-hot'
  | 'kl-holds'
  | 'no-baseline'
  | 'stale-answers'
  | 'sampler-differs'
  | 'updates-too-far'
  | 'reward-fell'
  | 'wrong-working';

export interface ZooRecipe {
  readonly id: string;
  readonly title: string;
  /** The symptom, its cause and the remedy: a sentence or two each. */
  readonly sees: string;
  readonly cause: string;
  readonly cure: string;
  readonly diagnosis: DiagnosisId;
  /** Settings on top of those of the small run. */
  readonly settings: Partial<RunConfig>;
  /** Settings on top of those. */
  readonly cureSettings: Partial<RunConfig>;
}

const TASK = 'reverse_digits';

/** Half the usual problems and short answers, so that a step takes a quarter of a second on one core. */
const SMALL: Partial<RunConfig> = {
  problemsPerStep: 8,
  maxTokens: 40,
  numSteps: 30,
  evalEvery: 0,
  passAtK: 1,
};

/** The task’s own reward, which the recommended settings have too. */
const TAG_PAID = { taskConfig: { step_weight: 2 } };

export const ZOO: readonly ZooRecipe[] = [
  {
    id: 'learning-rate',
    title: 'Learning rate too high',
    sees: 'Within three steps the KL to the starting model jumps above 1 and the reward falls to its lowest; right answers never come back.',
    cause: 'An update thirty times as large as usual throws away what the model could do before.',
    cure: 'The usual learning rate, 3e-4.',
    diagnosis: 'ruinous-rate',
    settings: { learningRate: 1e-2, numSteps: 16 },
    cureSettings: { learningRate: 3e-4, numSteps: 30 },
  },
  {
    id: 'entropy',
    title: 'Entropy collapse',
    sees: 'The entropy falls to nothing in four steps, all answers to a problem become the same, and accuracy stays where it is.',
    cause:
      'At a temperature of 0.05 the model nearly always writes its greedy answer. Without different answers there is nothing to compare.',
    cure: 'Temperature 1: answers differ, and the better ones can be told from the others.',
    diagnosis: 'entropy-collapse',
    settings: { temperature: 0.05, numSteps: 16 },
    cureSettings: { temperature: 1, numSteps: 30 },
  },
  {
    id: 'length',
    title: 'Reward hacked by length',
    sees: 'Reward and length of the answers rise together; accuracy goes to 0.',
    cause:
      'The reward pays for every character, right answer or not. Rambling is the easiest way to earn it.',
    cure: 'A reward that pays for the right number after its tag.',
    diagnosis: 'paid-for-length',
    // By eight problems a step it takes a step or two longer to be sure of the fall.
    settings: { taskConfig: { reward_rule: 'length' }, problemsPerStep: 16 },
    cureSettings: TAG_PAID,
  },
  {
    id: 'keyword',
    title: 'Reward hacked by a keyword',
    sees: 'Reward and format rise to their maximum; accuracy goes to 0.',
    cause: 'The reward looks for [ANSWER] and never checks the number after it.',
    cure: 'A reward that checks the number, too.',
    diagnosis: 'paid-for-form',
    settings: { taskConfig: { reward_rule: 'keyword' } },
    cureSettings: TAG_PAID,
  },
  {
    id: 'format',
    title: 'Format lost',
    sees: 'Accuracy stays, but fewer and fewer answers have the tag that the task asks for.',
    cause:
      'The grader reads another format than the prompt asks for: only answers without the tag earn a reward.',
    cure: 'A grader that asks for the format of the prompt.',
    diagnosis: 'form-lost',
    settings: { taskConfig: { reward_rule: 'other_form' } },
    cureSettings: TAG_PAID,
  },
  {
    id: 'too-hard',
    title: 'No signal: problems too hard',
    sees: 'Every answer earns −1, the gradient is 0, and no curve moves.',
    cause:
      'The model can reverse seven digits and is asked for twelve to fifteen. Where all rewards are equal, there is nothing to learn from.',
    cure: 'Problems that the model sometimes gets right: six or seven digits.',
    diagnosis: 'no-signal',
    settings: { taskConfig: { min_digits: 12, max_digits: 15 }, numSteps: 16 },
    cureSettings: { ...TAG_PAID, numSteps: 30 },
  },
  {
    id: 'cut-off',
    title: 'Answers cut off',
    sees: 'All answers end at the token limit, before their result; accuracy is 0 from the first step.',
    cause: 'Answers may have 16 tokens, and this model needs 23.',
    cure: 'Room for the whole answer: 40 tokens.',
    diagnosis: 'answers-cut',
    settings: { maxTokens: 16, numSteps: 16 },
    cureSettings: { maxTokens: 40, numSteps: 30 },
  },
  {
    id: 'stale',
    title: 'Stale sampler',
    sees: 'The KL between sampler and trainer climbs above 0.01 while answers are one step old; accuracy falls.',
    cause:
      'Sampling and training run side by side, and at this learning rate the policy has moved on before its answers are learned from.',
    cure: 'Sampling and training in turns, at the usual learning rate.',
    diagnosis: 'stale-answers',
    settings: { schedule: 'async', maxStepsOffPolicy: 20, learningRate: 1e-3 },
    cureSettings: { schedule: 'sync', learningRate: 3e-4 },
  },
  {
    id: 'kl',
    title: 'KL penalty too strong',
    sees: 'The gradient grows tenfold, KL stays near 0, and the reward is flat.',
    cause: 'With β = 10 nearly all of the gradient pulls the model back to where it started.',
    cure: 'No KL penalty.',
    diagnosis: 'kl-holds',
    settings: { klBeta: 10 },
    cureSettings: { klBeta: 0 },
  },
  {
    id: 'group-of-two',
    title: 'Groups of two (G = 2)',
    sees: 'Most groups have equal rewards, so a step learns from only about five answers; the reward swings, and accuracy may be lost to luck.',
    cause: 'Two answers often score the same. What is left is too little to tell skill from chance.',
    cure: 'Eight answers to each problem.',
    diagnosis: 'few-answers',
    settings: { rolloutsPerProblem: 2 },
    cureSettings: { rolloutsPerProblem: 8 },
  },
  {
    id: 'mismatch',
    title: 'Sampler and trainer disagree',
    sees: 'The KL between sampler and trainer is 0.2 from the first step, a fifth of the tokens are clipped, and accuracy falls.',
    cause: 'Answers are drawn from noisy logits, and the narrow clip mistakes the noise for learning.',
    cure: 'No noise: generators and trainer compute the same.',
    diagnosis: 'sampler-differs',
    settings: { samplerNoise: 1.5, clipLow: 0.02, clipHigh: 0.02 },
    cureSettings: { samplerNoise: 0 },
  },
  {
    id: 'epochs',
    title: 'Too many updates per batch',
    sees: 'In the later updates of a step the KL to the sampler is tens of times above its line; format rises and accuracy goes to 0.',
    cause:
      'Each batch is learned from four times at a high rate. After the first update the answers are no longer the policy’s own.',
    cure: 'One update per batch at the usual learning rate.',
    diagnosis: 'updates-too-far',
    settings: { ppoEpochs: 4, learningRate: 1e-3, numSteps: 16 },
    cureSettings: { ppoEpochs: 1, learningRate: 3e-4, numSteps: 30 },
  },
];

export function zooConfig({ settings }: ZooRecipe, seed: number): RunConfig {
  return { ...defaultConfig(TASK), ...SMALL, ...settings, seed };
}

export function curedConfig(recipe: ZooRecipe, seed: number): RunConfig {
  return { ...zooConfig(recipe, seed), ...recipe.cureSettings };
}
