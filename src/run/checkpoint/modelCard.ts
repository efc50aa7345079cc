/** The README.md that travels with a checkpoint. */
import { grouped } from '../../base/text.ts';
import { adapterParameterCount, loraScale } from '../../model/lora.ts';
import { parameterCount } from '../../model/parameters.ts';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import type { LoadedModel } from '../../hub/types.ts';
import type { AdapterParts, CheckpointParts } from './checkpointParts.ts';

const ADAPTER_ALONE = 'the LoRA adapter that was trained, as PEFT reads it';
const IN_PYTHON =
  ' In Python, unzip it and call\n`AutoModelForCausalLM.from_pretrained(folder, dtype="float32")`.';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** By name, what each file is. */
const FILES: Readonly<Record<string, string>> = {
  'config.json, generation_config.json, tokenizer*.json':
    "the model's, as the run began with them; config.json holds the run's settings under rl_playground.run",
  'model.safetensors': 'the trained weights, F32, Hugging Face names and layout',
  'adapter/':
    'the LoRA adapter that was trained, as PEFT reads it; model.safetensors is base/ with it merged in',
  'base_model.json': 'which model the adapter belongs to, by its name and the hash of its weights',
  'base/': 'the model that the adapter belongs to, as it was before the run; its tokenizer is the one above',
  'optimizer.safetensors': 'AdamW moments of each trained tensor, in its layout',
  'reference.safetensors': 'the weights at the start of the run, which KL is measured against',
  'trainer_state.json': 'step, policy version, moving baseline, seed',
  'metrics.jsonl': 'one line per step',
  'eval_results/': 'evaluations with their samples',
};

function evaluationTable(evaluations: readonly EvalResult[]): string {
  if (evaluations.length === 0) return 'No evaluation was made.\n';
  const rows = evaluations.map(
    ({ step, accuracy, format, n, temperature }) =>
      `| ${step} | ${percent(accuracy)} | ${percent(format)} | ${n} | ${temperature} |`,
  );
  return ['| step | accuracy | format | problems | temperature |', '|---|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

/** What PEFT's merge does to a base that this checkpoint only names. */
function tiedHeadNote({ config }: LoadedModel, { settings, base }: AdapterParts): string {
  if (base !== null || !config.tiedHead || !settings.targets.includes('lm_head')) return '';
  return `
The base's head is its embedding, and \`merge_and_unload\` would change that, too, which was not trained. Use the adapter unmerged, or
give the base a head of its own first (\`tie_word_embeddings\` false and a copy of the embedding as \`lm_head.weight\`).
`;
}

/** What was trained of the model, where it was not all of it; a paragraph or nothing. */
function adapterParagraph({ model, adapter }: CheckpointParts): string {
  if (adapter === null) return '';
  const { settings } = adapter;
  const count = grouped(adapterParameterCount(model.config, settings));
  const ofBase =
    adapter.base === null
      ? `It belongs to ${model.name} as base_model.json\ndescribes it, whose weights were not changed and are here only if there is a folder base/; else put that model there. `
      : '';
  return `
Trained was a LoRA adapter of ${count} parameters on ${settings.targets.join(', ')}: rank ${settings.rank}, α ${settings.alpha}, so that
its product counts ${Number(loraScale(settings).toPrecision(4))} times. ${ofBase}For the adapter alone, unzip, go to the folder and call
\`PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained("base", dtype="float32"), "adapter")\`.
${tiedHeadNote(model, adapter)}`;
}

/**
 * A short model card: what was trained, how it evaluated, which file is what, how to go on. `names` are the files in
 * the archive; what is not among them is not listed.
 */
export function modelCard(parts: CheckpointParts, names: Iterable<string>): string {
  const { model, runConfig, trainerState } = parts;
  const present = [...names];
  const merged = present.includes('model.safetensors');
  const listed = Object.entries(merged ? FILES : { ...FILES, 'adapter/': ADAPTER_ALONE }).filter(([name]) =>
    name.split(', ').some((one) => present.some((file) => file.startsWith(one.split('*')[0] ?? one))),
  );
  const settings =
    runConfig === null
      ? ''
      : `## Settings\n\nFrom config.json, rl_playground.run:\n\n\`\`\`json\n${JSON.stringify(runConfig, null, 2)}\n\`\`\`\n\n`;
  const steps = trainerState === null ? '' : ` after ${trainerState.step} steps, seed ${trainerState.seed}`;
  return `---
library_name: transformers
pipeline_tag: text-generation
tags:
  - reinforcement-learning
---

# ${model.name}: a checkpoint of RL Playground

A ${model.config.modelType} model with ${grouped(parameterCount(model.config))} parameters${steps}, trained in a browser tab.
${adapterParagraph(parts)}
## Evaluation

${evaluationTable(parts.evaluations)}
Problems are held out from training. Format is the share of answers that carry the literal tag.

${settings}## Files

${listed.map(([name, what]) => `- ${name}: ${what}`).join('\n')}

Drop the zip on RL Playground to look at the run or go on with it.${merged ? IN_PYTHON : ''}
`;
}
