/** Every setting as prime-rl's `rl` configuration has it (0.8.0). */
import { COMMON } from '../settings/common.ts';
import {
  batchOf,
  here,
  idle,
  none,
  OPEN,
  other,
  same,
  where,
  type Fate,
  type HandoffRun,
  type Rows,
} from '../settings/fate.ts';
import { learningRateAt } from '@rl-playground/run/loop';

const LOSS = 'trainer.loss.kwargs';
const SAMPLING = 'orchestrator.train.sampling';

const KINDS: Readonly<Record<string, string>> = {
  reinforce: 'reinforce',
  cispo: 'cispo',
  sapo: 'sapo',
  dro: 'dro',
};

function loss({ config }: HandoffRun): Fate {
  const fields = { [`${LOSS}.kind`]: KINDS[config.loss] ?? 'clipped' };
  return config.loss === 'vespo'
    ? none('handoff_loss.py has no VESPO; the clipped loss stands in, whose clip nothing reaches', fields)
    : same(fields);
}

/** The smallest and the largest ratio. */
function bounds({ config, clip }: HandoffRun): { low: number; high: number } {
  if (clip !== null) return { low: 1 - clip.low, high: 1 + clip.high };
  if (config.loss !== 'cispo') return { low: 0, high: OPEN };
  return config.clipMeaning === 'epsilon'
    ? { low: 0, high: config.clipHigh }
    : { low: config.clipLow, high: config.clipHigh };
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
  const scheduler = 'trainer.scheduler';
  switch (config.lrSchedule) {
    case 'constant':
      return warm === 0
        ? same({ [`${scheduler}.type`]: 'constant' })
        : other(
            {
              [`${scheduler}.type`]: 'linear',
              [`${scheduler}.warmup_steps`]: warm,
              [`${scheduler}.decay_steps`]: 0,
            },
            'the warm-up begins at 0 there',
          );
    case 'linear':
      return other(
        {
          [`${scheduler}.type`]: 'linear',
          [`${scheduler}.warmup_steps`]: warm,
          [`${scheduler}.decay_steps`]: Math.max(1, stepsLeft - warm),
          [`${scheduler}.min_lr`]: 0,
        },
        'it falls from the rate of the next step, and reaches 0 with the last one, not one behind it',
      );
    case 'cosine':
      return other(
        { [`${scheduler}.type`]: 'cosine', [`${scheduler}.warmup_steps`]: warm, [`${scheduler}.min_lr`]: 0 },
        'it falls from its full value over the steps that are left, and here from where it stands',
      );
  }
}

const importance = ({ config }: HandoffRun): boolean =>
  config.importanceCap > 0 || config.importanceFloor > 0;
const NO_WEIGHTS = 'the ratio is to the sampler’s own probabilities there, which leaves nothing to weigh';
const NO_REFERENCE = 'prime-rl hosts no reference policy';
const ONE_UPDATE = 'a batch makes one update there';

