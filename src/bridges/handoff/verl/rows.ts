/** Every setting as verl's `ppo_trainer` configuration has it (0.10.0.dev). */
import type { Reduction } from '@rl-playground/engine/parts';
import { COMMON } from '../settings/common.ts';
import {
  all,
  batchOf,
  decay,
  idle,
  importance,
  none,
  OPEN,
  other,
  RENEWAL,
  rowsOf,
  same,
  VESPO,
  where,
  type Fate,
  type HandoffRun,
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
  const { config, updates } = run;
  const fields = { [`${ACTOR}.policy_loss.loss_mode`]: lossMode(run) };
  if (config.loss === 'vespo')
    return none('verl has no VESPO; the clipped loss stands in, whose clip nothing reaches', fields);
  if (config.loss === 'reinforce' && updates > 1)
    return other(
      fields,
      'the clipped loss without a clip: behind the first update of a batch its ratio is not 1',
    );
  return same(fields);
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

function clip({ config, clip: bounds }: HandoffRun): { low: number; high: number } {
  if (bounds !== null) return bounds;
  if (config.loss !== 'cispo') return { low: 1, high: OPEN };
  return config.clipMeaning === 'epsilon'
    ? { low: 1, high: config.clipHigh - 1 }
    : { low: 1 - config.clipLow, high: config.clipHigh - 1 };
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
      return none('the mean of the group is subtracted there', { [ESTIMATOR]: 'grpo' });
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
      return other(
        { [field]: 'cosine' },
        'it falls from its full value over the steps that are left, and here from where it stands',
      );
    case 'linear':
      return none('there is no linear schedule for FSDP there: the rate stays', { [field]: 'constant' });
  }
}

/** Losses whose ratio is of each token, whatever is asked for. */
const BY_TOKENS: readonly string[] = ['cispo', 'sapo', 'dro', 'vespo'];

export const VERL_ROWS = rowsOf({
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
  loraAlpha: `${MODEL}.lora_alpha`,
  loraTargets: ({ config }) => same({ [`${MODEL}.target_modules`]: [...config.loraTargets] }),

  problemsPerStep: (run) => batchOf(run, { 'data.train_batch_size': run.problems }),
  rolloutsPerProblem: `${ROLLOUT}.n`,
  temperature: `${ROLLOUT}.temperature`,
  topP: `${ROLLOUT}.top_p`,
  topK: ({ config }) => same({ [`${ROLLOUT}.top_k`]: config.topK > 0 ? config.topK : -1 }),
  minP: ({ config }) => where(config.minP > 0, none('verl’s rollout has no min-p')),
  repetitionPenalty: ({ config }) =>
    where(config.repetitionPenalty !== 1, none('verl’s rollout has no repetition penalty')),
  maxTokens: 'data.max_response_length',

  schedule: ({ config }) =>
    where(config.schedule !== 'sync', none('sampling and training take turns in main_ppo')),
  numMinibatches: none('nothing is streamed in main_ppo'),
  maxStepsOffPolicy: none('answers are of the newest weights in main_ppo'),
  numSubsteps: idle,
  ppoEpochs: `${ACTOR}.ppo_epochs`,
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
  clipLow: (run) =>
    same({ [`${ACTOR}.clip_ratio_low`]: clip(run).low, [`${ACTOR}.clip_ratio`]: clip(run).low }),
  clipHigh: (run) => same({ [`${ACTOR}.clip_ratio_high`]: clip(run).high }),
  // verl's own is 3: a run without one gets a bound that nothing reaches.
  clipDelta: ({ config }) =>
    same({ [`${ACTOR}.clip_ratio_c`]: config.clipDelta > 0 ? config.clipDelta : OPEN }),
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
  importanceFloor: ({ config }) =>
    where(config.importanceFloor > 0, none('there is no lower bound on these weights there')),
  importanceCap,
  offPolicyThreshold: ({ config }) => where(config.offPolicyThreshold > 0, none('verl has no such mask')),
  topEntropyQuantile: ({ config }) =>
    where(config.topEntropyQuantile < 1, none('all tokens are learned from there')),
  entropyCoef({ config }) {
    const fields = { [`${ACTOR}.entropy_coeff`]: config.entropyCoef };
    return config.entropyCoef > 0
      ? other(fields, 'it is averaged as the loss is there, and over tokens here')
      : same(fields);
  },
  droBeta: ({ config }) =>
    where(config.loss === 'dro', same({ [`${ACTOR}.policy_loss.dro_beta`]: config.droBeta })),
  sapoTemperaturePositive: ({ config }) =>
    where(config.loss === 'sapo', same({ [`${ACTOR}.tau_pos`]: config.sapoTemperaturePositive })),
  sapoTemperatureNegative: ({ config }) =>
    where(config.loss === 'sapo', same({ [`${ACTOR}.tau_neg`]: config.sapoTemperatureNegative })),
  ...all(VESPO, none('verl has no VESPO')),

  baseline,
  gaeGamma: 'algorithm.gamma',
  gaeLambda: 'algorithm.lam',
  valueCoef: none('the critic has weights of its own there'),
  valueRate: ({ config }) => same({ 'critic.optim.lr': config.learningRate * config.valueRate }),
  valueClip: ({ config }) =>
    same({ 'critic.cliprange_value': config.valueClip > 0 ? config.valueClip : OPEN }),
  advantageScale,
  removeConstantGroups: ({ config }) =>
    where(
      config.removeConstantGroups,
      none(
        'groups of equal rewards stay in the batch (algorithm.filter_groups samples others in their place)',
      ),
    ),

  klReference: ({ config }) =>
    where(
      config.klBeta > 0,
      other(
        {},
        'KL is measured from the model that is handed over, or under LoRA from the base, and here from the reference of the run',
      ),
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
  klPenaltyCoef: none(
    'verl’s use_kl_in_reward takes the penalty off each token’s reward, and centres nothing',
  ),
  klDiscountFactor: ({ config }) => where(config.klDiscountFactor > 0, none('see kl_penalty_coef')),

  learningRate: `${ACTOR}.optim.lr`,
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
  clipNorm: ({ config }) => same({ [`${ACTOR}.grad_clip`]: config.clipNorm > 0 ? config.clipNorm : OPEN }),

  numSteps: ({ stepsLeft }) =>
    other({ 'trainer.total_training_steps': stepsLeft }, 'counted from the hand-over on'),
  saveSteps: ({ config }) => same({ 'trainer.save_freq': config.saveSteps > 0 ? config.saveSteps : -1 }),
  evalSamples: ({ heldOut }) =>
    other({}, `the ${heldOut} rows of eval.parquet, of which the mean reward is measured`),
  evalEvery: ({ config }) => same({ 'trainer.test_freq': config.evalEvery > 0 ? config.evalEvery : -1 }),
  evalTemperature: ({ config }) =>
    same({
      [`${ROLLOUT}.val_kwargs.temperature`]: config.evalTemperature,
      [`${ROLLOUT}.val_kwargs.do_sample`]: config.evalTemperature > 0,
    }),
});
