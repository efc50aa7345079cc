/** Every setting as prime-rl's `rl` configuration has it (0.8.0). */
import { COMMON, COSINE_ANEW, FROM_HANDOVER, GROUP_MEAN } from '../settings/common.ts';
import {
  all,
  batchOf,
  columnOf,
  decay,
  importance,
  none,
  OPEN,
  orOff,
  other,
  RENEWAL,
  rounded,
  same,
  where,
  type Fate,
  type HandoffRun,
  type Table,
} from '../settings/fate.ts';
import { learningRateAt } from '@rl-playground/run/loop';

const LOSS = 'trainer.loss.kwargs';
const SAMPLING = 'orchestrator.train.sampling';

/** Losses that handoff_loss.py has by their own names; the others are clipped ones. */
const KINDS: readonly string[] = ['reinforce', 'cispo', 'sapo', 'dro'];

function loss({ config }: HandoffRun): Fate {
  const fields = { [`${LOSS}.kind`]: KINDS.includes(config.loss) ? config.loss : 'clipped' };
  return config.loss === 'vespo'
    ? none('handoff_loss.py has no VESPO; the clipped loss stands in, whose clip nothing reaches', fields)
    : same(fields);
}

function lossReduction({ reduction, updates }: HandoffRun): Fate {
  const byTokens =
    reduction === 'token_mean' || reduction === 'batch_token_mean' || reduction === 'minibatch_token_mean';
  return byTokens && updates === 1
    ? same({})
    : none(`the loss is divided by the tokens of the batch there, and not as ${reduction}`);
}

/** The rate of the next step here, from which the rest of the schedule falls. */
function rateNow({ config, step }: HandoffRun): number {
  const { learningRate: peak, lrSchedule: kind, warmupSteps, numSteps: totalSteps } = config;
  const now =
    kind === 'linear' && step >= warmupSteps
      ? learningRateAt(step + 1, { peak, kind, warmupSteps, totalSteps })
      : peak;
  return Number(now.toPrecision(6));
}

function lrSchedule({ config, step, stepsLeft }: HandoffRun): Fate {
  const warm = Math.min(Math.max(0, config.warmupSteps - step), stepsLeft - 1);
  const fields = (type: string, more: Readonly<Record<string, number>> = {}) => ({
    'trainer.scheduler.type': type,
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [`trainer.scheduler.${name}`, value])),
  });
  switch (config.lrSchedule) {
    case 'constant':
      return warm === 0
        ? same(fields('constant'))
        : other(fields('linear', { warmup_steps: warm, decay_steps: 0 }), 'the warm-up begins at 0 there');
    case 'linear':
      return other(
        fields('linear', { warmup_steps: warm, decay_steps: Math.max(1, stepsLeft - warm), min_lr: 0 }),
        'it falls from the rate of the next step, and reaches 0 with the last one, not one after it',
      );
    case 'cosine':
      return other(fields('cosine', { warmup_steps: warm, min_lr: 0 }), COSINE_ANEW);
  }
}

const NO_WEIGHTS = none(
  'the ratio is to the sampler’s own probabilities there, which leaves nothing to weigh',
);
const NO_REFERENCE = none('prime-rl hosts no reference policy');
const NO_ENTROPY = none('a loss is not told the entropy of tokens there');
const ONE_UPDATE = none('a batch makes one update there');