export const PRIME_RL_ROWS: Rows = {
  ...COMMON,
  model: ({ config }) =>
    other(
      { 'model.name': 'model' },
      config.loraRank > 0 ? 'it is the folder model, with the adapter merged in' : 'it is the folder model',
    ),
  renderer: () =>
    other(
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
  loraAlpha: ({ config }) =>
    where(config.loraRank > 0, same({ 'trainer.model.lora.alpha': config.loraAlpha })),
  loraTargets: ({ config }) =>
    where(config.loraRank > 0, same({ 'trainer.model.lora.target_modules': [...config.loraTargets] })),

  problemsPerStep: (run) => batchOf(run, { 'orchestrator.batch_size': run.answers }),
  rolloutsPerProblem: ({ config }) => same({ 'orchestrator.group_size': config.rolloutsPerProblem }),
  oneProblemPerGenerator: () => here('problems_per_step says how large the batch is'),
  temperature: ({ config }) =>
    config.temperature <= 2
      ? same({ [`${SAMPLING}.temperature`]: config.temperature })
      : none('2 is the highest temperature there', { [`${SAMPLING}.temperature`]: 2 }),
  topP: ({ config }) => where(config.topP < 1, none('answers are sampled at top_p 1 there')),
  topK: ({ config }) => same({ [`${SAMPLING}.extra_body.top_k`]: config.topK > 0 ? config.topK : -1 }),
  minP: ({ config }) => same({ [`${SAMPLING}.extra_body.min_p`]: config.minP }),
  repetitionPenalty: ({ config }) =>
    where(
      config.repetitionPenalty !== 1,
      same({ [`${SAMPLING}.extra_body.repetition_penalty`]: config.repetitionPenalty }),
    ),
  maxTokens: ({ config }) => same({ [`${SAMPLING}.max_completion_tokens`]: config.maxTokens }),

  schedule: ({ config }) =>
    config.schedule === 'async'
      ? same({})
      : other(
          { 'orchestrator.max_off_policy_steps': 0 },
          'sampling and training go on side by side; answers of older weights than max_off_policy_steps are dropped',
        ),
  numMinibatches: ({ config }) => where(config.schedule === 'stream', none(ONE_UPDATE)),
  maxStepsOffPolicy: ({ config }) =>
    where(
      config.schedule === 'async',
      same({ 'orchestrator.max_off_policy_steps': config.maxStepsOffPolicy }),
    ),
  numSubsteps: ({ config, updates }) => where(updates > 1 && config.numSubsteps > 1, none(ONE_UPDATE)),
  ppoEpochs: ({ config }) => where(config.ppoEpochs > 1, none(ONE_UPDATE)),
  miniBatchSize: ({ config, updates }) => where(updates > config.ppoEpochs, none(ONE_UPDATE)),
  gradientAccumulation: () => idle,

  loss,
  lossReduction,
  clipMeaning: () => same({}),
  clipLow: (run) => same({ [`${LOSS}.low`]: bounds(run).low }),
  clipHigh: (run) => same({ [`${LOSS}.high`]: bounds(run).high }),
  clipDelta: ({ config }) => same({ [`${LOSS}.delta`]: config.clipDelta }),
  ratioLevel: ({ config }) => same({ [`${LOSS}.level`]: config.ratioLevel }),
  oldLogprobs: ({ config }) =>
    config.oldLogprobs === 'sampler'
      ? same({})
      : other({}, 'new probabilities are compared with those that vLLM sampled with'),
  importanceMode: (run) => where(importance(run), none(NO_WEIGHTS)),
  importanceFloor: (run) => where(importance(run), none(NO_WEIGHTS)),
  importanceCap: (run) => where(importance(run), none(NO_WEIGHTS)),
  offPolicyThreshold: ({ config }) =>
    where(config.offPolicyThreshold > 0, none('handoff_loss.py has no such mask')),
  topEntropyQuantile: ({ config }) =>
    where(config.topEntropyQuantile < 1, none('a loss is not told the entropy of tokens there')),
  entropyCoef: ({ config }) =>
    where(config.entropyCoef > 0, none('a loss is not told the entropy of tokens there')),
  droBeta: ({ config }) => same({ [`${LOSS}.dro_beta`]: config.droBeta }),
  sapoTemperaturePositive: ({ config }) =>
    same({ [`${LOSS}.sapo_temperatures`]: [config.sapoTemperaturePositive, config.sapoTemperatureNegative] }),
  sapoTemperatureNegative: () => same({}),
  vespoKPositive: ({ config }) => where(config.loss === 'vespo', none('handoff_loss.py has no VESPO')),
  vespoLambdaPositive: ({ config }) => where(config.loss === 'vespo', none('handoff_loss.py has no VESPO')),
  vespoKNegative: ({ config }) => where(config.loss === 'vespo', none('handoff_loss.py has no VESPO')),
  vespoLambdaNegative: ({ config }) => where(config.loss === 'vespo', none('handoff_loss.py has no VESPO')),
  maskTruncated: ({ config }) => where(config.maskTruncated, none('cut answers are learned from there')),

  baseline: ({ config }) =>
    config.baseline === 'group'
      ? same({ 'orchestrator.algo.type': 'grpo' })
      : none('the mean of the group is subtracted there', { 'orchestrator.algo.type': 'grpo' }),
  movingBaselineStart: ({ config }) =>
    where(config.baseline === 'moving', none('there is no moving baseline there')),
  movingBaselineDecay: ({ config }) =>
    where(config.baseline === 'moving', none('there is no moving baseline there')),
  gaeGamma: ({ config }) => where(config.baseline === 'value', none('there is no critic there')),
  gaeLambda: ({ config }) => where(config.baseline === 'value', none('there is no critic there')),
  valueCoef: ({ config }) => where(config.baseline === 'value', none('there is no critic there')),
  valueRate: ({ config }) => where(config.baseline === 'value', none('there is no critic there')),
  valueClip: ({ config }) => where(config.baseline === 'value', none('there is no critic there')),
  advantageScale: ({ config }) =>
    config.advantageScale === 'none' ? same({}) : none('advantages are divided by no deviation there'),
  rewardAggregation: ({ config }) =>
    where(config.rewardAggregation !== 'sum_then_normalize', none('reward.py gives the sum of the parts')),
  removeConstantGroups: ({ config }) => {
    const fields = { 'orchestrator.train.filter_zero_advantages': config.removeConstantGroups };
    return config.removeConstantGroups
      ? other(fields, 'every answer without an advantage is left out, not groups of equal rewards alone')
      : same(fields);
  },

  klReference: ({ config }) => where(config.klBeta > 0 || config.klPenaltyCoef > 0, none(NO_REFERENCE)),
  klReferenceEvery: ({ config }) =>
    where(config.klBeta > 0 && config.klReference === 'past', none(NO_REFERENCE)),
  klReferenceMixup: ({ config }) =>
    where(config.klBeta > 0 && config.klReference === 'past', none(NO_REFERENCE)),
  klBeta: ({ config }) => where(config.klBeta > 0, none(NO_REFERENCE)),
  klEstimator: ({ config }) => where(config.klBeta > 0, none(NO_REFERENCE)),
  klBiasCorrection: ({ config }) => where(config.klBeta > 0 && config.klBiasCorrection, none(NO_REFERENCE)),
  klPenaltyCoef: ({ config }) => where(config.klPenaltyCoef > 0, none(NO_REFERENCE)),
  klDiscountFactor: ({ config }) => where(config.klPenaltyCoef > 0, none(NO_REFERENCE)),
  targetKl: ({ config }) => where(config.targetKl > 0, none(ONE_UPDATE)),

  learningRate: (run) =>
    rateNow(run) === run.config.learningRate
      ? same({ 'trainer.optim.lr': rateNow(run) })
      : other({ 'trainer.optim.lr': rateNow(run) }, 'where this run’s schedule stands'),
  lrSchedule,
  warmupSteps: ({ config, step }) =>
    where(config.warmupSteps > step, other({}, 'what is left of it begins at 0 there')),
  adamBeta1: ({ config }) => same({ 'trainer.optim.betas1': config.adamBeta1 }),
  adamBeta2: ({ config }) => same({ 'trainer.optim.betas2': config.adamBeta2 }),
  adamEps: ({ config }) => (config.adamEps === 1e-8 ? same({}) : none('AdamW’s ε is 10⁻⁸ there')),
  weightDecay: ({ config }) => {
    const fields = { 'trainer.optim.weight_decay': config.weightDecay };
    return config.weightDecay > 0 ? other(fields, 'norms and biases decay, too') : same(fields);
  },
  clipNorm: ({ config }) => same({ 'trainer.optim.max_norm': config.clipNorm > 0 ? config.clipNorm : OPEN }),

  numSteps: ({ stepsLeft }) => other({ max_steps: stepsLeft }, 'counted from the hand-over on'),
  saveSteps: ({ config }) => where(config.saveSteps > 0, same({ 'ckpt.interval': config.saveSteps })),
  evalSamples: ({ heldOut }) =>
    other(
      { 'orchestrator.eval.num_examples': heldOut },
      'the rows of eval.jsonl, of which the mean reward is measured',
    ),
  evalEvery: ({ config, stepsLeft }) =>
    same({ 'orchestrator.eval.interval': config.evalEvery > 0 ? config.evalEvery : stepsLeft }),
  evalTemperature: ({ config }) => same({ 'orchestrator.eval.sampling.temperature': config.evalTemperature }),
};
