/** Every setting as TRL's `GRPOConfig` has it (1.13.0). */
import { LOSSES, type Reduction } from '@rl-playground/engine/parts';
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

/** TRL's `loss_type` for the clipped loss under each reduction; it has none for a plain sum, which `train.py` makes of `dr_grpo`. */
const LOSS_TYPES: Readonly<Record<Reduction, string>> = {
  sequence_mean: 'grpo',
  minibatch_token_mean: 'bnpo',
  max_length: 'dr_grpo',
  sum: 'dr_grpo',
  batch_token_mean: 'dapo',
  token_mean: 'dapo',
  sequence_sum: 'luspo',
};

/** The types of losses that have only one reduction in TRL. */
const OWN_TYPES = { cispo: 'cispo', sapo: 'sapo', vespo: 'vespo' } as const;

const ownType = ({ config }: HandoffRun): string | null =>
  config.loss in OWN_TYPES ? OWN_TYPES[config.loss as keyof typeof OWN_TYPES] : null;

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

/** The fields `epsilon` and `epsilon_high`, which are at their widest if nothing is clipped. */
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
  const fields = {
    sync_ref_model: true,
    ref_model_sync_steps: config.klReferenceEvery * updates,
    ref_model_mixup_alpha: config.klReferenceMixup,
  };
  return config.loraRank > 0
    ? none('TRL does not renew the reference of an adapter')
    : other(
        fields,
        'updates are counted from the hand-over, so that the reference is renewed at other steps',
      );
}

const importance = ({ config }: HandoffRun): boolean =>
  config.importanceCap > 0 || config.importanceFloor > 0;
const WITH_VLLM = 'it acts where vLLM samples; without, what samples and what trains are one model there';

