/**
 * The dispatches of a model's linear maps: x·A of an adapter that is not merged, then the map, once for each block of its matrix.
 */
import {
  addNormedKernel,
  codeVectors,
  gatedKernel,
  linearKernel,
  projectionKernel,
  projectionVectors,
  quantizeKernel,
  type DecodeKernel,
  type DecodePlan,
  type DecodeProducts,
  type LinearSpec,
} from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';
import { isBlockFormat } from '../../kernels/blockFormats/blockFormats.ts';
import type { FormattedRows } from '../../kernels/frozenMatrix/layout.ts';
import { blockNorms, mlpInput, mlpInputs } from '../../model/parameters.ts';
import { PREFILL_ROWS, type ActivationWidths, type GpuBuffers } from './buffers.ts';
import type { DecoderWeights } from './decoderWeights.ts';
import type { Bound, Step } from './step.ts';
import { EMBEDDING, FINAL_NORM, HEAD } from '../../model/weightNames.ts';

/** The properties of a map that are the same in every layer. */
interface MapShape extends Pick<
  LinearSpec,
  'label' | 'inputs' | 'outputs' | 'normEpsilon' | 'epilogue' | 'scale'
> {
  readonly from: (buffers: GpuBuffers) => GPUBuffer;
  readonly to: (buffers: GpuBuffers) => GPUBuffer;
}

interface MapNames {
  /** The name of the matrix, and the name that an adapter's pairs use for it. */
  readonly weight: string;
  readonly adapted: string;
  readonly bias: string | null;
  readonly norm: string | null;
  /** The norm of its output, before it is added to the residual; null for none. */
  readonly behind: string | null;
}

function mapShapes(config: ModelConfig) {
  const { hiddenSize, heads, kvHeads, headDim, mlp, mlpSize, vocabSize, rmsEps } = config;
  const queries = heads * headDim;
  // What is normed first is added by a kernel of its own.
  const added = config.normsBehind
    ? ({ epilogue: 'store', scale: 1, to: ({ behind }: GpuBuffers) => behind } as const)
    : ({ epilogue: 'residual', scale: config.residualScale, to: ({ x }: GpuBuffers) => x } as const);
  return {
    queriesKeysValues: {
      label: 'norm + q, k, v',
      inputs: hiddenSize,
      outputs: queries + 2 * kvHeads * headDim,
      normEpsilon: rmsEps,
      epilogue: 'store',
      scale: 1,
      from: ({ x }) => x,
      to: ({ qkv }) => qkv,
    },
    output: {
      label: 'o',
      inputs: queries,
      outputs: hiddenSize,
      normEpsilon: null,
      from: ({ mixed }) => mixed,
      ...added,
    },
    gateUp: {
      label: mlp === 'relu' ? 'norm + up + ReLU' : `norm + gate, up + ${mlp}`,
      inputs: hiddenSize,
      outputs: mlpInputs(config),
      normEpsilon: rmsEps,
      epilogue: mlp,
      scale: 1,
      from: ({ x }) => x,
      to: ({ gated }) => gated,
    },
    down: {
      label: 'down',
      inputs: mlpSize,
      outputs: hiddenSize,
      normEpsilon: null,
      from: ({ gated }) => gated,
      ...added,
    },
    head: {
      label: 'norm + head',
      inputs: hiddenSize,
      outputs: vocabSize,
      normEpsilon: rmsEps,
      epilogue: 'store',
      scale: config.logitScale,
      from: ({ x }) => x,
      to: ({ logits }) => logits,
    },
  } as const satisfies Readonly<Record<string, MapShape>>;
}

/** The floats of one row of logits, rounded up to whole vectors. */
export const logitsWidth = ({ vocabSize }: ModelConfig): number => Math.ceil(vocabSize / 4) * 4;

const layerName = (layer: number, name: string): string => `model.layers.${layer}.${name}`;

function namesOf(config: ModelConfig, layer: number) {
  const attention = (name: string): string => layerName(layer, `self_attn.${name}`);
  const norms = blockNorms(config);
  const normName = (name: string | null): string | null => (name === null ? null : layerName(layer, name));
  const map = (name: string, norm: string | null, behind: string | null = null): MapNames => ({
    weight: `${name}.weight`,
    adapted: `${name}.weight`,
    bias: `${name}.bias`,
    norm: normName(norm),
    behind: normName(behind),
  });
  return {
    queriesKeysValues: map(attention('qkv_proj'), norms.attention),
    output: map(attention('o_proj'), null, norms.behindAttention),
    gateUp: map(layerName(layer, mlpInput(config)), norms.mlp),
    down: map(layerName(layer, 'mlp.down_proj'), null, norms.behindMlp),
  };
}

/** An adapter of a tied head acts on the head alone. */
function headNames({ tiedHead }: ModelConfig): MapNames {
  const weight = tiedHead ? EMBEDDING : HEAD;
  return { weight, adapted: HEAD, bias: null, norm: FINAL_NORM, behind: null };
}

