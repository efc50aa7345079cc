/** Every setting as verl's `ppo_trainer` configuration has it (0.10.0.dev). */
import type { Reduction } from '@rl-playground/engine/parts';
import { COMMON, COSINE_ANEW, FROM_HANDOVER, GROUP_MEAN } from '../settings/common.ts';
import {
  all,
  batchOf,
  clippedLoss,
  columnOf,
  decay,
  idle,
  importance,
  none,
  OPEN,
  orOff,
  other,
  RENEWAL,
  same,
  where,
  type Fate,
  type HandoffRun,
  type Table,
} from '../settings/fate.ts';

const ACTOR = 'actor_rollout_ref.actor';
const ROLLOUT = 'actor_rollout_ref.rollout';
const MODEL = 'actor_rollout_ref.model';

const AGGREGATIONS: Readonly<Record<Reduction, string>> = {
  token_mean: 'token-mean',
  batch_token_mean: 'token-mean',
  minibatch_token_mean: 'token-mean',
  sequence_mean: 'seq-mean-token-mean',
  sequence_sum: 'seq-mean-token-sum',
  max_length: 'seq-mean-token-sum-norm',
  sum: 'token-sum',
};

/** The problems of an update; null if an update does not have whole ones. */
function problemsOfUpdate({ problems, updates, config }: HandoffRun): number | null {
  const count = problems / (updates / config.ppoEpochs);
  return Number.isInteger(count) ? count : null;
}

function lossMode({ config }: HandoffRun): string {
  if (config.loss === 'cispo' || config.loss === 'sapo' || config.loss === 'dro') return config.loss;
  return config.ratioLevel === 'sequence' ? 'gspo' : 'vanilla';
}

function loss(run: HandoffRun): Fate {
  const fields = { [`${ACTOR}.policy_loss.loss_mode`]: lossMode(run) };
  return run.config.loss === 'vespo'
    ? none('verl has no VESPO; the clipped loss stands in, whose clip nothing reaches', fields)
    : clippedLoss(run, fields);
}

/** Losses that verl averages by answers, whatever is asked for. */
const BY_ANSWERS: readonly string[] = ['gspo', 'sapo'];

function lossReduction(run: HandoffRun): Fate {
  const { reduction, updates, parts, config } = run;
  const fields = {
    [`${ACTOR}.loss_agg_mode`]: AGGREGATIONS[reduction],
    ...(reduction === 'max_length' && { [`${ACTOR}.loss_scale_factor`]: config.maxTokens }),
  };
  const mode = lossMode(run);
  if (BY_ANSWERS.includes(mode))
    return reduction === 'sequence_mean'
      ? same(fields)
      : none(`${mode} is averaged over answers there, and not as ${reduction}`, fields);
  if (reduction === 'batch_token_mean' && updates > 1)
    return other(
      fields,
      'an update is divided by its own tokens there, and by the mean tokens of the batch’s updates here',
    );
  if (reduction === 'minibatch_token_mean' && parts > updates / config.ppoEpochs)
    return other(fields, 'over the tokens of the update there, and of each of its mini-batches here');
  return same(fields);
}

const ESTIMATOR = 'algorithm.adv_estimator';

function baseline({ config }: HandoffRun): Fate {
  switch (config.baseline) {
    case 'group':
      return same({ [ESTIMATOR]: 'grpo' });
    case 'leave_one_out':
      return config.advantageScale === 'none'
        ? same({ [ESTIMATOR]: 'rloo' })
        : other({ [ESTIMATOR]: 'rloo' }, 'RLOO divides by no deviation there');
    case 'value':
      return other(
        {
          [ESTIMATOR]: 'gae',
          'critic.model.path': '${actor_rollout_ref.model.path}',
          'critic.ppo_micro_batch_size_per_gpu': 4,
        },
        'the critic is a model of its own there, begins anew, and its advantages are always made to deviate by 1',
      );
    case 'moving':
    case 'none':
      return none(GROUP_MEAN, { [ESTIMATOR]: 'grpo' });
  }
}

function advantageScale({ config }: HandoffRun): Fate {
  const field = 'algorithm.norm_adv_by_std_in_grpo';
  if (config.baseline !== 'group') return idle;
  switch (config.advantageScale) {
    case 'none':
      return same({ [field]: false });
    case 'group':
      return other({ [field]: true }, '10⁻⁶ stands beside the deviation there, and 10⁻⁴ here');
    case 'batch':
      return none('advantages are divided by the deviation of the group there, or by nothing', {
        [field]: false,
      });
  }
}

function importanceCap({ config }: HandoffRun): Fate {
  const { importanceMode: mode, importanceCap: cap } = config;
  if (!importance(config)) return idle;
  const level = mode.startsWith('token') ? 'token' : 'sequence';
  const fields = {
    'algorithm.rollout_correction.rollout_is': level,
    'algorithm.rollout_correction.rollout_is_threshold': cap > 0 ? cap : OPEN,
  };
  return mode.endsWith('truncate')
    ? same(fields)
    : other(
        fields,
        'weights beyond the bound are cut to it there, and take what they weigh out of the update here',
      );
}

function lrSchedule({ config }: HandoffRun): Fate {
  const field = `${ACTOR}.optim.lr_scheduler_type`;
  switch (config.lrSchedule) {
    case 'constant':
      return same({ [field]: 'constant' });
    case 'cosine':
      return other({ [field]: 'cosine' }, COSINE_ANEW);
    case 'linear':
      return none('there is no linear schedule for FSDP there: the rate stays', { [field]: 'constant' });
  }
}

