/**
 * Chooses the kernel of a product: a measured plan if there is one, else the usual one for the adapter. A plan decides how M and N are
 * divided, never in which order an element sums over K, so results are the same to the bit under every plan of one device.
 */
import type { GemmLayout, GemmShape } from './shape.ts';
import type { DirectTile } from './directShader.ts';
import { tiledBytes, tiledInvocations, type WorkgroupTile } from './tiledShader.ts';
import type { GpuDispatcher } from '../../backend/dispatch.ts';
import { factsOfDevice, hasFeature, kernelLimits } from '../../backend/adapterFacts.ts';

/** The properties that plans depend on besides the shape. */
export interface GemmDevice {
  /** The name of the adapter, for which alone results of tuning are valid. */
  readonly key: string;
  /** True if the adapter computes on the CPU. */
  readonly software: boolean;
  readonly vendor: string;
  readonly subgroups: boolean;
  /** The number of threads on which a software adapter computes. */
  readonly cores: number;
  readonly maxInvocations: number;
  readonly maxWorkgroupBytes: number;
}

export type GemmPlan =
  | ({ readonly kind: 'direct' } & DirectTile)
  | ({ readonly kind: 'tiled' } & WorkgroupTile);

/** Classes of shapes that share a measured plan. */
export type GemmClass = `${GemmLayout} ${'row' | 'skinny' | 'small' | 'large'}`;

/** Measured plans by class, under the name of `planName`. They are plain JSON. */
export interface GemmPlans {
  readonly adapter: string;
  readonly choices: Readonly<Partial<Record<GemmClass, string>>>;
}

export function planName(plan: GemmPlan): string {
  if (plan.kind === 'tiled') {
    return `tiled ${plan.height}x${plan.width}/${plan.rows}x${plan.columns}`;
  }
  return `${plan.quads ? 'quads' : 'direct'} ${plan.rows}x${4 * plan.columns}/${plan.group}`;
}

const ROW = 3;
const SKINNY = 64;
const SMALL = 2 ** 18;

export function gemmClass(layout: GemmLayout, { m, n }: GemmShape): GemmClass {
  const size = m <= ROW ? 'row' : m <= SKINNY ? 'skinny' : m * n < SMALL ? 'small' : 'large';
  return `${layout} ${size}`;
}

const direct = (rows: number, columns: number, group: number, swapped = false): GemmPlan => {
  return { kind: 'direct', rows, columns, quads: swapped, group };
};
const tiled = (height: number, width: number, rows: number, columns: number): GemmPlan => {
  return { kind: 'tiled', height, width, rows, columns };
};

/** The size of a workgroup, which runs on one thread: small ones share out evenly. */
const SOFTWARE_GROUP = 16;
const HARDWARE_GROUP = 64;

/** Every plan that may be the best one for this layout on this device, the usual one first. */
export function gemmCandidates(layout: GemmLayout, device: GemmDevice): GemmPlan[] {
  const narrow = layout === 'tn' ? [] : [1, 2];
  if (device.software) {
    const shared = layout === 'tn' ? [16, 8] : [16, 8, 4];
    const wide = device.subgroups
      ? shared.map((rows) => direct(rows, 1, SOFTWARE_GROUP, true))
      : [direct(16, 4, SOFTWARE_GROUP), direct(8, 4, SOFTWARE_GROUP), direct(8, 1, SOFTWARE_GROUP)];
    return [...wide, ...[4, ...narrow].map((rows) => direct(rows, 1, SOFTWARE_GROUP))];
  }
  const plans = [
    tiled(64, 64, 4, 4),
    tiled(32, 32, 4, 4),
    tiled(64, 64, 8, 8),
    tiled(128, 128, 8, 8),
    ...[4, 8].map((rows) => direct(rows, 1, HARDWARE_GROUP)),
    ...narrow.map((rows) => direct(rows, 1, HARDWARE_GROUP)),
  ];
  return plans.filter((plan) => fits(plan, device));
}

function fits(plan: GemmPlan, { maxInvocations, maxWorkgroupBytes }: GemmDevice): boolean {
  if (plan.kind === 'direct') return plan.group <= maxInvocations;
  return tiledInvocations(plan) <= maxInvocations && tiledBytes(plan) <= maxWorkgroupBytes;
}

/** The plan for a product: the measured one of its class, else the one that `estimate` rates best. */
export function planFor(
  layout: GemmLayout,
  shape: GemmShape,
  device: GemmDevice,
  plans: GemmPlans | null,
): GemmPlan {
  const candidates = gemmCandidates(layout, device);
  const chosen = plans?.adapter === device.key ? plans.choices[gemmClass(layout, shape)] : undefined;
  const measured = candidates.find((plan) => planName(plan) === chosen);
  if (measured) return measured;
  const estimate = device.software ? softwareCost : hardwareCost;
  const costs = candidates.map((plan) => estimate(plan, shape, device));
  const best = candidates[costs.indexOf(Math.min(...costs))];
  if (!best) throw new Error(`No GEMM plan fits this device (${device.key}).`);
  return best;
}

