/** The model as a drawing says it: what each block is, how large it is, and where the gradient of a step was large. */
import type { LoraSettings, ModelConfig } from '@rl-playground/engine/parts';
import { blockKey, type ModelBlock } from '@rl-playground/run/inspect/blocks';
import type { GradientSeen } from '@rl-playground/run/session';
import { plural } from '@rl-playground/base/text';
import { compact, count, parameterCount, percent } from '../../ui/text/format.ts';

type Block = Pick<ModelBlock, 'kind' | 'layer'>;

export function blockName({ kind, layer }: Block): string {
  if (layer !== null) return kind === 'mlp' ? 'MLP' : 'Attention';
  return kind === 'embedding' ? 'Embedding' : kind === 'head' ? 'Head' : 'Last norm';
}

/** The name of a block within the whole model, such as "the MLP of layer 3". */
export function blockPlace(block: Block): string {
  if (block.layer === null) return `the ${blockName(block).toLowerCase()}`;
  return `${block.kind === 'mlp' ? 'the MLP' : 'the attention'} of layer ${block.layer + 1}`;
}

/** The shape of a block in a few words. */
export function blockShape({ kind }: Block, config: ModelConfig): string {
  const { vocabSize, hiddenSize, mlpSize, headDim, heads, kvHeads, tiedHead } = config;
  switch (kind) {
    case 'embedding':
      return `${count(vocabSize)} tokens × ${count(hiddenSize)}`;
    case 'attention':
      return `${plural(heads, 'head')} of ${headDim}${kvHeads === heads ? '' : `, ${plural(kvHeads, 'key-value head')}`}`;
    case 'mlp':
      return `${count(hiddenSize)} → ${count(mlpSize)} → ${count(hiddenSize)}`;
    case 'norm':
      return `RMSNorm over ${count(hiddenSize)}`;
    case 'head':
      return tiedHead
        ? 'shares the numbers of the embedding'
        : `${count(hiddenSize)} → ${count(vocabSize)} tokens`;
  }
}

const sum = (blocks: readonly ModelBlock[], of: 'parameters' | 'adapter'): number =>
  blocks.reduce((all, block) => all + block[of], 0);

/** The size of the model, and what of it is trained. */
export function modelWords(
  blocks: readonly ModelBlock[],
  config: ModelConfig,
  lora: LoraSettings | null,
): string {
  const size = `${parameterCount(sum(blocks, 'parameters'))} parameters in ${plural(config.layers, 'layer')} of ${plural(config.heads, 'head')}.`;
  if (lora === null) return `${size} All of them are trained.`;
  return `${size} They are frozen. An adapter of ${parameterCount(sum(blocks, 'adapter'))} parameters is trained, LoRA of rank ${lora.rank}.`;
}

/** The block with the largest gradient, and its share of the whole. */
export function gradientWords(blocks: readonly ModelBlock[], seen: GradientSeen, step: number): string {
  const normOf = (block: Block): number => seen.blocks.get(blockKey(block)) ?? 0;
  const [largest] = [...blocks].sort((a, b) => normOf(b) - normOf(a));
  if (largest === undefined || seen.norm === 0)
    return `The gradient of step ${step} was 0: no group had answers of different rewards.`;
  const share = (normOf(largest) / seen.norm) ** 2;
  return `The gradient of step ${step} had the norm ${compact(seen.norm)}. It was largest in ${blockPlace(largest)}, ${compact(normOf(largest))}: ${percent(share, 0)} of the sum of squares.`;
}
