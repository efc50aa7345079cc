/** The WebGPU adapter and our own device on it: limits, features, and names for people. */
import { realTimers, unlessLate, type Timers } from '@rl-playground/base/deadline';
import { bytesText } from '@rl-playground/base/text';
import {
  adapterFacts,
  hasFeature,
  kernelLimits,
  rememberAdapter,
  statedLimits,
  type AdapterFacts,
} from './adapterFacts.ts';
import { watchDevice } from './deviceHealth.ts';
import { widenSmallBuffers } from './smallBuffers.ts';

export interface FoundAdapter {
  readonly adapter: GPUAdapter;
  readonly facts: AdapterFacts;
  /** A name for a person: "NVIDIA ampere", "SwiftShader". */
  readonly name: string;
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

/** The milliseconds in which a browser must name an adapter. A GPU process that starts anew takes seconds. */
const ADAPTER_DEADLINE = 20_000;

/** The adapters that were asked for their device. A browser that names one again would give no second device, or a lost one. */
const used = new WeakSet<GPUAdapter>();

/**
 * Returns the fastest adapter of this machine that has not given its device yet, or null if WebGPU is missing, finds none, or does not
 * answer in 20 s.
 */
export async function findAdapter(timers: Timers = realTimers): Promise<FoundAdapter | null> {
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
  if (!gpu) return null;
  const late = () => new Error('The browser named no adapter in time.');
  const ask = async (): Promise<GPUAdapter | null> => {
    const request = gpu.requestAdapter({ powerPreference: 'high-performance' });
    const named = await unlessLate(request, ADAPTER_DEADLINE, late, timers).catch(() => null);
    return named && !used.has(named) ? named : null;
  };
  // The first request in Chrome on Linux may find none while its GPU process restarts for Vulkan.
  const adapter = (await ask()) ?? (await ask());
  if (!adapter) return null;
  const facts = adapterFacts(adapter.info);
  return { adapter, facts, name: adapterName(facts) };
}

/** `adapter`: all limits of the adapter. `default`: the limits that WebGPU promises everywhere, buffers of 256 MB with 128 MB bound at a time. */
export type DeviceLimits = 'adapter' | 'default';

/** Opens a device. An adapter gives only one. */
export async function openDevice(
  { adapter, facts, name }: FoundAdapter,
  limits: DeviceLimits = 'adapter',
): Promise<GPUDevice> {
  const raised = limits === 'default' ? [] : RAISED_LIMITS;
  used.add(adapter);
  const device = await adapter.requestDevice({
    requiredFeatures: WANTED_FEATURES.filter((feature) => hasFeature(adapter, feature)),
    requiredLimits: statedLimits(adapter, raised),
  });
  rememberAdapter(device, facts);
  watchDevice(device, name);
  widenSmallBuffers(device);
  return device;
}

/** One line for a person: "NVIDIA ampere · f16 · 4 GB buffers". */
export function deviceLine({ name, facts }: FoundAdapter, device: GPUDevice): string {
  const parts = [facts.software ? `${name} (software)` : name];
  if (hasFeature(device, 'shader-f16')) parts.push('f16');
  const { maxBufferSize, maxStorageBufferBindingSize } = kernelLimits(device);
  parts.push(`${bytesText(Math.min(maxBufferSize, maxStorageBufferBindingSize))} buffers`);
  return parts.join(' · ');
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

function adapterName({ vendor, architecture, device, description }: AdapterFacts): string {
  if (`${architecture} ${device} ${description}`.toLowerCase().includes('swiftshader')) return 'SwiftShader';
  if (description !== '') return description;
  const name = [VENDORS[vendor.toLowerCase()] ?? vendor, architecture]
    .filter((word) => word !== '')
    .join(' ');
  return name === '' ? 'GPU without a name' : name;
}
