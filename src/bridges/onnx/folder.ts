/** The folder of a model that transformers.js loads: `onnx/model.onnx`, its configs and its tokenizer. */
import {
  parseJsonObject,
  openBytes,
  type LoadedModel,
  type OpenFile,
  parameterCount,
} from '@rl-playground/engine/parts';
import { jsonBytes } from '@rl-playground/base/json';
import { grouped } from '@rl-playground/base/text';

const FOLDER = 'onnx';
/** The files that go along with the model: configs, tokenizer, licence. */
const KEPT =
  /^(config|generation_config|tokenizer(_config)?|special_tokens_map|added_tokens|vocab)\.json$|^merges\.txt$|\.model$|^(LICENSE|NOTICE)/;

/** A `config.json` from which transformers.js takes full precision, for else it asks for 8-bit weights on wasm, and the number of files of data. */
export function withPrecision(config: object, dataFiles = 0): object {
  const outside = dataFiles > 0 ? { use_external_data_format: dataFiles } : {};
  return { ...config, 'transformers.js_config': { dtype: 'fp32', ...outside } };
}

/**
 * Files by path; `onnx` are those of the exported model. The tokenizer's files are the model's own. The configs state what
 * transformers.js would otherwise have to be told: full precision, the stop tokens, the chat template.
 */
export function onnxFolder(model: LoadedModel, onnx: ReadonlyMap<string, OpenFile>): Map<string, OpenFile> {
  const files = new Map([...model.sideFiles].filter(([name]) => KEPT.test(name)));
  const object = (name: string): object => {
    const bytes = files.get(name);
    return bytes === undefined ? {} : parseJsonObject(bytes, name, model.name);
  };

  files.set('config.json', jsonBytes(withPrecision(object('config.json'), onnx.size - 1)));
  files.set(
    'generation_config.json',
    jsonBytes({
      pad_token_id: model.tokenizer.padTokenId,
      eos_token_id: [...model.stopTokenIds],
      ...object('generation_config.json'),
    }),
  );
  const template = model.sideFiles.get('chat_template.jinja');
  if (template !== undefined) {
    const chatTemplate = { chat_template: new TextDecoder().decode(template) };
    files.set('tokenizer_config.json', jsonBytes({ ...object('tokenizer_config.json'), ...chatTemplate }));
  }
  files.set('README.md', new TextEncoder().encode(onnxReadme(model)));
  const all = new Map([...files].map(([name, bytes]) => [name, openBytes(bytes)]));
  for (const [name, file] of onnx) all.set(`${FOLDER}/${name}`, file);
  return all;
}

/** The README of the folder, with an example that runs the model. */
export function onnxReadme({ name, config }: LoadedModel): string {
  return `---
library_name: transformers.js
pipeline_tag: text-generation
---

# ${name}, as ONNX

A ${config.modelType} model with ${grouped(parameterCount(config))} parameters, exported by RL Playground
for [transformers.js](https://huggingface.co/docs/transformers.js). Serve this folder as \`models/my-model\` beside a page:

\`\`\`js
import { env, pipeline } from '@huggingface/transformers';

env.allowLocalModels = true;
env.allowRemoteModels = false;
env.localModelPath = 'models/';
const generator = await pipeline('text-generation', 'my-model', { device: 'wasm' });
const messages = [{ role: 'user', content: 'What is 1 + 2?' }];
const [{ generated_text: chat }] = await generator(messages, { max_new_tokens: 64, do_sample: false });
console.log(chat.at(-1).content);
\`\`\`

With \`device: 'webgpu'\` it runs on the GPU. \`onnx/model.onnx\` also loads in onnxruntime elsewhere. Its inputs are
\`input_ids\`, \`attention_mask\` and \`position_ids\` (all int64), \`num_logits_to_keep\` (how many of the last positions get logits,
0 for all) and the cache \`past_key_values.N.key\` and \`.value\` [batch, key-value heads, past length, head size], empty at
first; its outputs are \`logits\` and the cache to feed next, \`present.N.key\` and \`.value\`. Batches are padded on the left.
`;
}
