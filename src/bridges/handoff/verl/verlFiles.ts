/** The files with which verl goes on: one configuration over its `ppo_trainer`, and the command, beside model, data and reward. */
import { fatesOf, fieldsOf, type Fields, type HandoffRun, type TrainerFiles } from '../settings/fate.ts';
import { nested, yamlText } from '../settings/texts.ts';
import FIXED from '../settings/fixed.json' with { type: 'json' };
import { VERL_ROWS } from './rows.ts';

/** Fields beside the settings of the run: rows in their order, vLLM, and a place for each file. */
export const verlFixed = ({ promptTokens }: HandoffRun): Fields => ({
  ...FIXED.verl,
  'data.max_prompt_length': promptTokens,
});

const commandsOf = ({
  packages,
}: HandoffRun): string => `pip install ${['"verl>=0.9" vllm', ...packages].join(' ')}
ray start --head                            # on the first machine; the others: ray start --address=HEAD:6379
python3 -m verl.trainer.main_ppo --config-path "$PWD" --config-name config handoff="$PWD" trainer.n_gpus_per_node=8`;

const HEADER = `# Over verl's own ppo_trainer. Paths are below the folder that "handoff" names, which every machine must see.
hydra:
  searchpath:
    - pkg://verl.trainer.config
defaults:
  - ppo_trainer
  - _self_
handoff: .
`;

const NOTES: readonly string[] = [
  'AdamW begins anew: verl takes no moments up. With them the first update would be this run’s; without, its length is another.',
  'verl’s own dual clip (`clip_ratio_c` 3.0) and weight decay (0.01) are written over with this run’s values.',
  'The actor computes in bfloat16 under FSDP’s mixed precision, and vLLM in bfloat16; here everything is in 32 bits.',
  '`reward.py` is told the text of an answer alone, and takes it for one that ended by itself: a task that pays for the ending pays cut answers, too.',
  'Each `ground_truth` is the JSON text that `reward.py` reads.',
];

export function verlFiles(run: HandoffRun): TrainerFiles {
  const fates = fatesOf(VERL_ROWS, run);
  const config = `${HEADER}${yamlText(nested(fieldsOf(fates, verlFixed(run))))}`;
  return { texts: new Map([['config.yaml', config]]), fates, notes: NOTES, commands: commandsOf(run) };
}
