/** The labelled runs that the watch is judged on: the zoo, its cures, other failures of lab/notes/experiments.md, and default runs. */
import {
  parseConfig,
  defaultConfig,
  type RunConfig,
  ZOO,
  zooConfig,
  type DiagnosisId,
} from '@rl-playground/run/settings';

export interface LabelledKind {
  readonly name: string;
  /** Diagnoses that are right, the first is that of the recipe; none for a healthy run. */
  readonly right: readonly DiagnosisId[];
  readonly config: (seed: number) => RunConfig;
  /** Steps that are recorded; schedules are those of the whole run. */
  readonly steps: number;
  /** The time from which a run of the kind counts as failing: its first step, or when a measure falls for good. */
  readonly onset: 'start' | 'accuracy' | 'format';
}

/** Further facts about a recipe's run, and the beginning of its damage. */
const OF_RECIPE: Readonly<Record<string, Partial<LabelledKind>>> = {
  length: { onset: 'accuracy' },
  keyword: { onset: 'accuracy' },
  format: { onset: 'format' },
};

const REVERSE = 'reverse_digits';

const other = (
  name: string,
  task: string,
  changes: Partial<RunConfig>,
  rest: Partial<LabelledKind>,
): LabelledKind => ({
  name,
  right: [],
  config: (seed) => ({ ...defaultConfig(task), ...changes, seed }),
  steps: 24,
  onset: 'start',
  ...rest,
});

const SMALL = { problemsPerStep: 8, maxTokens: 40, numSteps: 30 };

const FAILING: readonly LabelledKind[] = [
  other('rate-3e-3', REVERSE, { ...SMALL, learningRate: 3e-3 }, { right: ['ruinous-rate'] }),
  other(
    'rate-sum',
    'sum_digits',
    { ...SMALL, maxTokens: 96, learningRate: 1e-2 },
    { right: ['ruinous-rate'], steps: 16 },
  ),
  other('rate-idle', REVERSE, { ...SMALL, learningRate: 1e-6 }, { right: ['idle-rate'] }),
  other('hot', REVERSE, { ...SMALL, temperature: 3 }, { right: ['too-hot'], steps: 12 }),
  other('kl-in-advantages', REVERSE, { ...SMALL, klPenaltyCoef: 10 }, { right: ['kl-holds'] }),
  other(
    'no-baseline',
    REVERSE,
    { ...SMALL, loss: 'reinforce', baseline: 'none', taskConfig: { step_weight: 10 } },
    { right: ['no-baseline'] },
  ),
  other(
    'keyword-sum',
    'sum_digits',
    { ...SMALL, maxTokens: 96, taskConfig: { reward_rule: 'keyword' } },
    { right: ['paid-for-form'], onset: 'accuracy' },
  ),
  other(
    'weak',
    'string_insertion',
    // Few answers at a high rate, as this task began before it had settings of its own.
    {
      model: 'starter-gym',
      problemsPerStep: 8,
      maxTokens: 48,
      numSteps: 60,
      learningRate: 3e-4,
      warmupSteps: 5,
      removeConstantGroups: false,
    },
    { right: ['form-over-answer', 'ruinous-rate', 'reward-fell'], onset: 'accuracy', steps: 20 },
  ),
];

const HEALTHY: readonly LabelledKind[] = [
  other('cured', REVERSE, SMALL, { steps: 30 }),
  other('four-updates', REVERSE, { ...SMALL, numSubsteps: 4 }, {}),
  other('side-by-side', REVERSE, { ...SMALL, schedule: 'async', maxStepsOffPolicy: 20 }, { steps: 30 }),
];

/** Tasks whose default runs must raise no alarm, and the number of their first steps that are recorded: answers of some take long. */
const DEFAULT_STEPS = { reverse_digits: 20, sum_digits: 20, count_bits: 12, gcd: 12, spell_backward: 10 };

const DEFAULTS = Object.entries(DEFAULT_STEPS).map(([task, steps]) =>
  other(`default-${task}`, task, {}, { steps }),
);

export const KINDS: readonly LabelledKind[] = [
  ...ZOO.map((recipe): LabelledKind => ({
    name: recipe.id,
    right: [recipe.diagnosis],
    config: (seed) => zooConfig(recipe, seed),
    steps: Math.min(24, recipe.settings.numSteps ?? 24),
    onset: 'start',
    ...OF_RECIPE[recipe.id],
  })),
  ...FAILING,
  ...HEALTHY,
  ...DEFAULTS,
];

/** @throws Error if settings contradict each other. */
export function configOf({ config }: LabelledKind, seed: number): RunConfig {
  // One generator: under Node it is the caller's own thread, and the schedule is then the same in every run.
  const parsed = parseConfig({ ...config(seed), numGenerators: 1 });
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.config;
}
