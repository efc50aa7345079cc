/** A starter model's files besides its weights: the config, and the words of its model card. */
import type { StarterRecipe } from './recipes.ts';

/** Hugging Face's `config.json` of a Llama model. */
export function starterConfig({ architecture }: StarterRecipe, vocabSize: number): object {
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    hidden_act: 'silu',
    hidden_size: architecture.hidden,
    intermediate_size: architecture.intermediate,
    num_hidden_layers: architecture.layers,
    num_attention_heads: architecture.heads,
    num_key_value_heads: architecture.heads,
    vocab_size: vocabSize,
    max_position_embeddings: architecture.maxPositions,
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
}

export const GENERATION_CONFIG = { bos_token_id: 1, eos_token_id: 2, pad_token_id: 0, do_sample: true };

/** The results of a starter on held-out problems of a task. */
export interface TaskResult {
  readonly task: string;
  /** The shares with one answer to each problem at temperature 1. */
  readonly sampled: { readonly accuracy: number; readonly format: number };
  readonly greedy: { readonly accuracy: number; readonly format: number };
  /** The share of problems that one of 8 draws solves. */
  readonly passAtK: number | undefined;
  readonly n: number;
}

export interface LossPoint {
  readonly step: number;
  readonly loss: number;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function resultRow({ task, sampled, greedy, passAtK, n }: TaskResult): string {
  const shares = [sampled.accuracy, greedy.accuracy, passAtK ?? NaN, sampled.format].map(percent);
  return `| ${[task, ...shares, n].join(' | ')} |`;
}

/** The curve as a plain SVG: steps to the right, nats per token upwards on a logarithmic scale. */
export function lossCurveSvg(curve: readonly LossPoint[]): string {
  const [width, height, margin] = [640, 240, 40];
  const logs = curve.map(({ loss }) => Math.log10(loss));
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const last = curve.at(-1)?.step ?? 1;
  const points = curve.map(({ step }, i) => {
    const x = margin + ((width - 2 * margin) * step) / last;
    const y = margin + ((height - 2 * margin) * (high - (logs[i] as number))) / (high - low);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const label = (x: number, y: number, text: string) =>
    `<text x="${x}" y="${y}" font-size="12">${text}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" fill="#555">
<polyline fill="none" stroke="#2b7a4b" stroke-width="1.5" points="${points.join(' ')}"/>
${label(4, margin, (10 ** high).toFixed(2))}${label(4, height - margin, (10 ** low).toFixed(3))}
${label(width / 2 - 60, height - 8, `step 1 to ${last}`)}${label(margin, 20, 'loss, nats per token (log scale)')}
</svg>
`;
}

/** README.md of the model's folder. */
export function starterCard(
  recipe: StarterRecipe,
  parameters: number,
  vocabSize: number,
  seed: number,
  curve: readonly LossPoint[],
  results: readonly TaskResult[],
): string {
  const stride = Math.ceil(curve.length / 15);
  const shown = curve.filter((_, i) => i % stride === 0 || i === curve.length - 1);
  const { steps, stopAfter, batch, learningRate, warmupSteps } = recipe;
  const stopped = stopAfter === undefined ? '' : `, left as it is after ${stopAfter}`;
  return `---
license: mit
library_name: transformers
pipeline_tag: text-generation
---

# ${recipe.name}, a starter model of RL Playground

A Llama-shaped causal language model of ${parameters.toLocaleString('en')} parameters and ${vocabSize} tokens, trained from nothing by
\`npm run lab -- pretrain --model ${recipe.name} --seed ${seed}\` on demonstrations that the tasks generate. ${recipe.knows}
Reinforcement learning starts from here.

## Held-out problems

| task | sampled at temperature 1 | greedy | pass@8 | in the form, sampled | n |
|---|---|---|---|---|---|
${results.map(resultRow).join('\n')}

## Training

${steps} steps of ${batch} demonstrations, AdamW at ${learningRate} with ${warmupSteps} steps of warm-up and linear decay to 0${stopped}, seed ${seed}.

![Loss curve](loss_curve.svg)

| step | loss, nats per token |
|---|---|
${shown.map(({ step, loss }) => `| ${step} | ${loss.toFixed(4)} |`).join('\n')}
`;
}
