/** The files with which TRL continues: script, configuration and commands beside model, data and reward. */
import { yamlText } from '../settings/yamlText.ts';
import trainScript from '../python/train.py?raw';
import { fatesOf, fieldsOf, type Fates, type HandoffRun } from '../settings/fate.ts';
import { TRL_FIXED, trainFacts } from './config.ts';
import { TRL_ROWS } from './rows.ts';

export interface TrainerFiles {
  readonly texts: ReadonlyMap<string, string>;
  readonly fates: Fates;
  readonly notes: readonly string[];
  /** The shell commands that start it. */
  readonly commands: string;
}

const commandsOf = ({
  packages,
}: HandoffRun): string => `pip install ${['"trl>=1.13" "transformers>=5.18" accelerate datasets safetensors PyYAML peft', ...packages].join(' ')}
accelerate launch train.py                  # every GPU of the machine; the answers of an update are shared among them
pip install "trl[vllm]" && accelerate launch train.py --vllm      # vLLM samples, on the same GPUs
accelerate launch train.py --set bf16=true gradient_checkpointing=true vllm_gpu_memory_utilization=0.4`;

const NOTES: readonly string[] = [
  'AdamW’s moments are put into `optimizer.state` by the names of their parameters before the first update (not under DeepSpeed or FSDP, which share them out).',
  'The learning rate is this run’s own formula from the step where it stands; transformers’ schedulers begin a warm-up at 0.',
  '`bf16` and `gradient_checkpointing` are off, as this program computes: TRL’s own defaults are on. `--set bf16=true` changes every number a little.',
  'TRL’s steps are updates.',
];

export function trlFiles(run: HandoffRun, revision: string | null): TrainerFiles {
  const fates = fatesOf(TRL_ROWS, run);
  const { config, adapter } = run;
  const reference =
    config.klBeta > 0
      ? [
          'The reference is `reference.safetensors`, loaded in place of the folder that TRL starts from; without that file it is the base under the adapter.',
        ]
      : [];
  const texts = new Map([
    ['train.py', trainScript],
    ['config.yaml', yamlText(fieldsOf(fates, TRL_FIXED))],
    ['run.json', `${JSON.stringify({ ...trainFacts(run, revision), tokenizer: run.model }, null, 2)}\n`],
  ]);
  const loaded = adapter === null ? [] : ['The adapter goes on as PEFT’s, beside its base.'];
  return { texts, fates, notes: [...NOTES, ...reference, ...loaded], commands: commandsOf(run) };
}
