/**
 * `npm run pretrain`: builds the starter model from nothing. Tokenizer, random weights, then supervised training on
 * demonstrations that the tasks generate, by the project's own trainer on wasm. Deterministic from its seed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as tf from '../src/backend/tf.ts';
import { createTokenizer } from '../src/hub/tokenizer.ts';
import { parseModelConfig } from '../src/model/config.ts';
import { initialWeights } from '../src/model/initialize.ts';
import { LanguageModel } from '../src/model/languageModel.ts';
import { parameterCount } from '../src/model/parameters.ts';
import { ModelWeights } from '../src/model/weights.ts';
import { packMicrobatches } from '../src/rl/batch.ts';
import { evaluate } from '../src/rl/evaluate.ts';
import { negativeLogLikelihood } from '../src/rl/losses.ts';
import { Optimizer } from '../src/rl/optimizer.ts';
import { learningRateAt } from '../src/rl/schedule.ts';
import { demonstrationSequence } from '../src/rl/supervised.ts';
import { trainStep } from '../src/rl/trainer.ts';
import { createLocalPool } from '../src/rollout/localPool.ts';
import { TASKS } from '../src/tasks/index.ts';
import { drawsFor } from '../src/tasks/random.ts';
import { writeSafetensors } from '../src/hub/safetensors.ts';
import { startNodeBackend } from './nodeBackend.ts';
import { buildStarterTokenizer } from './starterTokenizer.ts';

const { values: args } = parseArgs({
  options: {
    seed: { type: 'string', default: '0' },
    steps: { type: 'string', default: '3000' },
    batch: { type: 'string', default: '64' },
    lr: { type: 'string', default: '3e-3' },
    hidden: { type: 'string', default: '64' },
    layers: { type: 'string', default: '3' },
    heads: { type: 'string', default: '4' },
    mlp: { type: 'string', default: '176' },
    out: { type: 'string', default: 'public/models/starter' },
    tasks: { type: 'string', default: 'sum_digits,reverse_digits' },
  },
});
const number = (name: keyof typeof args): number => Number(args[name]);

await startNodeBackend();
const { tokenizerJson, tokenizerConfig, vocabSize } = buildStarterTokenizer();
const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig });
const hfConfig = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_act: 'silu',
  hidden_size: number('hidden'),
  intermediate_size: number('mlp'),
  num_hidden_layers: number('layers'),
  num_attention_heads: number('heads'),
  num_key_value_heads: number('heads'),
  vocab_size: vocabSize,
  max_position_embeddings: 512,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  tie_word_embeddings: true,
  attention_bias: false,
  mlp_bias: false,
  bos_token_id: 1,
  eos_token_id: 2,
  pad_token_id: 0,
  torch_dtype: 'float32',
  rl_playground: { prompt_style: 'compact' },
};
const config = parseModelConfig(hfConfig);
const seed = number('seed');
const model = new LanguageModel(
  ModelWeights.fromHuggingFace(config, initialWeights(config, drawsFor(seed, 0x1417))),
  160,
);
console.log(`${parameterCount(config)} parameters`);
const optimizer = new Optimizer(model.weights, {
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
});
const pool = createLocalPool({ config, stopTokenIds: [2], positions: 160 });
const tasks = args.tasks.split(',').map((name) => TASKS[name as keyof typeof TASKS]);
const steps = number('steps');
const batch = number('batch');
let running = 0;
let time = performance.now();
for (let step = 1; step <= steps; step++) {
  const sequences = Array.from({ length: batch }, (_, i) => {
    const index = (step - 1) * batch + i;
    return demonstrationSequence(tasks[index % tasks.length]!, tokenizer, 'compact', seed + 1000, index);
  });
  const learningRate = learningRateAt(step, {
    peak: number('lr'),
    kind: 'linear',
    warmupSteps: 50,
    totalSteps: steps,
  });
  const statistics = await trainStep(packMicrobatches(sequences, 'token_mean', 4096), learningRate, {
    policy: model,
    reference: null,
    optimizer,
    temperature: 1,
    loss: negativeLogLikelihood,
    breathe: () => Promise.resolve(),
  });
  running += statistics.loss;
  if (step % 50 === 0) {
    console.log(
      step,
      'loss',
      (running / 50).toFixed(4),
      'grad',
      statistics.gradNorm.toFixed(3),
      ((performance.now() - time) / 50).toFixed(0),
      'ms/step',
      tf.memory().numTensors,
    );
    running = 0;
    time = performance.now();
  }
  if (step % 500 === 0 || step === steps) {
    await pool.setWeights(step, await model.weights.pack());
    for (const task of tasks)
      for (const temperature of [1, 0]) {
        const r = await evaluate(
          { task, tokenizer, promptStyle: 'compact', pool },
          { samples: 200, temperature, maxTokens: 96, seed: 0, rewardRule: 'tag_required' },
          step,
          () => performance.now(),
        );
        const stepsRight =
          r.samples.filter((s) =>
            task.name === 'sum_digits'
              ? new RegExp(` = ${s.answer}\\n`).test(s.text)
              : s.text.split('\n')[0]!.replace(/ /g, '').replace(/^0+/, '') === s.answer,
          ).length / r.n;
        console.log(
          step,
          task.name,
          'T',
          temperature,
          'acc',
          r.accuracy,
          'format',
          r.format,
          'steps right',
          stepsRight,
          `${r.seconds.toFixed(1)}s`,
        );
        if (step === steps)
          console.log(
            r.samples
              .slice(0, 3)
              .map((s) => `${s.question} -> ${s.text} [${s.answer}]`)
              .join('\n'),
          );
      }
    mkdirSync(args.out, { recursive: true });
    const write = (name: string, data: string | Uint8Array) => writeFileSync(join(args.out, name), data);
    write('config.json', JSON.stringify(hfConfig, null, 2));
    write('tokenizer.json', JSON.stringify(tokenizerJson));
    write('tokenizer_config.json', JSON.stringify(tokenizerConfig, null, 2));
    write(
      'generation_config.json',
      JSON.stringify({ bos_token_id: 1, eos_token_id: 2, pad_token_id: 0 }, null, 2),
    );
    write('model.safetensors', writeSafetensors(await model.weights.toHuggingFace()));
  }
}
