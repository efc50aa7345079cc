/** The blocks that a model is drawn as: what each one is, and how many numbers it has. */
import {
  adapterSpecs,
  huggingFaceSpecs,
  sizeOf,
  type LoraSettings,
  type ModelConfig,
} from '@rl-playground/engine/parts';

export type BlockKind = 'embedding' | 'attention' | 'mlp' | 'norm' | 'head';

export interface ModelBlock {
  readonly kind: BlockKind;
  /** The number of its layer, from 0; null outside of the layers. */
  readonly layer: number | null;
  readonly parameters: number;
  /** The numbers of the adapter beside it, of which there are none without LoRA. */
  readonly adapter: number;
}

/** A name for the block that a tensor of a file belongs to. The norm before a part of a layer counts with that part. */
export function blockOf(tensor: string): Pick<ModelBlock, 'kind' | 'layer'> {
  const [, number, rest = ''] = /layers\.(\d+)\.(.*)/.exec(tensor) ?? [];
  if (number === undefined)
    return {
      kind: /embed/.test(tensor) ? 'embedding' : /lm_head/.test(tensor) ? 'head' : 'norm',
      layer: null,
    };
  const inMlp = /^(mlp|shared_mlp|(pre|post)_feedforward_layernorm|post_attention_layernorm)/.test(rest);
  return { kind: inMlp ? 'mlp' : 'attention', layer: Number(number) };
}

export const blockKey = ({ kind, layer }: Pick<ModelBlock, 'kind' | 'layer'>): string =>
  layer === null ? kind : `${layer} ${kind}`;

/** Sums values of tensors by the block that each belongs to. */
export function byBlock(values: Iterable<readonly [tensor: string, value: number]>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [tensor, value] of values) {
    const key = blockKey(blockOf(tensor));
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return sums;
}

/** The blocks in the order in which a token goes through them. */
export function modelBlocks(config: ModelConfig, lora: LoraSettings | null): ModelBlock[] {
  const parameters = byBlock(huggingFaceSpecs(config).map(({ name, shape }) => [name, sizeOf(shape)]));
  const adapters = byBlock(
    (lora === null ? [] : adapterSpecs(config, lora)).map(({ module, a, b }) => [
      module,
      sizeOf(a.shape) + sizeOf(b.shape),
    ]),
  );
  const block = (kind: BlockKind, layer: number | null = null): ModelBlock => {
    const key = blockKey({ kind, layer });
    return { kind, layer, parameters: parameters.get(key) ?? 0, adapter: adapters.get(key) ?? 0 };
  };
  return [
    block('embedding'),
    ...Array.from({ length: config.layers }, (_, layer) => [
      block('attention', layer),
      block('mlp', layer),
    ]).flat(),
    block('norm'),
    block('head'),
  ];
}
