/** The plans in use: measured ones where there are any, else what is usual for the adapter. */
import type { GpuDispatcher } from '../../backend/dispatch.ts';
import { isSoftware } from '../../backend/device.ts';
import { planFor, type GemmDevice, type GemmPlan, type GemmPlans } from './plan.ts';
import type { GemmLayout, GemmShape } from './shape.ts';

const devices = new WeakMap<GPUDevice, GemmDevice>();
/** Plans by layout and shape: a step has few shapes, but asks for each many times. */
const known = new Map<string, GemmPlan>();
const MAX_KNOWN = 4096;
let measured: GemmPlans | null = null;

export function gemmDevice({ device }: GpuDispatcher): GemmDevice {
  const seen = devices.get(device);
  if (seen) return seen;
  const { adapterInfo, features, limits } = device;
  const { vendor, architecture, description } = adapterInfo;
  const made: GemmDevice = {
    key: [vendor, architecture, adapterInfo.device, description].join('|'),
    software: isSoftware(adapterInfo),
    vendor: vendor.toLowerCase(),
    subgroups: features.has('subgroups'),
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

/** The measured plans in use, to be kept with a run or for this adapter; null where nothing was measured. */
export const currentGemmPlans = (): GemmPlans | null => measured;

/** Uses plans that were measured before; of another adapter they have no effect. Results do not depend on it. */
export function adoptGemmPlans(plans: GemmPlans | null): void {
  measured = plans;
  known.clear();
}