export const PRIME_RL_ROWS: Table = {
  ...COMMON,
  model: ({ config }) =>
    other(
      { 'model.name': 'model' },
      config.loraRank > 0 ? 'it is the folder model, with the adapter merged in' : 'it is the folder model',
    ),
  renderer: other(
    { 'orchestrator.renderer.name': 'default' },
    'the default renderer applies the model’s chat template',
  ),
  thinking: ({ config }) =>
    where(
      config.thinking === 'on',
      other({}, 'the template’s own default says whether it asks for thoughts there'),
    ),
  loraRank: ({ config }) =>
    where(
      config.loraRank > 0,
      other(
        { 'trainer.model.lora.rank': config.loraRank },
        'factors begin anew beside the model that the old ones were merged into',
      ),
    ),
  loraTargets: ({ config }) => same({ 'trainer.model.lora.target_modules': [...config.loraTargets] }),

  problemsPerStep: (run) => batchOf(run, { 'orchestrator.batch_size': run.answers }),
  temperature: ({ config }) =>
    config.temperature <= 2
      ? same({ [`${SAMPLING}.temperature`]: config.temperature })
      : none('2 is the highest temperature there', { [`${SAMPLING}.temperature`]: 2 }),
  topP: ({ config }) => where(config.topP < 1, none('answers are sampled at top_p 1 there')),
  topK: orOff(`${SAMPLING}.extra_body.top_k`, -1),

  schedule: ({ config }) =>
    config.schedule === 'async'
      ? same({})
      : other(
          { 'orchestrator.max_off_policy_steps': 0 },
          'sampling and training go on side by side; answers of older weights than max_off_policy_steps are dropped',
        ),
  numMinibatches: ONE_UPDATE,
  numSubsteps: ({ config, updates }) => where(updates > 1 && config.numSubsteps > 1, ONE_UPDATE),
  ppoEpochs: ({ config }) => where(config.ppoEpochs > 1, ONE_UPDATE),
  miniBatchSize: ({ config, updates }) => where(updates > config.ppoEpochs, ONE_UPDATE),

  loss,
  lossReduction,
  clipLow: ({ clip }) => same({ [`${LOSS}.low`]: rounded(1 - clip.low) }),
  clipHigh: ({ clip }) => same({ [`${LOSS}.high`]: rounded(1 + clip.high) }),
  oldLogprobs: ({ config }) =>
    config.oldLogprobs === 'sampler'
      ? same({})
      : other({}, 'new probabilities are compared with those that vLLM sampled with'),
  ...all(['importanceMode', 'importanceFloor'], NO_WEIGHTS),
  importanceCap: ({ config }) => where(importance(config), NO_WEIGHTS),
  ...all(['topEntropyQuantile', 'entropyCoef'], NO_ENTROPY),
  sapoTemperaturePositive: ({ config }) =>
    same({ [`${LOSS}.sapo_temperatures`]: [config.sapoTemperaturePositive, config.sapoTemperatureNegative] }),
  sapoTemperatureNegative: same({}),

  baseline({ config }) {
    const fields = { 'orchestrator.algo.type': 'grpo' };
    return config.baseline === 'group' ? same(fields) : none(GROUP_MEAN, fields);
  },
  advantageScale: ({ config }) =>
    config.advantageScale === 'none' ? same({}) : none('advantages are divided by no deviation there'),
  removeConstantGroups({ config }) {
    const fields = { 'orchestrator.train.filter_zero_advantages': config.removeConstantGroups };
    return config.removeConstantGroups
      ? other(fields, 'every answer without an advantage is left out, not groups of equal rewards alone')
      : same(fields);
  },

  klReference: NO_REFERENCE,
  ...all(RENEWAL, NO_REFERENCE),
  klBeta: ({ config }) => where(config.klBeta > 0, NO_REFERENCE),
  klEstimator: NO_REFERENCE,
  klBiasCorrection: ({ config }) => where(config.klBeta > 0 && config.klBiasCorrection, NO_REFERENCE),
  klPenaltyCoef: NO_REFERENCE,
  klDiscountFactor: NO_REFERENCE,
  targetKl: ONE_UPDATE,

  learningRate(run) {
    const fields = { 'trainer.optim.lr': rateNow(run) };
    return rateNow(run) === run.config.learningRate
      ? same(fields)
      : other(fields, 'where this run’s schedule is');
  },
  lrSchedule,
  warmupSteps: ({ config, step }) =>
    where(config.warmupSteps > step, other({}, 'what is left of it begins at 0 there')),
  adamEps: ({ config }) => (config.adamEps === 1e-8 ? same({}) : none('AdamW’s ε is 10⁻⁸ there')),
  weightDecay: (run) => decay(run, 'trainer.optim.weight_decay'),
  clipNorm: orOff('trainer.optim.max_norm', OPEN),

  numSteps: ({ stepsLeft }) => other({ max_steps: stepsLeft }, FROM_HANDOVER),
  saveSteps: ({ config }) => where(config.saveSteps > 0, same({ 'ckpt.interval': config.saveSteps })),
  evalSamples: ({ heldOut }) =>
    other(
      { 'orchestrator.eval.num_examples': heldOut },
      'the rows of eval.jsonl, of which the mean reward is measured',
    ),
  evalEvery: ({ config, stepsLeft }) =>
    same({ 'orchestrator.eval.interval': config.evalEvery > 0 ? config.evalEvery : stepsLeft }),
  ...columnOf('prime-rl'),
};