export const TRL_ROWS: Rows = {
  ...COMMON,
  model: ({ model, adapter }) =>
    other(
      {},
      adapter === null
        ? `it is the folder ${model}`
        : `it is ${model}, and the adapter the folder ${adapter}`,
    ),
  renderer: () => same({}),
  thinking: ({ config }) => same({ chat_template_kwargs: { enable_thinking: config.thinking === 'on' } }),
  loraRank: () => same({}),
  loraAlpha: ({ config }) => where(config.loraRank > 0, same({})),
  loraTargets: ({ config }) => where(config.loraRank > 0, same({})),

  problemsPerStep: (run) =>
    batchOf(run, {
      // The number is that of one process: train.py divides it by the number of processes.
      per_device_train_batch_size: Math.round(run.answers / run.parts),
      steps_per_generation: run.parts,
      shuffle_dataset: false,
    }),
  rolloutsPerProblem: ({ config }) => same({ num_generations: config.rolloutsPerProblem }),
  oneProblemPerGenerator: () => here('problems_per_step says how large the batch is'),
  temperature: ({ config }) => same({ temperature: config.temperature }),
  topP: ({ config }) => same({ top_p: config.topP }),
  topK: ({ config }) => same({ top_k: config.topK }),
  minP: ({ config }) => same({ min_p: config.minP > 0 ? config.minP : null }),
  repetitionPenalty: ({ config }) => same({ repetition_penalty: config.repetitionPenalty }),
  maxTokens: ({ config }) => same({ max_completion_length: config.maxTokens }),

  schedule: ({ config }) =>
    where(
      config.schedule !== 'sync',
      none('sampling and training take turns there (TRL’s AsyncGRPOTrainer is another trainer)'),
    ),
  numMinibatches: ({ config }) => where(config.schedule === 'stream', none('nothing is streamed there')),
  maxStepsOffPolicy: ({ config }) =>
    where(config.schedule === 'async', none('answers are of the newest weights there')),
  numSubsteps: ({ config }) =>
    where(
      config.numSubsteps > 1 && config.miniBatchSize === 0,
      other({}, 'the parts of a batch are shuffled there, and in the order of the problems here'),
    ),
  ppoEpochs: ({ config }) => same({ num_iterations: config.ppoEpochs }),
  miniBatchSize: ({ config }) =>
    where(
      config.miniBatchSize > 0,
      config.ppoEpochs > 1
        ? other({}, 'the second pass has the same parts there, and other ones here')
        : same({}),
    ),
  gradientAccumulation: ({ config }) => same({ gradient_accumulation_steps: config.gradientAccumulation }),

  loss,
  lossReduction,
  clipMeaning: () => same({}),
  clipLow: (run) => same({ epsilon: clipFields(run).epsilon }),
  clipHigh: (run) => same({ epsilon_high: clipFields(run).epsilon_high }),
  clipDelta: ({ config }) => same({ delta: config.clipDelta > 0 ? config.clipDelta : null }),
  ratioLevel: ({ config }) => same({ importance_sampling_level: config.ratioLevel }),
  oldLogprobs: ({ config }) =>
    config.oldLogprobs === 'trainer'
      ? same({})
      : other(
          {},
          'new probabilities are compared with the trainer’s of before, which are the sampler’s where both compute alike',
        ),
  importanceMode: (run) =>
    where(importance(run), other({ vllm_importance_sampling_mode: run.config.importanceMode }, WITH_VLLM)),
  importanceFloor: (run) =>
    where(
      importance(run),
      other(
        {
          vllm_importance_sampling_clip_min:
            run.config.importanceFloor > 0 ? run.config.importanceFloor : null,
        },
        WITH_VLLM,
      ),
    ),
  importanceCap: (run) =>
    importance(run)
      ? other(
          {
            vllm_importance_sampling_correction: true,
            vllm_importance_sampling_clip_max: run.config.importanceCap > 0 ? run.config.importanceCap : null,
          },
          WITH_VLLM,
        )
      : same({ vllm_importance_sampling_correction: false }),
  offPolicyThreshold: ({ config }) =>
    same({ off_policy_mask_threshold: config.offPolicyThreshold > 0 ? config.offPolicyThreshold : null }),
  topEntropyQuantile: ({ config }) => same({ top_entropy_quantile: config.topEntropyQuantile }),
  entropyCoef: ({ config }) => same({ entropy_coef: config.entropyCoef }),
  droBeta: ({ config }) => where(config.loss === 'dro', none('TRL has no DRO')),
  sapoTemperaturePositive: ({ config }) =>
    where(config.loss === 'sapo', same({ sapo_temperature_pos: config.sapoTemperaturePositive })),
  sapoTemperatureNegative: ({ config }) =>
    where(config.loss === 'sapo', same({ sapo_temperature_neg: config.sapoTemperatureNegative })),
  vespoKPositive: ({ config }) =>
    where(config.loss === 'vespo', same({ vespo_k_pos: config.vespoKPositive })),
  vespoLambdaPositive: ({ config }) =>
    where(config.loss === 'vespo', same({ vespo_lambda_pos: config.vespoLambdaPositive })),
  vespoKNegative: ({ config }) =>
    where(config.loss === 'vespo', same({ vespo_k_neg: config.vespoKNegative })),
  vespoLambdaNegative: ({ config }) =>
    where(config.loss === 'vespo', same({ vespo_lambda_neg: config.vespoLambdaNegative })),
  maskTruncated: ({ config }) => same({ mask_truncated_completions: config.maskTruncated }),

  baseline,
  movingBaselineStart: ({ config }) =>
    where(config.baseline === 'moving', none('there is no moving baseline there')),
  movingBaselineDecay: ({ config }) =>
    where(config.baseline === 'moving', none('there is no moving baseline there')),
  gaeGamma: ({ config }) => where(config.baseline === 'value', none('there is no critic in GRPO')),
  gaeLambda: ({ config }) => where(config.baseline === 'value', none('there is no critic in GRPO')),
  valueCoef: ({ config }) => where(config.baseline === 'value', none('there is no critic in GRPO')),
  valueRate: ({ config }) => where(config.baseline === 'value', none('there is no critic in GRPO')),
  valueClip: ({ config }) => where(config.baseline === 'value', none('there is no critic in GRPO')),
  advantageScale: ({ config }) => same({ scale_rewards: config.advantageScale }),
  rewardAggregation: ({ config }) =>
    where(
      config.rewardAggregation !== 'sum_then_normalize',
      none(
        'reward.py gives the sum of the parts; TRL’s multi_objective_aggregation wants a function for each',
      ),
    ),
  removeConstantGroups: ({ config }) =>
    where(
      config.removeConstantGroups,
      none(
        'groups of equal rewards stay in the batch there, with advantages of 0: they count where the loss is averaged',
      ),
    ),

  klReference,
  klReferenceEvery: () => idle,
  klReferenceMixup: () => idle,
  klBeta: ({ config }) => same({ beta: config.klBeta }),
  klEstimator: ({ config }) =>
    where(
      config.klBeta > 0 && config.klEstimator !== 'k3',
      none(`TRL estimates by k3, and not by ${config.klEstimator}`),
    ),
  klBiasCorrection: ({ config }) => same({ use_bias_correction_kl: config.klBiasCorrection }),
  klPenaltyCoef: ({ config }) =>
    where(config.klPenaltyCoef > 0, none('there is no KL penalty in the advantages there')),
  klDiscountFactor: ({ config }) =>
    where(
      config.klPenaltyCoef > 0 && config.klDiscountFactor > 0,
      none('there is no KL penalty in the advantages there'),
    ),
  targetKl: ({ config }) => where(config.targetKl > 0, none('all updates of a batch are made there')),

  // The rates themselves come from train.py, by this run’s own formula.
  learningRate: ({ config }) => same({ learning_rate: config.learningRate }),
  lrSchedule: ({ config }) => same({ lr_scheduler_type: config.lrSchedule }),
  warmupSteps: () => same({ warmup_steps: 0 }),
  adamBeta1: ({ config }) => same({ adam_beta1: config.adamBeta1 }),
  adamBeta2: ({ config }) => same({ adam_beta2: config.adamBeta2 }),
  adamEps: ({ config }) => same({ adam_epsilon: config.adamEps }),
  weightDecay: ({ config }) => same({ weight_decay: config.weightDecay }),
  clipNorm: ({ config }) => same({ max_grad_norm: config.clipNorm }),

  numSteps: ({ stepsLeft, updates }) =>
    other({ max_steps: stepsLeft * updates }, 'TRL counts updates, and from the hand-over on'),
  saveSteps: ({ config, updates }) =>
    config.saveSteps > 0
      ? other(
          { save_strategy: 'steps', save_steps: config.saveSteps * updates },
          'TRL counts updates, and from the hand-over on',
        )
      : same({ save_strategy: 'no' }),
  evalSamples: ({ heldOut }) =>
    other({}, `the ${heldOut} rows of eval.jsonl, of which the mean reward is measured`),
  evalEvery: ({ config, updates }) =>
    config.evalEvery > 0
      ? other(
          { eval_strategy: 'steps', eval_steps: config.evalEvery * updates },
          'TRL counts updates, and from the hand-over on',
        )
      : same({ eval_strategy: 'no' }),
  evalTemperature: ({ config }) =>
    where(
      config.evalTemperature !== config.temperature,
      none('evaluations sample at the temperature of training there'),
    ),
  seed: (run) => ({ ...COMMON.seed(), fields: { seed: run.config.seed } }),
};