/** The steps of one map. Kernels that are the same in several layers are made once. */
function mapSteps(config: ModelConfig, weights: DecoderWeights, plan: DecodePlan, products: DecodeProducts) {
  const { hiddenSize, rmsEps, normShift, residualScale } = config;
  const made = new Map<string, DecodeKernel>();
  const once = (key: object, make: () => DecodeKernel): DecodeKernel => {
    const text = JSON.stringify(key);
    const kernel = made.get(text) ?? make();
    made.set(text, kernel);
    return kernel;
  };
  return (
    { from, to, ...shape }: MapShape,
    { weight, adapted, bias: biasName, norm: normName, behind: behindName }: MapNames,
  ): Step[] => {
    const { layout, blocks } = weights.matrix(weight);
    const adapter = weights.adapter(adapted);
    const bias = biasName === null ? null : weights.vector(biasName);
    const norm = normName === null ? null : weights.vector(normName);
    const lowRank = adapter && {
      rank: adapter.rank,
      scale: adapter.scale,
      parts: adapter.parts,
      at: (PREFILL_ROWS * shape.inputs) / 4,
    };
    const steps: Step[] = [];
    if (adapter && lowRank) {
      const spec = {
        label: `A of ${shape.label}`,
        inputs: shape.inputs,
        norm: norm !== null,
        normShift,
        lowRank,
      };
      steps.push({
        kernel: once(spec, () => projectionKernel(spec, plan)),
        bind: (buffers) => [buffers.list, from(buffers), adapter.factors, ...(norm ? [norm] : [])],
      });
    }
    const isWhole = ({ format }: FormattedRows): boolean =>
      products === 'int8' && layout === 'nt' && isBlockFormat(format);
    if (blocks.some(isWhole)) {
      const spec = { inputs: shape.inputs, normEpsilon: shape.normEpsilon, normShift };
      steps.push({
        kernel: once({ rounded: spec }, () => quantizeKernel(spec)),
        bind: (buffers) => [buffers.list, from(buffers), buffers.codes, ...(norm ? [norm] : [])],
      });
    }
    // Gate and up are in different blocks, so the kernel that joins them comes after all blocks.
    const { epilogue } = shape;
    const apart = (epilogue === 'swiglu' || epilogue === 'geglu') && blocks.length > 1 ? epilogue : null;
    const target = apart ? ({ gateUp }: GpuBuffers) => gateUp : to;
    for (const each of blocks) {
      const { words, firstRow, rows, format } = each;
      const own = isWhole(each) ? 'int8' : 'exact';
      const spec: LinearSpec = {
        ...shape,
        normShift,
        layout,
        format,
        products: own,
        block: blocks.length > 1 ? { firstRow, rows } : null,
        bias: bias !== null,
        epilogue: apart ? 'store' : epilogue,
        lowRank,
      };
      const behind: readonly (Bound | null)[] = [bias, adapter?.factors ?? null];
      steps.push({
        kernel: once(spec, () => linearKernel(spec, plan)),
        bind: (buffers) =>
          [
            buffers.list,
            from(buffers),
            words,
            target(buffers),
            own === 'int8' ? buffers.codes : norm,
            ...behind,
          ].filter((bound) => bound !== null),
      });
    }
    if (apart) {
      steps.push({
        kernel: once({ gated: shape.outputs }, () => gatedKernel(shape.outputs / 2, apart)),
        bind: (buffers) => [buffers.list, buffers.gateUp, to(buffers)],
      });
    }
    const behind = behindName === null ? null : weights.vector(behindName);
    if (behind) {
      const spec = { width: hiddenSize, epsilon: rmsEps, shift: normShift, scale: residualScale };
      steps.push({
        kernel: once(spec, () => addNormedKernel(spec, plan)),
        bind: (buffers) => [buffers.list, to(buffers), buffers.x, behind],
      });
    }
    return steps;
  };
}

export function linearStepsOf(
  config: ModelConfig,
  weights: DecoderWeights,
  plan: DecodePlan,
  products: DecodeProducts,
) {
  const shapes = mapShapes(config);
  const steps = mapSteps(config, weights, plan, products);
  return (layer: number) => {
    const names = namesOf(config, layer);
    return {
      queriesKeysValues: steps(shapes.queriesKeysValues, names.queriesKeysValues),
      output: steps(shapes.output, names.output),
      gateUp: steps(shapes.gateUp, names.gateUp),
      down: steps(shapes.down, names.down),
    };
  };
}

/** Norm and head: the logits. */
export function headSteps(
  config: ModelConfig,
  weights: DecoderWeights,
  plan: DecodePlan,
  products: DecodeProducts,
): Step[] {
  return mapSteps(config, weights, plan, products)(mapShapes(config).head, headNames(config));
}

export function activationWidths(
  config: ModelConfig,
  weights: DecoderWeights,
  products: DecodeProducts,
): ActivationWidths {
  const { hiddenSize, heads, kvHeads, headDim, mlp, mlpSize } = config;
  const layers = Array.from({ length: config.layers }, (_, layer) => namesOf(config, layer));
  const behind = (names: readonly MapNames[]): number =>
    Math.max(
      0,
      ...names.map(({ adapted }) => {
        const adapter = weights.adapter(adapted);
        return adapter ? 4 * projectionVectors(adapter) : 0;
      }),
    );
  const ofX = layers.flatMap(({ queriesKeysValues, gateUp }) => [queriesKeysValues, gateUp]);
  const apart =
    mlp !== 'relu' && layers.some(({ gateUp }) => weights.matrix(gateUp.weight).blocks.length > 1);
  return {
    x: hiddenSize + behind([...ofX, headNames(config)]),
    qkv: (heads + 2 * kvHeads) * headDim,
    mixed: heads * headDim + behind(layers.map(({ output }) => output)),
    gated: mlpSize + behind(layers.map(({ down }) => down)),
    gateUp: apart ? 2 * mlpSize : 0,
    behind: config.normsBehind ? hiddenSize : 0,
    codes: products === 'int8' ? 4 * codeVectors(Math.max(hiddenSize, mlpSize, heads * headDim)) : 0,
    logits: logitsWidth(config),
  };
}
