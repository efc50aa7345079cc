/** The files with which TRL goes on: script, configuration and commands beside model, data and reward. */
import { yamlText } from '../settings/texts.ts';
import trainScript from '../python/train.py?raw';
import { fatesOf, fieldsOf, type Fields, type HandoffRun, type TrainerFiles } from '../settings/fate.ts';
import FIXED from '../settings/fixed.json' with { type: 'json' };
import { TRL_ROWS } from './rows.ts';

/** Fields beside the settings of the run, by which TRL computes as this program does: in 32 bits, on rows in their order. */
export const TRL_FIXED: Fields = FIXED.trl;

/** The contents of `run.json`: what `train.py` needs that is no field of `GRPOConfig`. */
export function trainFacts(
  { config, step, updates, answers, reduction, model, adapter }: HandoffRun,
  modelRevision: string | null,
) {
  return {
    model,
    revision: modelRevision,
    adapter,
    reference: config.klBeta > 0 ? config.klReference : null,
    learning_rate: {
      peak: config.learningRate,
      kind: config.lrSchedule,
      warmup_steps: config.warmupSteps,
      total_steps: config.numSteps,
      steps_made: step,
      updates_per_step: updates,
    },
    // TRL has no plain sum: the loss that it divides by answers and longest length is multiplied by both.
    loss_scale: reduction === 'sum' ? (answers / updates) * config.ppoEpochs * config.maxTokens : 1,
    optimizer: 'optimizer.safetensors',
  };
}

const commandsOf = ({
  packages,
}: HandoffRun): string => `pip install ${['"trl>=1.13" "transformers>=5.18" accelerate datasets safetensors PyYAML peft', ...packages].join(' ')}
accelerate launch train.py                  # every GPU of the machine; the answers of an update are shared among them
pip install "trl[vllm]" && accelerate launch train.py --vllm      # vLLM samples, on the same GPUs
accelerate launch train.py --set bf16=true gradient_checkpointing=true vllm_gpu_memory_utilization=0.4`;

const NOTES: readonly string[] = [
  'AdamW’s moments are put into `optimizer.state` by the names of their parameters before the first update (not under DeepSpeed or FSDP, which share them out).',
  'The learning rate is this run’s own formula from the step that it has reached; transformers’ schedulers begin a warm-up at 0.',
  '`bf16` and `gradient_checkpointing` are off, as this program computes: TRL’s own defaults are on. `--set bf16=true` changes every number a little.',
  'TRL’s steps are updates.',
];

export function trlFiles(run: HandoffRun, revision: string | null): TrainerFiles {
  const fates = fatesOf(TRL_ROWS, run);
  const notes = [
    ...NOTES,
    ...(run.config.klBeta > 0
      ? [
          'The reference is `reference.safetensors`, loaded in place of the folder that TRL starts from; without that file it is the base under the adapter.',
        ]
      : []),
    ...(run.adapter === null ? [] : ['The adapter goes on as PEFT’s, beside its base.']),
  ];
  const texts = new Map([
    ['train.py', trainScript],
    ['config.yaml', yamlText(fieldsOf(fates, TRL_FIXED))],
    ['run.json', `${JSON.stringify({ ...trainFacts(run, revision), tokenizer: run.model }, null, 2)}\n`],
  ]);
  return { texts, fates, notes, commands: commandsOf(run) };
}
