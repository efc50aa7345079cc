/** The README.md beside an exported model. */
import { grouped } from '../../base/text.ts';
import { parameterCount } from '../../model/parameters.ts';
import type { LoadedModel } from '../types.ts';

/** What the folder is and how to run it. */
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
