/**
 * The description of a GPU adapter, none of whose parts is certain: Safari 26 on iPhones gives no usable fields
 * (microsoft/onnxruntime#26827), and older browsers give a device none at all.
 */

export interface AdapterFacts {
  /** The vendor’s name. This and the three texts below are empty where the browser does not say. */
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** The adapter computes on the CPU. */
  readonly software: boolean;
  /** The fewest lanes of a subgroup; 0 if unknown. */
  readonly subgroupMinSize: number;
  /** The most lanes of a subgroup; 0 if unknown. */
  readonly subgroupMaxSize: number;
}

const SOFTWARE_NAMES = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/i;

/** Reads what is there. It throws at nothing, a getter that throws included. */
function fieldOf(info: unknown, field: keyof GPUAdapterInfo): unknown {
  try {
    return typeof info === 'object' && info !== null ? Reflect.get(info, field) : undefined;
  } catch {
    return undefined;
  }
}

export function adapterFacts(info: unknown): AdapterFacts {
  const text = (field: keyof GPUAdapterInfo): string => {
    const value = fieldOf(info, field);
    return typeof value === 'string' ? value : '';
  };
  const lanes = (field: 'subgroupMinSize' | 'subgroupMaxSize'): number => {
    const size = fieldOf(info, field);
    return typeof size === 'number' && Number.isInteger(size) && size > 0 ? size : 0;
  };
  const names = {
    vendor: text('vendor'),
    architecture: text('architecture'),
    device: text('device'),
    description: text('description'),
  };
  return {
    ...names,
    software:
      fieldOf(info, 'isFallbackAdapter') === true || SOFTWARE_NAMES.test(Object.values(names).join(' ')),
    subgroupMinSize: lanes('subgroupMinSize'),
    subgroupMaxSize: lanes('subgroupMaxSize'),
  };
}

/** The facts in the form in which tfjs wants them: it calls methods of the texts. */
export function asAdapterInfo({ software, ...facts }: AdapterFacts): GPUAdapterInfo {
  return { ...facts, isFallbackAdapter: software, __brand: 'GPUAdapterInfo' };
}

/** The facts of devices that we opened: in older browsers a device has no description, and its adapter has one. */
const opened = new WeakMap<GPUDevice, AdapterFacts>();

export function rememberAdapter(device: GPUDevice, facts: AdapterFacts): void {
  opened.set(device, facts);
}

export function factsOfDevice(device: GPUDevice): AdapterFacts {
  return opened.get(device) ?? adapterFacts(device.adapterInfo);
}

type Owner = Pick<GPUAdapter, 'features' | 'limits'>;

export function hasFeature(of: Partial<Owner>, feature: GPUFeatureName): boolean {
  return of.features?.has(feature) === true;
}

/** The limits that kernels and buffers keep to, in bytes, invocations and buffers, as WebGPU promises them everywhere. Phones often have no more. */
const PROMISED = {
  maxBufferSize: 256 * 2 ** 20,
  maxStorageBufferBindingSize: 128 * 2 ** 20,
  maxStorageBuffersPerShaderStage: 8,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeInvocationsPerWorkgroup: 256,
} as const satisfies Partial<Record<keyof GPUSupportedLimits, number>>;

export type KernelLimits = Readonly<Record<keyof typeof PROMISED, number>>;

/** Returns those of the limits `names` that the browser states for a device or an adapter. */
export function statedLimits<Name extends keyof GPUSupportedLimits>(
  { limits }: Partial<Owner>,
  names: readonly Name[],
): Partial<Record<Name, number>> {
  const stated: Partial<Record<Name, number>> = {};
  for (const name of names) {
    const value: unknown = limits?.[name];
    if (typeof value === 'number') stated[name] = value;
  }
  return stated;
}

/** Returns the limits that kernels and buffers keep to, each as promised everywhere where the browser does not state it. */
export function kernelLimits(of: Partial<Owner>): KernelLimits {
  return { ...PROMISED, ...statedLimits(of, Object.keys(PROMISED) as (keyof KernelLimits)[]) };
}
