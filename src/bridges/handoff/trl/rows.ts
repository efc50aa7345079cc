/** Every setting as TRL's `GRPOConfig` has it (1.13.0). */
import { LOSSES, type Reduction } from '@rl-playground/engine/parts';
import { COMMON, SEED } from '../settings/common.ts';
import {
  all,
  batchOf,
  CRITIC,
  idle,
  importance,
  none,
  OPEN,
  other,
  RENEWAL,
  rowsOf,
  same,
  where,
  type Fate,
  type HandoffRun,
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
  const { config, updates, reduction } = run;
  const type = ownType(run) ?? LOSS_TYPES[reduction];
  const fields = { loss_type: type };
  if (config.loss === 'dro')
    return none('TRL has no DRO; the clipped loss stands in, whose clip nothing reaches', fields);
  if (config.loss === 'reinforce' && updates > 1)
    return other(
      fields,
      'the clipped loss without a clip: behind the first update of a batch its ratio is not 1',
    );
  return config.loss === 'cispo' && config.clipMeaning === 'ratio_bounds' && config.clipLow > 0
    ? other(fields, 'there is no lower bound on the ratio there')
    : same(fields);
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

/** The bounds of the ratio, at their widest if nothing is clipped. */
function clipFields({ config, clip }: HandoffRun): { epsilon: number; epsilon_high: number } {
  if (clip !== null) return { epsilon: clip.low, epsilon_high: clip.high };
  return { epsilon: 1, epsilon_high: config.loss === 'cispo' ? config.clipHigh : OPEN };
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
      return none('TRL compares the answers to a problem with each other: the mean of the group');
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

const NO_PENALTY = 'there is no KL penalty in the advantages there';
const WITH_VLLM = 'it acts where vLLM samples; without, what samples and what trains are one model there';
const BY_UPDATES = 'TRL counts updates, and from the hand-over on';

export const TRL_ROWS = rowsOf({
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
  rolloutsPerProblem: 'num_generations',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  minP: ({ config }) => same({ min_p: config.minP > 0 ? config.minP : null }),
  repetitionPenalty: 'repetition_penalty',
  maxTokens: 'max_completion_length',

  schedule: ({ config }) =>
    where(
      config.schedule !== 'sync',
      none('sampling and training take turns there (TRL’s AsyncGRPOTrainer is another trainer)'),
    ),
  numMinibatches: none('nothing is streamed there'),
  maxStepsOffPolicy: none('answers are of the newest weights there'),
  numSubsteps: ({ config }) =>
    where(
      config.numSubsteps > 1 && config.miniBatchSize === 0,
      other({}, 'the parts of a batch are shuffled there, and in the order of the problems here'),
    ),
  ppoEpochs: 'num_iterations',
  miniBatchSize({ config }) {
    if (config.miniBatchSize === 0) return idle;
    return config.ppoEpochs > 1
      ? other({}, 'the second pass has the same parts there, and other ones here')
      : same({});
  },
  gradientAccumulation: 'gradient_accumulation_steps',

  loss,
  lossReduction,
  clipLow: (run) => same({ epsilon: clipFields(run).epsilon }),
  clipHigh: (run) => same({ epsilon_high: clipFields(run).epsilon_high }),
  clipDelta: ({ config }) => same({ delta: config.clipDelta > 0 ? config.clipDelta : null }),
  ratioLevel: 'importance_sampling_level',
  oldLogprobs: ({ config }) =>
    config.oldLogprobs === 'trainer'
      ? same({})
      : other(
          {},
          'new probabilities are compared with the trainer’s of before, which are the sampler’s where both compute alike',
        ),
  importanceMode: ({ config }) => other({ vllm_importance_sampling_mode: config.importanceMode }, WITH_VLLM),
  importanceFloor: ({ config }) =>
    other(
      { vllm_importance_sampling_clip_min: config.importanceFloor > 0 ? config.importanceFloor : null },
      WITH_VLLM,
    ),
  importanceCap({ config }) {
    const correction = { vllm_importance_sampling_correction: importance(config) };
    const bound = config.importanceCap > 0 ? config.importanceCap : null;
    return importance(config)
      ? other({ ...correction, vllm_importance_sampling_clip_max: bound }, WITH_VLLM)
      : same(correction);
  },
  offPolicyThreshold: ({ config }) =>
    same({ off_policy_mask_threshold: config.offPolicyThreshold > 0 ? config.offPolicyThreshold : null }),
  topEntropyQuantile: 'top_entropy_quantile',
  entropyCoef: 'entropy_coef',
  droBeta: ({ config }) => where(config.loss === 'dro', none('TRL has no DRO')),
  sapoTemperaturePositive: ({ config }) =>
    where(config.loss === 'sapo', same({ sapo_temperature_pos: config.sapoTemperaturePositive })),
  sapoTemperatureNegative: ({ config }) =>
    where(config.loss === 'sapo', same({ sapo_temperature_neg: config.sapoTemperatureNegative })),
  vespoKPositive: 'vespo_k_pos',
  vespoLambdaPositive: 'vespo_lambda_pos',
  vespoKNegative: 'vespo_k_neg',
  vespoLambdaNegative: 'vespo_lambda_neg',
  maskTruncated: 'mask_truncated_completions',

  baseline,
  ...all(CRITIC, none('there is no critic in GRPO')),
  advantageScale: 'scale_rewards',
  rewardAggregation: none(
    'reward.py gives the sum of the parts; TRL’s multi_objective_aggregation wants a function for each',
  ),
  removeConstantGroups: ({ config }) =>
    where(
      config.removeConstantGroups,
      none(
        'groups of equal rewards stay in the batch there, with advantages of 0: they count where the loss is averaged',
      ),
    ),

  klReference,
  ...all(RENEWAL, idle),
  klBeta: 'beta',
  klEstimator: ({ config }) =>
    where(config.klEstimator !== 'k3', none(`TRL estimates by k3, and not by ${config.klEstimator}`)),
  klBiasCorrection: 'use_bias_correction_kl',
  klPenaltyCoef: none(NO_PENALTY),
  klDiscountFactor: ({ config }) => where(config.klDiscountFactor > 0, none(NO_PENALTY)),

  // The rates themselves come from train.py, by this run’s own formula.
  learningRate: 'learning_rate',
  lrSchedule: 'lr_scheduler_type',
  warmupSteps: same({ warmup_steps: 0 }),
  adamBeta1: 'adam_beta1',
  adamBeta2: 'adam_beta2',
  adamEps: 'adam_epsilon',
  weightDecay: 'weight_decay',
  clipNorm: 'max_grad_norm',

  numSteps: ({ stepsLeft, updates }) => other({ max_steps: stepsLeft * updates }, BY_UPDATES),
  saveSteps: ({ config, updates }) =>
    config.saveSteps > 0
      ? other({ save_strategy: 'steps', save_steps: config.saveSteps * updates }, BY_UPDATES)
      : same({ save_strategy: 'no' }),
  evalSamples: ({ heldOut }) =>
    other({}, `the ${heldOut} rows of eval.jsonl, of which the mean reward is measured`),
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
});
