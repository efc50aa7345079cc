/** The parts of an architecture that Llama has not, for formats that write Llama's block alone. */
import type { ModelConfig } from './config.ts';
import type { Rope } from './layerAttention.ts';

/** The parts that Llama's block has not, in words; empty for Llama, Mistral, Qwen and Arcee without windows. */
export function partsBeyondLlama(config: ModelConfig): string[] {
  const { attention, headDim, embeddingScale, residualScale, logitScale } = config;
  const window = attention.find((layer) => layer.window !== null)?.window;
  const ropes = new Set(attention.map(({ rope }) => JSON.stringify(rope)));
  const isScaled =
    [embeddingScale, residualScale, logitScale].some((scale) => scale !== 1) ||
    config.attentionScale !== 1 / Math.sqrt(headDim);
  return [
    ...(window == null ? [] : [`layers with a window of ${window} positions`]),
    ...(ropes.size > 1 ? ['layers with different RoPE, or without'] : []),
    ...(attention.every(({ rope }) => rope === null) ? ['no RoPE'] : []),
    ...(config.normsBehind ? ['norms behind attention and MLP'] : []),
    ...(config.normShift === 0 ? [] : ['norms that scale by 1 + w']),
    ...(config.mlp === 'geglu' ? ['GeGLU'] : []),
    ...(config.fusedMlp ? ['gate and up in one matrix'] : []),
    ...(isScaled ? ['scales of its own'] : []),
  ];
}

/** The rotation of the layers, for a model in which it is the same in all. @throws Error if they have none. */
export function ropeOfLayers({ attention }: Pick<ModelConfig, 'attention'>): Rope {
  const rope = attention[0]?.rope;
  if (!rope) throw new Error('The layers of this model have no RoPE.');
  return rope;
}
