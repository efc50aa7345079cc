/** Reads the loss and the reference of a TRL configuration. */
import { IMPORTANCE_MODES, ownReduction } from '@rl-playground/engine/parts';
import { words, type KeyReader } from './reader.ts';

const LOSSES = ['dapo', 'grpo', 'bnpo', 'dr_grpo', 'cispo', 'sapo', 'luspo', 'vespo'] as const;

/** `whole` says that the file states a whole run, so that what it leaves out is TRL's own. */
export function readLoss(reader: KeyReader, whole: boolean): (typeof LOSSES)[number] | undefined {
  const loss = reader.choice('loss_type', LOSSES);
  if (loss !== undefined) {
    reader.put('loss_type', 'loss', loss);
    reader.set('lossReduction', ownReduction(loss, 'epsilon'));
  }
  readClipping(reader, loss);
  if (loss === 'vespo' && reader.has('importance_sampling_level'))
    reader.ignore('importance_sampling_level', 'VESPO has a ratio of the whole answer in any case');
  readCorrection(reader, whole);
  return loss;
}

function readClipping(reader: KeyReader, loss: (typeof LOSSES)[number] | undefined): void {
  const low = reader.number('epsilon', { min: 0, max: 1000 });
  // Without any, TRL's ε of 0.2 is also CISPO's cap.
  const usual = loss === 'cispo' ? 0.2 : undefined;
  const high = reader.number('epsilon_high', { min: 0, max: 1000 }) ?? low ?? usual;
  if (low !== undefined || high !== undefined) reader.set('clipMeaning', 'epsilon');
  if (low !== undefined && low > 1)
    reader.note(
      `Clipping: 1 below instead of epsilon ${low}; no ratio is below 0, so neither of them clips anything there.`,
    );
  reader.put('epsilon', 'clipLow', low === undefined ? undefined : Math.min(1, low));
  reader.put(reader.has('epsilon_high') ? 'epsilon_high' : 'epsilon', 'clipHigh', high);
}

/** TRL's own cap. */
const CAP = 3;
const CORRECTION = words(`
  vllm_importance_sampling_mode vllm_importance_sampling_clip_min vllm_importance_sampling_cap
  vllm_importance_sampling_clip_max`);

/** Reads TRL's correction for what vLLM samples by, which is on where vLLM is. Here it is one for this page's own generators. */
function readCorrection(reader: KeyReader, whole: boolean): void {
  const vllm = reader.flag('use_vllm');
  const wanted = reader.flag('vllm_importance_sampling_correction');
  const asked = CORRECTION.some((key) => reader.has(key));
  if (vllm === true) reader.note('Sampling: this page’s own generators instead of vLLM (use_vllm).');
  if (wanted === false || vllm === false || (vllm === undefined && (whole || !asked))) {
    const reason = wanted === false ? 'vllm_importance_sampling_correction is off' : 'use_vllm is not on';
    if (wanted === true) reader.idle('vllm_importance_sampling_correction', wanted, reason);
    for (const key of CORRECTION) reader.idle(key, reader.value(key), reason);
    if (vllm !== undefined || wanted !== undefined) {
      reader.set('importanceCap', 0);
      reader.set('importanceFloor', 0);
    }
    return;
  }
  const mode = reader.choice('vllm_importance_sampling_mode', IMPORTANCE_MODES);
  const bounds = { min: 0, max: 1000 };
  const floor = reader.number('vllm_importance_sampling_clip_min', bounds);
  const deprecated = reader.number('vllm_importance_sampling_cap', bounds);
  const given = reader.number('vllm_importance_sampling_clip_max', bounds);
  const uncapped = reader.isNull('vllm_importance_sampling_clip_max') && deprecated === undefined;
  if (uncapped && floor === undefined)
    return reader.refuse(
      'vllm_importance_sampling_clip_max',
      'null leaves the weights without any bound, which there is not here; give vllm_importance_sampling_clip_max or vllm_importance_sampling_clip_min.',
    );
  reader.set('oldLogprobs', 'trainer');
  reader.put('vllm_importance_sampling_mode', 'importanceMode', mode ?? 'sequence_mask');
  const capKey =
    deprecated === undefined ? 'vllm_importance_sampling_clip_max' : 'vllm_importance_sampling_cap';
  reader.put(capKey, 'importanceCap', uncapped ? 0 : (deprecated ?? given ?? CAP));
  reader.put('vllm_importance_sampling_clip_min', 'importanceFloor', floor ?? 0);
}

/** `updates` is how many a step here has: TRL's steps are updates. */
export function readReference(reader: KeyReader, updates: number): void {
  const beta = reader.number('beta', { min: 0, max: 10 });
  reader.put('beta', 'klBeta', beta);
  const weighed = reader.flag('use_bias_correction_kl');
  reader.put('use_bias_correction_kl', 'klBiasCorrection', weighed);
  if (beta !== undefined && beta > 0 && weighed === undefined) {
    reader.set('klBiasCorrection', true);
    reader.note(
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

/** TRL's own values. */
const SYNC_STEPS = 512;
const MIXUP = 0.6;
