/** Reads the loss, the advantages and the reference of a TRL configuration. */
import { quoted } from '@rl-playground/base/valueSchemas';
import { IMPORTANCE_MODES, ownReduction } from '@rl-playground/engine/parts';
import type { Account, KeyReader } from './reader.ts';

const LOSSES = ['dapo', 'grpo', 'bnpo', 'dr_grpo', 'cispo', 'sapo', 'luspo', 'vespo'] as const;

/** Reads the loss. `whole`: the file states a whole run, and what it leaves out is TRL's own. */
export function readLoss(
  reader: KeyReader,
  account: Account,
  whole: boolean,
): (typeof LOSSES)[number] | undefined {
  const loss = reader.choice('loss_type', LOSSES);
  if (loss !== undefined) {
    reader.put('loss_type', 'loss', loss);
    account.set('lossReduction', ownReduction(loss, 'epsilon'), null);
  }
  readClipping(reader, account, loss);
  const level = reader.choice('importance_sampling_level', ['token', 'sequence']);
  if (loss === 'vespo')
    reader.idle('importance_sampling_level', level, 'VESPO has a ratio of the whole answer in any case');
  else reader.put('importance_sampling_level', 'ratioLevel', level);
  reader.putNumbers([
    ['sapo_temperature_pos', 'sapoTemperaturePositive', 0.001, 100],
    ['sapo_temperature_neg', 'sapoTemperatureNegative', 0.001, 100],
    ['vespo_k_pos', 'vespoKPositive', 0.001, 100],
    ['vespo_lambda_pos', 'vespoLambdaPositive', 0.001, 100],
    ['vespo_k_neg', 'vespoKNegative', 0.001, 100],
    ['vespo_lambda_neg', 'vespoLambdaNegative', 0.001, 100],
    ['off_policy_mask_threshold', 'offPolicyThreshold', 0, 100],
    ['top_entropy_quantile', 'topEntropyQuantile', 0, 1],
    ['entropy_coef', 'entropyCoef', 0, 10],
  ]);
  readCorrection(reader, account, whole);
  reader.put('mask_truncated_completions', 'maskTruncated', reader.flag('mask_truncated_completions'));
  readAdvantages(reader);
  return loss;
}

function readClipping(reader: KeyReader, account: Account, loss: (typeof LOSSES)[number] | undefined): void {
  const low = reader.number('epsilon', { min: 0, max: 1000 });
  // Without any, TRL's ε of 0.2 is also CISPO's cap.
  const usual = loss === 'cispo' ? 0.2 : undefined;
  const high = reader.number('epsilon_high', { min: 0, max: 1000 }) ?? low ?? usual;
  if (low !== undefined || high !== undefined) account.set('clipMeaning', 'epsilon', null);
  if (low !== undefined && low > 1)
    account.replaced.push(
      `Clipping: 1 below instead of epsilon ${low}; no ratio is below 0, so neither of them clips anything there.`,
    );
  reader.put('epsilon', 'clipLow', low === undefined ? undefined : Math.min(1, low));
  reader.put(reader.has('epsilon_high') ? 'epsilon_high' : 'epsilon', 'clipHigh', high);
  reader.putNumbers([['delta', 'clipDelta', 0, 1000]]);
}

/** TRL's own cap, if a file gives none. */
const CAP = 3;

