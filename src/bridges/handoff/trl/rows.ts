/** Every setting as TRL's `GRPOConfig` has it (1.13.0). */
import { LOSSES, type Reduction } from '@rl-playground/engine/parts';
import { COMMON, GROUP_MEAN, SEED } from '../settings/common.ts';
import {
  all,
  batchOf,
  clippedLoss,
  columnOf,
  idle,
  importance,
  none,
  orOff,
  other,
  RENEWAL,
  same,
  where,
  type Fate,
  type HandoffRun,
  type Table,
} from '../settings/fate.ts';

/** TRL's `loss_type` for the clipped loss under each reduction. TRL lacks a plain sum, which `train.py` makes from `dr_grpo`. */
const LOSS_TYPES: Readonly<Record<Reduction, string>> = {
  sequence_mean: 'grpo',
  minibatch_token_mean: 'bnpo',
  max_length: 'dr_grpo',
  sum: 'dr_grpo',
  batch_token_mean: 'dapo',
  token_mean: 'dapo',
  sequence_sum: 'luspo',
};

/** The name of a loss that has one reduction alone in TRL. */
const ownType = ({ config: { loss: name } }: HandoffRun): string | null =>
  name === 'cispo' || name === 'sapo' || name === 'vespo' ? name : null;

function loss(run: HandoffRun): Fate {
  const { config, reduction } = run;
  const fields = { loss_type: ownType(run) ?? LOSS_TYPES[reduction] };
  if (config.loss === 'dro')
    return none('TRL has no DRO; the clipped loss stands in, whose clip nothing reaches', fields);
  return config.loss === 'cispo' && config.clipMeaning === 'ratio_bounds' && config.clipLow > 0
    ? other(fields, 'there is no lower bound on the ratio there')
    : clippedLoss(run, fields);
}

function lossReduction(run: HandoffRun): Fate {
  const { config, reduction, updates } = run;
  const own = ownType(run);
  if (own !== null) {
    const theirs = LOSSES[config.loss].epsilonReduction ?? LOSSES[config.loss].reduction;
    const alike =
      reduction === theirs || (reduction === 'token_mean' && theirs === 'batch_token_mean' && updates === 1);
    return alike ? same({}) : none(`${own} is averaged there as ${theirs}, and not as ${reduction}`);
  }
  if (reduction === 'sum')
    return config.entropyCoef > 0
      ? other({}, 'train.py multiplies the loss so that it is a sum, and with it the entropy bonus')
      : same({});
  return reduction === 'token_mean' && updates > 1
    ? other({}, 'an update is divided by the mean tokens of the batch’s updates there, and by its own here')
    : same({});
}

function baseline({ config }: HandoffRun): Fate {
  const { rolloutsPerProblem: size, advantageScale } = config;
  switch (config.baseline) {
    case 'group':
      return same({});
    case 'leave_one_out': {
      const fields = { reward_weights: [size / (size - 1)] };
      return advantageScale === 'none'
        ? same(fields)
        : other(fields, 'rewards are multiplied by G / (G − 1), and 10⁻⁴ beside their deviation is not');
    }
    case 'moving':
    case 'value':
    case 'none':
      return none(GROUP_MEAN);
  }
}

function klReference({ config, updates }: HandoffRun): Fate {
  if (config.klReference !== 'past') return same({});
  if (config.loraRank > 0) return none('TRL does not renew the reference of an adapter');
  return other(
    {
      sync_ref_model: true,
      ref_model_sync_steps: config.klReferenceEvery * updates,
      ref_model_mixup_alpha: config.klReferenceMixup,
    },
    'updates are counted from the hand-over, so that the reference is renewed at other steps',
  );
}

const WITH_VLLM = 'it acts where vLLM samples; without, what samples and what trains are one model there';
const BY_UPDATES = 'TRL counts updates, and from the hand-over on';

export const TRL_ROWS: Table = {
  ...COMMON,
  model: ({ model, adapter }) =>
    other(
      {},
      adapter === null
        ? `it is the folder ${model}`
        : `it is ${model}, and the adapter the folder ${adapter}`,
    ),
  thinking: ({ config }) => same({ chat_template_kwargs: { enable_thinking: config.thinking === 'on' } }),
  ...all(['loraRank', 'loraAlpha', 'loraTargets'], same({})),

  problemsPerStep: (run) =>
    batchOf(run, {
      // The number is that of one process: train.py divides it by the number of processes.
      per_device_train_batch_size: Math.round(run.answers / run.parts),
      steps_per_generation: run.parts,
      shuffle_dataset: false,
    }),

  numSubsteps: ({ config }) =>
    where(
      config.numSubsteps > 1 && config.miniBatchSize === 0,
      other({}, 'the parts of a batch are shuffled there, and in the order of the problems here'),
    ),
  miniBatchSize({ config }) {
    if (config.miniBatchSize === 0) return idle;
    return config.ppoEpochs > 1
      ? other({}, 'the second pass has the same parts there, and other ones here')
      : same({});
  },

  loss,
  lossReduction,
  clipLow: ({ clip }) => same({ epsilon: clip.low }),
  // Under CISPO it is the largest ratio itself.
  clipHigh: ({ config, clip }) =>
    same({ epsilon_high: config.loss === 'cispo' ? config.clipHigh : clip.high }),
  clipDelta: orOff('delta', null),
  oldLogprobs: ({ config }) =>
    config.oldLogprobs === 'trainer'
      ? same({})
      : other(
          {},
          'new probabilities are compared with the trainer’s of before, which are the sampler’s where both compute alike',
        ),
  importanceMode: ({ config }) => other({ vllm_importance_sampling_mode: config.importanceMode }, WITH_VLLM),
  importanceFloor: ({ config }) =>
    other({ vllm_importance_sampling_clip_min: config.importanceFloor }, WITH_VLLM),
  importanceCap({ config }) {
    const correction = { vllm_importance_sampling_correction: importance(config) };
    const bound = config.importanceCap > 0 ? config.importanceCap : null;
    return importance(config)
      ? other({ ...correction, vllm_importance_sampling_clip_max: bound }, WITH_VLLM)
      : same(correction);
  },

  baseline,

  klReference,
  ...all(RENEWAL, idle),
  klEstimator: ({ config }) =>
    where(config.klEstimator !== 'k3', none(`TRL estimates by k3, and not by ${config.klEstimator}`)),

  // The rates themselves come from train.py, by this run’s own formula.
  warmupSteps: same({ warmup_steps: 0 }),

  numSteps: ({ stepsLeft, updates }) => other({ max_steps: stepsLeft * updates }, BY_UPDATES),
  saveSteps: ({ config, updates }) =>
    config.saveSteps > 0
      ? other({ save_strategy: 'steps', save_steps: config.saveSteps * updates }, BY_UPDATES)
      : same({ save_strategy: 'no' }),
  evalEvery: ({ config, updates }) =>
    config.evalEvery > 0
      ? other({ eval_strategy: 'steps', eval_steps: config.evalEvery * updates }, BY_UPDATES)
      : same({ eval_strategy: 'no' }),
  evalTemperature: ({ config }) =>
    where(
      config.evalTemperature !== config.temperature,
      none('evaluations sample at the temperature of training there'),
    ),
  seed: ({ config }) => other({ seed: config.seed }, SEED),
  ...columnOf('trl'),
};
