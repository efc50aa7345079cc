/** The README.md that travels with a checkpoint. */
import { grouped } from '@rl-playground/base/text';
import { parameterCount, WEIGHT_FILES } from '@rl-playground/engine/parts';
import * as card from './cardSections.ts';
import type { CheckpointParts } from './checkpointParts.ts';

const ADAPTER_ALONE = 'the LoRA adapter that was trained, as PEFT reads it';
const IN_PYTHON =
  ' In Python, unzip it and call\n`AutoModelForCausalLM.from_pretrained(folder, dtype="float32")`.';

/** Each file's meaning by its name. */
const FILES: Readonly<Record<string, string>> = {
  'config.json, generation_config.json, tokenizer*.json':
    "the model's, as the run began with them; config.json holds the run's settings under rl_playground.run",
  [WEIGHT_FILES.single]: 'the trained weights, F32, Hugging Face names and layout',
  'adapter/':
    'the LoRA adapter that was trained, as PEFT reads it; model.safetensors is base/ with it merged in',
  'base_model.json': 'which model the adapter belongs to, by its name and the hash of its weights',
  'base/': 'the model that the adapter belongs to, as it was before the run; its tokenizer is the one above',
  'optimizer.safetensors': 'AdamW moments of each trained tensor, in its layout',
  'reference.safetensors': 'the weights at the start of the run, which KL is measured against',
  'value_head.safetensors':
    'the value head that foretells rewards from the last state, F32; the model is whole without it',
  'trainer_state.json': 'step, policy version, moving baseline, seed',
  'metrics.jsonl': 'one line per step',
  'eval_results/': 'evaluations with their samples',
};

/** A paragraph on the trained part of the model; empty if all of it was trained. */
function adapterParagraph({ model, adapter }: CheckpointParts): string {
  if (adapter === null) return '';
  const { settings } = adapter;
  const ofBase =
    adapter.base === null
      ? `It belongs to ${model.name} as base_model.json\ndescribes it, whose weights were not changed and are here only if there is a folder base/; else put that model there. `
      : '';
  return `
Trained was ${card.adapterText(model, settings)}. ${ofBase}For the adapter alone, unzip, go to the folder and call
\`PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained("base", dtype="float32"), "adapter")\`.
${card.tiedHeadNote(model, adapter)}`;
}

/**
 * A short model card: what was trained, how it evaluated, which file is what, how to go on. `names` are the files in
 * the archive; what is not among them is not listed.
 */
export function modelCard(parts: CheckpointParts, names: Iterable<string>): string {
  const { model, runConfig } = parts;
  const present = [...names];
  const merged = present.includes(WEIGHT_FILES.single);
  const listed = Object.entries(merged ? FILES : { ...FILES, 'adapter/': ADAPTER_ALONE }).filter(([name]) =>
    name.split(', ').some((one) => present.some((file) => file.startsWith(one.split('*')[0] ?? one))),
  );
  return `${card.frontMatter(model, 'transformers', 'finetune')}
# ${model.name}: a checkpoint of RL Playground

A ${model.config.modelType} model with ${grouped(parameterCount(model.config))} parameters${card.runText(parts)}, trained in a browser tab from
${card.baseText(model)}.
${adapterParagraph(parts)}
${card.evaluationSection(parts.evaluations)}
${card.settingsSection(runConfig)}
## Files

${listed.map(([name, what]) => `- ${name}: ${what}`).join('\n')}

Drop the zip on RL Playground to look at the run or go on with it.${merged ? IN_PYTHON : ''}
`;
}