/** Losses whose ratio is of each token, whatever is asked for. */
const BY_TOKENS: readonly string[] = ['cispo', 'sapo', 'dro', 'vespo'];

export const VERL_ROWS: Table = {
  ...COMMON,
  model: ({ model, adapter }) =>
    other(
      { [`${MODEL}.path`]: model === 'model' ? '${handoff}/model' : model },
      adapter === null ? 'it is the folder model' : `it is ${model}, and the adapter the folder ${adapter}`,
    ),
  thinking: ({ config }) =>
    same({ 'data.apply_chat_template_kwargs': { enable_thinking: config.thinking === 'on' } }),
  loraRank: ({ config, adapter }) =>
    where(
      config.loraRank > 0,
      same({
        [`${MODEL}.lora_rank`]: config.loraRank,
        ...(adapter !== null && { [`${MODEL}.lora_adapter_path`]: `\${handoff}/${adapter}` }),
        [`${ROLLOUT}.load_format`]: 'safetensors',
      }),
    ),
  loraTargets: ({ config }) => same({ [`${MODEL}.target_modules`]: [...config.loraTargets] }),

  problemsPerStep: (run) => batchOf(run, { 'data.train_batch_size': run.problems }),
  topK: orOff(`${ROLLOUT}.top_k`, -1),

  numSubsteps: idle,
  miniBatchSize(run) {
    const problems = problemsOfUpdate(run);
    const fields = {
      [`${ACTOR}.ppo_mini_batch_size`]: problems ?? run.problems,
      [`${ACTOR}.shuffle`]: run.config.miniBatchSize > 0,
    };
    if (problems === null)
      return none('an update has the answers to whole problems there; a batch makes one update', fields);
    return run.updates > run.config.ppoEpochs
      ? other(
          fields,
          'an update has so many problems with all of their answers there, and so many answers here',
        )
      : same(fields);
  },

  loss,
  lossReduction,
  clipLow: ({ clip: { low } }) => same({ [`${ACTOR}.clip_ratio_low`]: low, [`${ACTOR}.clip_ratio`]: low }),
  clipHigh: ({ clip }) => same({ [`${ACTOR}.clip_ratio_high`]: clip.high }),
  // verl's own is 3: a run without one gets a bound that nothing reaches.
  clipDelta: orOff(`${ACTOR}.clip_ratio_c`, OPEN),
  ratioLevel({ config }) {
    if (config.ratioLevel !== 'sequence') return idle;
    return BY_TOKENS.includes(config.loss)
      ? none(`there is no ratio of the answer under ${config.loss} there`)
      : same({});
  },
  oldLogprobs({ config }) {
    const fields = { 'algorithm.rollout_correction.bypass_mode': false };
    return config.oldLogprobs === 'trainer'
      ? same(fields)
      : other(
          fields,
          'new probabilities are compared with the actor’s of before, because what vLLM says is another model’s; bypass_mode=true takes the sampler’s',
        );
  },
  importanceMode: idle,
  importanceCap,
  entropyCoef: ({ config }) =>
    other(
      { [`${ACTOR}.entropy_coeff`]: config.entropyCoef },
      'it is averaged as the loss is there, and over tokens here',
    ),

  baseline,
  valueRate: ({ config }) => same({ 'critic.optim.lr': config.learningRate * config.valueRate }),
  valueClip: orOff('critic.cliprange_value', OPEN),
  advantageScale,

  klReference: other(
    {},
    'KL is measured from the model that is handed over, or under LoRA from the base, and here from the reference of the run',
  ),
  ...all(RENEWAL, none('the reference stays there')),
  klBeta({ config: { klBeta } }) {
    const used = klBeta > 0;
    return same({ [`${ACTOR}.use_kl_loss`]: used, ...(used && { [`${ACTOR}.kl_loss_coef`]: klBeta }) });
  },
  klEstimator: ({ config }) =>
    same({ [`${ACTOR}.kl_loss_type`]: config.klEstimator === 'k2' ? 'mse' : 'low_var_kl' }),
  klBiasCorrection: ({ config }) =>
    where(
      config.klBeta > 0 && config.klBiasCorrection,
      none('the estimate is not multiplied by the ratio there'),
    ),

  lrSchedule,
  warmupSteps: ({ config, step }) =>
    where(
      config.warmupSteps > step,
      other(
        { [`${ACTOR}.optim.lr_warmup_steps`]: config.warmupSteps - step },
        'its first update is at rate 0 there, and from the hand-over on',
      ),
    ),
  adamBeta1: ({ config }) => same({ [`${ACTOR}.optim.betas`]: [config.adamBeta1, config.adamBeta2] }),
  adamBeta2: same({}),
  adamEps: ({ config }) => same({ [`${ACTOR}.optim.override_optimizer_config`]: { eps: config.adamEps } }),
  weightDecay: (run) => decay(run, `${ACTOR}.optim.weight_decay`),
  clipNorm: orOff(`${ACTOR}.grad_clip`, OPEN),

  numSteps: ({ stepsLeft }) => other({ 'trainer.total_training_steps': stepsLeft }, FROM_HANDOVER),
  saveSteps: orOff('trainer.save_freq', -1),
  evalEvery: orOff('trainer.test_freq', -1),
  evalTemperature: ({ config }) =>
    same({
      [`${ROLLOUT}.val_kwargs.temperature`]: config.evalTemperature,
      [`${ROLLOUT}.val_kwargs.do_sample`]: config.evalTemperature > 0,
    }),
  ...columnOf('verl'),
};
