/** The README.md of a model that is taken elsewhere. */
import { grouped } from '@rl-playground/base/text';
import { parameterCount } from '@rl-playground/engine/parts';
import * as card from '../checkpoint/cardSections.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import type { ExportFormat } from './exportTypes.ts';

/** The folder of an ONNX model has a README of its own. */
type CardFormat = Exclude<ExportFormat, 'onnx'>;

const LIBRARY = { merged: 'transformers', peft: 'peft', gguf: 'gguf' } as const;

/** The lines that load the files beside the card. */
function loading({ model }: CheckpointParts, format: CardFormat): string {
  const base = JSON.stringify(model.origin?.name ?? model.name);
  const commit = model.origin?.commit ?? null;
  const revision = commit === null ? '' : `, revision=${JSON.stringify(commit)}`;
  switch (format) {
    case 'merged':
      return `\`\`\`python
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained(folder, dtype="auto")
tokenizer = AutoTokenizer.from_pretrained(folder)
\`\`\``;
    case 'peft':
      return `\`\`\`python
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

base = AutoModelForCausalLM.from_pretrained(${base}${revision}, dtype="auto")
tokenizer = AutoTokenizer.from_pretrained(${base}${revision})
model = PeftModel.from_pretrained(base, folder)
\`\`\``;
    case 'gguf':
      return `\`\`\`sh
llama-cli -m model.gguf                      # merged
llama-cli -m BASE.gguf --lora adapter.gguf   # the adapter, beside a GGUF of its base
\`\`\``;
  }
}

/** The account of how the base was trained, if it was. */
function trainingText({ model, adapter, runConfig, trainerState }: CheckpointParts): string {
  const changed = adapter && card.adapterText(model, adapter.settings);
  if (runConfig !== null || trainerState !== null)
    return `Trained by reinforcement: ${changed ?? 'all of its weights'}.`;
  return changed === null ? 'It was not trained here.' : `Not trained here: ${changed}.`;
}

/** Base, task, seed, steps, accuracy before and after, settings that differ, and how to load it. `types` says how the weights are stored. */
export function exportCard(parts: CheckpointParts, format: CardFormat, types = ''): string {
  const { model, adapter, runConfig, evaluations } = parts;
  const isAdapter = format === 'peft';
  return `${card.frontMatter(model, LIBRARY[format], isAdapter ? 'adapter' : 'finetune')}
# ${model.origin?.name ?? model.name}, from RL Playground

${isAdapter ? 'A LoRA adapter for' : 'Made from'} ${card.baseText(model)}, a ${model.config.modelType} model with ${grouped(parameterCount(model.config))}
parameters${card.runText(parts)}. ${trainingText(parts)}
${isAdapter && adapter ? card.tiedHeadNote(model, { ...adapter, base: null }) : ''}
${card.evaluationSection(evaluations)}
${card.settingsSection(runConfig)}
## Use

${types === '' ? '' : `${types}\n\n`}${loading(parts, format)}
`;
}
