/** Chooses the kernels that attend on a device, and dispatches them. In all of them a row's order of summation is its own, whatever the batch. */
import { hasFeature, kernelLimits } from '../../backend/adapterFacts.ts';
import { f32, u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { type WebGpuBody, input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { attentionRule } from '../shared/attention.ts';
import { launchGroups, launchItems, launchQuads, type Launch } from '../shared/launch.ts';
import { rowVectors } from '../shared/vectors.ts';
import { itemRows, rowBlockBodies, type RowBlock } from './rowBlocks.ts';
import { TILE_LANES, tileKernels, tilesFor, type AttentionTiles } from './tiles.ts';
import type { SelfAttentionAttributes } from './wasm.ts';

export type AttentionPlan =
  | ({ readonly kind: 'rows' } & RowBlock)
  | ({ readonly kind: 'tiles' } & AttentionTiles);

/** The properties that plans depend on besides the size of a head. */
export interface AttentionDevice {
  /** True if the adapter computes on the CPU. */
  readonly software: boolean;
  readonly subgroups: boolean;
  readonly maxWorkgroupBytes: number;
}

function attentionDevice({ software, device }: GpuDispatcher): AttentionDevice {
  return {
    software,
    subgroups: hasFeature(device, 'subgroups'),
    maxWorkgroupBytes: kernelLimits(device).maxComputeWorkgroupStorageSize,
  };
}

/** The widest head whose row and sums fit into the registers of a GPU. */
const NARROW_HEAD = 32;
const WIDE_HEAD = 64;

export function attentionPlan(device: AttentionDevice, headDim: number): AttentionPlan {
  if (device.software) return softwarePlan(device.subgroups, headDim);
  const tiles = headDim <= NARROW_HEAD ? null : tilesFor(headDim, device.maxWorkgroupBytes);
  return tiles
    ? { kind: 'tiles', ...tiles }
    : { kind: 'rows', rows: 1, atOnce: headDim <= NARROW_HEAD ? 4 : 1, quads: false };
}

/** A plan for software adapters. The wider a head, the fewer rows: more of them would compute 15 % faster, but take seconds to compile. */
function softwarePlan(quads: boolean, headDim: number): AttentionPlan {
  const rows = headDim <= NARROW_HEAD ? 4 : headDim <= WIDE_HEAD ? 2 : 1;
  return { kind: 'rows', rows, atOnce: quads || rows > 1 ? 4 : 1, quads };
}

/** Outputs the mixed values [B·T, heads·headDim] and the log-sum-exp of each query row [B·T, heads]. */
export const selfAttentionOnWebGpu: WebGpuBody<SelfAttentionAttributes> = (gpu, inputs, attributes) => {
  return attendBy(attentionPlan(attentionDevice(gpu), attributes.headDim), gpu, inputs, attributes);
};

/** Outputs d qkv. */
export const selfAttentionGradientOnWebGpu: WebGpuBody<SelfAttentionAttributes> = (
  gpu,
  inputs,
  attributes,
  context,
) => {
  const plan = attentionPlan(attentionDevice(gpu), attributes.headDim);
  return [gradientBy(plan, gpu, inputs, attributes, context)];
};

type KernelName = 'forward' | 'queryGradient' | 'keyValueGradient';

/** Makes a launch over the blocks of rows of every sequence and of each of `blockHeads` heads. */
function launchBlocks(
  plan: AttentionPlan,
  name: KernelName,
  gpu: GpuDispatcher,
  attributes: SelfAttentionAttributes,
  blockHeads: number,
  { products, ...bindings }: Pick<Launch, 'reads' | 'writes'> & { products: number },
): void {
  const { batch, length, heads, kvHeads, headDim } = attributes;
  const { scale, window } = attentionRule(attributes);
  const blockRows = plan.kind === 'tiles' ? plan.own : itemRows(plan);
  const launch = {
    ...bindings,
    items: Math.ceil(length / blockRows) * blockHeads * batch,
    uniforms: {
      length: u32(length),
      heads: u32(heads),
      kvHeads: u32(kvHeads),
      scale: f32(scale),
      window: u32(window),
    },
    work: (products * batch * length * Math.min(length, window) * heads * headDim) / 2,
  };
  if (plan.kind === 'tiles') {
    launchGroups(
      gpu,
      {
        ...launch,
        key: `attention-${name}-${headDim}-${plan.own}x${plan.passing}`,
        declarations: () => tileKernels(headDim, plan)[name].declarations,
        body: () => tileKernels(headDim, plan)[name].body,
      },
      TILE_LANES,
    );
    return;
  }
  (plan.quads ? launchQuads : launchItems)(gpu, {
    ...launch,
    key: `attention-${name}-${headDim}-${plan.rows}x${plan.atOnce}`,
    declarations: () => rowVectors(headDim).inner,
    body: () => rowBlockBodies(headDim, plan)[name],
  });
}

export function attendBy(
  plan: AttentionPlan,
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: SelfAttentionAttributes,
): [mixed: TensorInfo, logSumExp: TensorInfo] {
  const { batch, length, heads, headDim } = attributes;
  const { type } = rowVectors(headDim);
  const mixed = gpu.allocate([batch * length, heads * headDim], 'float32');
  const logSumExp = gpu.allocate([batch * length, heads], 'float32');
  launchBlocks(plan, 'forward', gpu, attributes, heads, {
    reads: { [`qkv: ${type}`]: input(inputs, 'qkv') },
    writes: { [`mixed: ${type}`]: mixed, 'logSumExp: f32': logSumExp },
    products: 2,
  });
  return [mixed, logSumExp];
}

/** Computes the gradient by two kernels: the first writes the columns of q, the second those of k and v. */
export function gradientBy(
  plan: AttentionPlan,
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: SelfAttentionAttributes,
  { dispose }: CompositeContext,
): TensorInfo {
  const { batch, length, heads, kvHeads, headDim } = attributes;
  const { type } = rowVectors(headDim);
  const qkv = input(inputs, 'qkv');
  const dqkv = gpu.allocate([...qkv.shape], 'float32');
  const rowDots = gpu.allocate([batch * length, heads], 'float32');
  const reads = {
    [`qkv: ${type}`]: qkv,
    'logSumExp: f32': input(inputs, 'logSumExp'),
    [`dy: ${type}`]: input(inputs, 'dy'),
  };
  launchBlocks(plan, 'queryGradient', gpu, attributes, heads, {
    reads: { ...reads, [`mixed: ${type}`]: input(inputs, 'mixed') },
    writes: { [`dqkv: ${type}`]: dqkv, 'rowDots: f32': rowDots },
    products: 3,
  });
  launchBlocks(plan, 'keyValueGradient', gpu, attributes, kvHeads, {
    reads: { ...reads, 'rowDots: f32': rowDots },
    writes: { [`dqkv: ${type}`]: dqkv },
    products: 4,
  });
  dispose(rowDots);
  return dqkv;
}
