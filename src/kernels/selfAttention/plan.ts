/** Which kernels attend on a device. In all of them a row's order of summation is its own, whatever the batch. */
import type { GpuDispatcher } from '../../backend/dispatch.ts';
import type { RowBlock } from './rowBlocks.ts';
import { tilesFor, type AttentionTiles } from './tiles.ts';

export type AttentionPlan =
  ({ readonly kind: 'rows' } & RowBlock) | ({ readonly kind: 'tiles' } & AttentionTiles);

/** What plans depend on besides the size of a head. */
export interface AttentionDevice {
  /** Computes on the CPU. */
  readonly software: boolean;
  readonly subgroups: boolean;
  readonly maxWorkgroupBytes: number;
}

export function attentionDevice({ software, device }: GpuDispatcher): AttentionDevice {
  return {
    software,
    subgroups: device.features.has('subgroups'),
    maxWorkgroupBytes: device.limits.maxComputeWorkgroupStorageSize,
  };
}

/** A row of such a head and its sums fit into the registers of a GPU. */
const NARROW_HEAD = 32;
const WIDE_HEAD = 64;

export function attentionPlan(device: AttentionDevice, headDim: number): AttentionPlan {
  if (device.software) return softwarePlan(device.subgroups, headDim);
  const tiles = headDim <= NARROW_HEAD ? null : tilesFor(headDim, device.maxWorkgroupBytes);
  return tiles
    ? { kind: 'tiles', ...tiles }
    : { kind: 'rows', rows: 1, atOnce: headDim <= NARROW_HEAD ? 4 : 1, quads: false };
}

/** The wider a head, the fewer rows: more of them would compute 15 % faster, but take seconds to compile. */
function softwarePlan(quads: boolean, headDim: number): AttentionPlan {
  const rows = headDim <= NARROW_HEAD ? 4 : headDim <= WIDE_HEAD ? 2 : 1;
  return { kind: 'rows', rows, atOnce: quads || rows > 1 ? 4 : 1, quads };
}