/** Reads the correction for the probabilities that vLLM samples by, which is on if vLLM is. Here it is one for this page's own generators. */
function readCorrection(reader: KeyReader, account: Account, whole: boolean): void {
  const vllm = reader.flag('use_vllm');
  const wanted = reader.flag('vllm_importance_sampling_correction');
  const mode = reader.choice('vllm_importance_sampling_mode', IMPORTANCE_MODES);
  const bounds = { min: 0, max: 1000 };
  const floor = reader.number('vllm_importance_sampling_clip_min', bounds);
  const deprecated = reader.number('vllm_importance_sampling_cap', bounds);
  const given = reader.number('vllm_importance_sampling_clip_max', bounds);
  const uncapped = reader.isNull('vllm_importance_sampling_clip_max') && deprecated === undefined;
  const asked = [mode, floor, deprecated, given].some((value) => value !== undefined);
  if (vllm === true)
    account.replaced.push('Sampling: this page’s own generators instead of vLLM (use_vllm).');
  if (wanted === false || vllm === false || (vllm === undefined && (whole || !asked))) {
    const reason = wanted === false ? 'vllm_importance_sampling_correction is off' : 'use_vllm is not on';
    if (wanted !== false) reader.idle('vllm_importance_sampling_correction', wanted, reason);
    reader.idle('vllm_importance_sampling_mode', mode, reason);
    reader.idle('vllm_importance_sampling_clip_min', floor, reason);
    reader.idle('vllm_importance_sampling_cap', deprecated, reason);
    reader.idle('vllm_importance_sampling_clip_max', given, reason);
    if (vllm !== undefined || wanted !== undefined) {
      account.set('importanceCap', 0, null);
      account.set('importanceFloor', 0, null);
    }
    return;
  }
  if (uncapped && floor === undefined)
    return reader.refuse(
      'vllm_importance_sampling_clip_max',
      'null leaves the weights without any bound, which there is not here; give vllm_importance_sampling_clip_max or vllm_importance_sampling_clip_min.',
    );
  account.set('oldLogprobs', 'trainer', null);
  reader.put('vllm_importance_sampling_mode', 'importanceMode', mode ?? 'sequence_mask');
  const capKey =
    deprecated === undefined ? 'vllm_importance_sampling_clip_max' : 'vllm_importance_sampling_cap';
  reader.put(capKey, 'importanceCap', uncapped ? 0 : (deprecated ?? given ?? CAP));
  reader.put('vllm_importance_sampling_clip_min', 'importanceFloor', floor ?? 0);
}

function readAdvantages(reader: KeyReader): void {
  const scaled = reader.value('scale_rewards');
  if (scaled !== undefined) {
    const word = scaled === true ? 'group' : scaled === false ? 'none' : scaled;
    if (word === 'group' || word === 'batch' || word === 'none')
      reader.put('scale_rewards', 'advantageScale', word);
    else
      reader.refuse(
        'scale_rewards',
        `${quoted(scaled)} does not exist; choose one of: group, batch, none, true, false.`,
      );
  }
  const ways = ['sum_then_normalize', 'normalize_then_sum'] as const;
  reader.put(
    'multi_objective_aggregation',
    'rewardAggregation',
    reader.choice('multi_objective_aggregation', ways),
  );
}

/** Reads the reference. `updates` are those of a step here, because TRL's steps are updates. */
export function readReference(reader: KeyReader, account: Account, updates: number): void {
  const beta = reader.number('beta', { min: 0, max: 10 });
  reader.put('beta', 'klBeta', beta);
  const weighed = reader.flag('use_bias_correction_kl');
  reader.put('use_bias_correction_kl', 'klBiasCorrection', weighed);
  if (beta !== undefined && beta > 0 && weighed === undefined) {
    account.set('klBiasCorrection', true, null);
    account.replaced.push(
      'KL: the estimate of each token is weighed by the ratio to the old policy, as TRL does where use_bias_correction_kl is not given; false is GRPO’s own.',
    );
  }
  const synced = reader.flag('sync_ref_model');
  const every = reader.number('ref_model_sync_steps', { min: 1, max: 100_000, whole: true });
  const mixup = reader.number('ref_model_mixup_alpha', { min: 0, max: 1 });
  if (synced === true) {
    reader.put('sync_ref_model', 'klReference', 'past');
    reader.put('ref_model_sync_steps', 'klReferenceEvery', Math.ceil((every ?? SYNC_STEPS) / updates));
    reader.put('ref_model_mixup_alpha', 'klReferenceMixup', mixup ?? MIXUP);
  } else {
    reader.idle('ref_model_sync_steps', every, 'sync_ref_model is not on');
    reader.idle('ref_model_mixup_alpha', mixup, 'sync_ref_model is not on');
  }
}

/** TRL's own value. */
const SYNC_STEPS = 512;
const MIXUP = 0.6;
