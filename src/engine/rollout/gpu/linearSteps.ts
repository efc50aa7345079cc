/**
 * The dispatches of a model's linear maps: x·A of an adapter that is not merged, then the map, once for each block of its matrix.
 */
import {
  addNormedKernel,
  gatedKernel,
  linearKernel,
  projectionKernel,
  projectionVectors,
  productsOf,
  projectsHeads,
  ROUNDING,
  splitFor,
  splitWidth,
  type DecodePlan,
  type DecodeProducts,
  type DecodeWays,
  type LinearSpec,
  type LowRankSpec,
} from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';
import type { FormattedRows } from '../../kernels/frozenMatrix/layout.ts';
import { blockNorms, mlpInput, mlpInputs } from '../../model/parameters.ts';
import type { ActivationWidths, GpuBuffers } from './buffers.ts';
import { logitsWidth, PREFILL_ROWS } from './sizes.ts';
import type { BoundAdapter, DecoderWeights } from './decoderWeights.ts';
import { kernelsOnce, type Bound, type Step } from './step.ts';
import { EMBEDDING, FINAL_NORM, HEAD } from '../../model/weightNames.ts';

/** The properties of a map that are the same in every layer. */
interface MapShape extends Pick<
  LinearSpec,
  'label' | 'inputs' | 'outputs' | 'normEpsilon' | 'epilogue' | 'scale'
> {
  /** The number of shares in which the step before it computes x·A of its adapter; null if that has a dispatch of its own. */
  readonly sharesBefore: number | null;
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

function mapShapes(config: ModelConfig, plan: DecodePlan) {
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
      sharesBefore: null,
      from: ({ x }) => x,
      to: ({ qkv }) => qkv,
    },
    output: {
      label: 'o',
      inputs: queries,
      outputs: hiddenSize,
      normEpsilon: null,
      sharesBefore: projectsHeads({ headNormEpsilon: config.qkNorm ? rmsEps : null }, plan) ? kvHeads : null,
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
      sharesBefore: null,
      from: ({ x }) => x,
      to: ({ gated }) => gated,
    },
    down: {
      label: 'down',
      inputs: mlpSize,
      outputs: hiddenSize,
      normEpsilon: null,
      sharesBefore: null,
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
      sharesBefore: null,
      from: ({ x }) => x,
      to: ({ logits }) => logits,
    },
  } as const satisfies Readonly<Record<string, MapShape>>;
}

/** The adapter of a map as its kernels read it; null if the map has none. */
function lowRankOf(
  { inputs, sharesBefore }: Pick<MapShape, 'inputs' | 'sharesBefore'>,
  adapter: BoundAdapter | null,
): LowRankSpec | null {
  if (!adapter) return null;
  const { rank, scale, parts } = adapter;
  return { rank, scale, parts, at: (PREFILL_ROWS * inputs) / 4, shares: sharesBefore ?? 1 };
}

/** The adapter whose x·A attention computes in a layer, and its factors; null if there is none, or it has a dispatch of its own. */
export function attentionAdapter(config: ModelConfig, weights: DecoderWeights, plan: DecodePlan) {
  const { output } = mapShapes(config, plan);
  return (layer: number): { readonly lowRank: LowRankSpec; readonly factors: Bound } | null => {
    const adapter = weights.adapter(namesOf(config, layer).output.adapted);
    const lowRank = lowRankOf(output, adapter);
    return adapter && lowRank && output.sharesBefore !== null ? { lowRank, factors: adapter.factors } : null;
  };
}

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
function mapSteps(config: ModelConfig, weights: DecoderWeights, { plan, products }: DecodeWays) {
  const { hiddenSize, rmsEps, normShift, residualScale } = config;
  const once = kernelsOnce();
  return (
    { from, to, sharesBefore, ...shape }: MapShape,
    { weight, adapted, bias: biasName, norm: normName, behind: behindName }: MapNames,
  ): Step[] => {
    const { layout, blocks } = weights.matrix(weight);
    const adapter = weights.adapter(adapted);
    const bias = biasName === null ? null : weights.vector(biasName);
    const norm = normName === null ? null : weights.vector(normName);
    const lowRank = lowRankOf({ inputs: shape.inputs, sharesBefore }, adapter);
    const steps: Step[] = [];
    if (adapter && lowRank && sharesBefore === null) {
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
    const ownProducts = ({ format }: FormattedRows): DecodeProducts =>
      productsOf(products, { format, layout });
    if (products !== 'exact' && blocks.some((each) => ownProducts(each) !== 'exact')) {
      const spec = { inputs: shape.inputs, normEpsilon: shape.normEpsilon, normShift };
      steps.push({
        kernel: once({ rounded: spec }, () => ROUNDING[products].kernel(spec)),
        bind: (buffers) => [buffers.list, from(buffers), buffers.codes, ...(norm ? [norm] : [])],
      });
    }
    // Gate and up are in different blocks, so the kernel that joins them comes after all blocks.
    const { epilogue } = shape;
    const apart = (epilogue === 'swiglu' || epilogue === 'geglu') && blocks.length > 1 ? epilogue : null;
    const target = apart ? ({ gateUp }: GpuBuffers) => gateUp : to;
    for (const each of blocks) {
      const { words, firstRow, rows, format } = each;
      const own = ownProducts(each);
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
            ...(own === 'exact' ? [norm] : ROUNDING[own].views.map(() => buffers.codes)),
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

export function linearStepsOf(config: ModelConfig, weights: DecoderWeights, ways: DecodeWays) {
  const shapes = mapShapes(config, ways.plan);
  const steps = mapSteps(config, weights, ways);
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
export function headSteps(config: ModelConfig, weights: DecoderWeights, ways: DecodeWays): Step[] {
  return mapSteps(config, weights, ways)(mapShapes(config, ways.plan).head, headNames(config));
}

export function activationWidths(
  config: ModelConfig,
  weights: DecoderWeights,
  { plan, products }: DecodeWays,
  positions: number,
): ActivationWidths {
  const { hiddenSize, heads, kvHeads, headDim, mlp, mlpSize } = config;
  const shapes = mapShapes(config, plan);
  const layers = Array.from({ length: config.layers }, (_, layer) => namesOf(config, layer));
  const behind = (shape: MapShape, names: readonly MapNames[]): number =>
    Math.max(
      0,
      ...names.map(({ adapted }) => {
        const lowRank = lowRankOf(shape, weights.adapter(adapted));
        return lowRank ? 4 * projectionVectors(lowRank) : 0;
      }),
    );
  const ofX = layers.flatMap(({ queriesKeysValues, gateUp }) => [queriesKeysValues, gateUp]);
  const apart =
    mlp !== 'relu' && layers.some(({ gateUp }) => weights.matrix(gateUp.weight).blocks.length > 1);
  return {
    x: hiddenSize + behind(shapes.head, [...ofX, headNames(config)]),
    qkv: (heads + 2 * kvHeads) * headDim,
    parts: Math.max(
      0,
      ...config.attention.map((rule) => {
        const split = splitFor(rule, positions, plan);
        return split ? splitWidth(config, split) : 0;
      }),
    ),
    mixed:
      heads * headDim +
      behind(
        shapes.output,
        layers.map(({ output }) => output),
      ),
    gated:
      mlpSize +
      behind(
        shapes.down,
        layers.map(({ down }) => down),
      ),
    gateUp: apart ? 2 * mlpSize : 0,
    behind: config.normsBehind ? hiddenSize : 0,
    codes:
      products === 'exact' ? 0 : ROUNDING[products].words(Math.max(hiddenSize, mlpSize, heads * headDim)),
    logits: logitsWidth(config),
  };
}