/**
 * The nanoseconds of SwiftShader for one instruction on four invocations at once, measured on a server's core. A multiplication costs
 * more if the sums no longer fit the registers.
 */
const MULTIPLY = 0.7;
const MULTIPLY_SPILLED = 1;
const LOAD = 6;
const SWAP = 1.5;
/** The number of sums, in vectors of four, that stay in registers. */
const MAX_KEPT = 16;

/** The time of a plan on a CPU, in nanoseconds for four steps of K, from counts of its instructions. */
function softwareCost(plan: GemmPlan, { m, n }: GemmShape, { cores }: GemmDevice): number {
  if (plan.kind === 'tiled') return Infinity;
  const { rows, columns } = plan;
  const loads = 4 * ((plan.quads ? rows / 4 : rows) + 4 * columns);
  const swaps = plan.quads ? 3 * rows : 0;
  const multiply = rows * columns > MAX_KEPT ? MULTIPLY_SPILLED : MULTIPLY;
  const across = Math.ceil(n / (4 * columns));
  const down = Math.ceil(m / rows);
  const vectors = plan.quads ? Math.ceil(across / 4) * down : Math.ceil((across * down) / 4);
  return Math.ceil(vectors / cores) * (16 * rows * columns * multiply + loads * LOAD + swaps * SWAP);
}

/** The multiprocessors of a usual GPU, because the number can't be asked for. */
const PROCESSORS = 32;

/** The number of elements of an invocation beyond which more of them are faster on some GPUs and slower on others: the tuner decides there. */
const ENOUGH_KEPT = 16;

/**
 * The work of the busiest multiprocessor, in multiplications for each step of K. A plan's rate grows with the elements of an invocation,
 * because that many share a load. Workgroup memory helps all but Apple's GPUs.
 */
function hardwareCost(plan: GemmPlan, { m, n }: GemmShape, { vendor }: GemmDevice): number {
  const isTiled = plan.kind === 'tiled';
  const [height, width] = isTiled ? [plan.height, plan.width] : [plan.rows, 4 * plan.columns * plan.group];
  const kept = Math.min(plan.rows * plan.columns * (isTiled ? 1 : 4), ENOUGH_KEPT);
  const groups = Math.ceil(m / height) * Math.ceil(n / width);
  const isWide = isTiled || plan.rows >= 4;
  const penalty = isWide && isTiled === (vendor === 'apple') ? 1.5 : 1;
  return (Math.ceil(groups / PROCESSORS) * height * width * penalty * (kept + ENOUGH_KEPT)) / kept;
}

const devices = new WeakMap<GPUDevice, GemmDevice>();
/** The plans by layout and shape: a step has few shapes, but asks for each many times. */
const known = new Map<string, GemmPlan>();
const MAX_KNOWN = 4096;
let measured: GemmPlans | null = null;

export function gemmDevice({ device }: GpuDispatcher): GemmDevice {
  const seen = devices.get(device);
  if (seen) return seen;
  const limits = kernelLimits(device);
  const { vendor, architecture, device: name, description, software } = factsOfDevice(device);
  const made: GemmDevice = {
    key: [vendor, architecture, name, description].join('|'),
    software,
    vendor: vendor.toLowerCase(),
    subgroups: hasFeature(device, 'subgroups'),
    cores: globalThis.navigator.hardwareConcurrency,
    maxInvocations: limits.maxComputeInvocationsPerWorkgroup,
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
  };
  devices.set(device, made);
  return made;
}

/** The plan for a product on this device. */
export function planOf(gpu: GpuDispatcher, product: GemmShape & { readonly layout: GemmLayout }): GemmPlan {
  const { layout, m, n, k } = product;
  const device = gemmDevice(gpu);
  const key = `${device.key} ${layout} ${m} ${n} ${k}`;
  const plan = known.get(key);
  if (plan) return plan;
  if (known.size >= MAX_KNOWN) known.clear();
  const found = planFor(layout, product, device, measured);
  known.set(key, found);
  return found;
}

/** The measured plans in use, to be kept with a run or for this adapter; null if nothing was measured. */
export const currentGemmPlans = (): GemmPlans | null => measured;

/** Uses plans that were measured before. Plans of another adapter have no effect. Results do not depend on plans. */
export function adoptGemmPlans(plans: GemmPlans | null): void {
  measured = plans;
  known.clear();
}
