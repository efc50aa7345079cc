/** The WebGPU adapter and our own device on it: limits, features, and names for people. */
import { bytesText } from '@rl-playground/base/text';
import { watchDevice } from './deviceHealth.ts';
import { widenSmallBuffers } from './smallBuffers.ts';

export interface FoundAdapter {
  readonly adapter: GPUAdapter;
  /** A name for a person: "NVIDIA ampere", "SwiftShader". */
  readonly name: string;
  /** The adapter computes on the CPU. */
  readonly software: boolean;
}

/** Features that kernels may use where they exist. */
const WANTED_FEATURES: readonly GPUFeatureName[] = ['shader-f16', 'subgroups'];

/** The limits that are raised from WebGPU's defaults to those of the adapter. tfjs' own device leaves the number of buffers a stage at 8. */
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

/** Returns the fastest adapter of this machine, or null if WebGPU is missing or finds none. */
export async function findAdapter(): Promise<FoundAdapter | null> {
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
  const ask = async () => gpu?.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null);
  // The first request in Chrome on Linux may find none while its GPU process restarts for Vulkan.
  const adapter = (await ask()) ?? (await ask());
  if (!adapter) return null;
  return { adapter, name: adapterName(adapter.info), software: isSoftware(adapter.info) };
}

/** `adapter`: all limits of the adapter. `default`: the limits that WebGPU promises everywhere, buffers of 256 MB with 128 MB bound at a time. */
export type DeviceLimits = 'adapter' | 'default';

/** Opens a device. An adapter gives only one. */
export async function openDevice(
  { adapter, name }: FoundAdapter,
  limits: DeviceLimits = 'adapter',
): Promise<GPUDevice> {
  const raised = limits === 'default' ? [] : RAISED_LIMITS;
  const device = await adapter.requestDevice({
    requiredFeatures: WANTED_FEATURES.filter((feature) => adapter.features.has(feature)),
    requiredLimits: Object.fromEntries(raised.map((limit) => [limit, adapter.limits[limit]])),
  });
  watchDevice(device, name);
  widenSmallBuffers(device);
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

/** Returns true if the names of an adapter are those of one that computes on the CPU. */
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
