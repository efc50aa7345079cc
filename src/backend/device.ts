/** The WebGPU adapter and our own device on it: limits, features, names for people, and news of its troubles. */

export interface FoundAdapter {
  readonly adapter: GPUAdapter;
  /** For a person: "NVIDIA ampere", "SwiftShader". */
  readonly name: string;
  /** The adapter computes on the CPU. */
  readonly software: boolean;
}

/** `lost`: the device is gone and all its tensors with it. `error`: a call failed, results may be wrong. */
export interface DeviceProblem {
  readonly kind: 'lost' | 'error';
  readonly message: string;
}

/** Features that kernels may use where they exist. */
const WANTED_FEATURES: readonly GPUFeatureName[] = ['shader-f16', 'subgroups', 'timestamp-query'];

/** Raised from WebGPU's defaults to what the adapter has. tfjs' own device leaves the number of buffers a stage at 8. */
const RAISED_LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupSizeY',
  'maxComputeWorkgroupSizeZ',
  'maxComputeWorkgroupsPerDimension',
] as const satisfies readonly (keyof GPUSupportedLimits)[];

const listeners = new Set<(problem: DeviceProblem) => void>();

/** Calls `listener` when a device is lost or reports an error that nobody caught; returns the unsubscribe function. */
export function onDeviceProblem(listener: (problem: DeviceProblem) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function report(problem: DeviceProblem): void {
  for (const listener of listeners) listener(problem);
}

/** The fastest adapter of this machine, or null where WebGPU is missing or finds none. */
export async function findAdapter(): Promise<FoundAdapter | null> {
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
  const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null);
  if (!adapter) return null;
  return { adapter, name: adapterName(adapter.info), software: isSoftware(adapter.info) };
}

/** Opens a device with the adapter's own limits. An adapter gives only one. */
export async function openDevice({ adapter, name }: FoundAdapter): Promise<GPUDevice> {
  const device = await adapter.requestDevice({
    requiredFeatures: WANTED_FEATURES.filter((feature) => adapter.features.has(feature)),
    requiredLimits: Object.fromEntries(RAISED_LIMITS.map((limit) => [limit, adapter.limits[limit]])),
  });
  device.addEventListener('uncapturederror', ({ error }) => {
    report({ kind: 'error', message: `The GPU (${name}) reported an error: ${error.message}` });
  });
  void device.lost.then(({ reason, message }) => {
    if (reason !== 'destroyed') report({ kind: 'lost', message: `The GPU (${name}) was lost: ${message}` });
  });
  return device;
}

/** One line for a person: "NVIDIA ampere · f16 · 4 GB buffers". */
export function deviceLine({ name, software }: FoundAdapter, device: GPUDevice): string {
  const parts = [software ? `${name} (software)` : name];
  if (device.features.has('shader-f16')) parts.push('f16');
  const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
  parts.push(`${bytesText(Math.min(maxBufferSize, maxStorageBufferBindingSize))} buffers`);
  return parts.join(' · ');
}

const SOFTWARE_NAMES = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/i;

/** Whether an adapter computes on the CPU, by its names. */
export function isSoftware(info: GPUAdapterInfo): boolean {
  const names = [info.vendor, info.architecture, info.device, info.description].join(' ');
  return info.isFallbackAdapter || SOFTWARE_NAMES.test(names);
}

const VENDORS: Readonly<Record<string, string>> = {
  amd: 'AMD',
  apple: 'Apple',
  arm: 'ARM',
  google: 'Google',
  intel: 'Intel',
  nvidia: 'NVIDIA',
  qualcomm: 'Qualcomm',
  swiftshader: 'SwiftShader',
};

function adapterName({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  if (`${architecture} ${device} ${description}`.toLowerCase().includes('swiftshader')) return 'SwiftShader';
  if (description !== '') return description;
  const name = [VENDORS[vendor.toLowerCase()] ?? vendor, architecture]
    .filter((word) => word !== '')
    .join(' ');
  return name === '' ? 'GPU without a name' : name;
}

function bytesText(bytes: number): string {
  const gigabytes = bytes / 2 ** 30;
  return gigabytes >= 1 ? `${Math.round(gigabytes * 10) / 10} GB` : `${Math.round(bytes / 2 ** 20)} MB`;
}
