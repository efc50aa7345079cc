/** The WebGPU adapter and our own device on it: limits, features, and names for people. */
import { realTimers, unlessLate, type Timers } from '@rl-playground/base/deadline';
import { bytesText } from '@rl-playground/base/text';
import { adapterFacts, hasFeature, limitsOf, rememberAdapter, type AdapterFacts } from './adapterFacts.ts';
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
type RaisedLimit = (typeof RAISED_LIMITS)[number];

/** The milliseconds in which a browser must name an adapter. A GPU process that starts anew takes seconds. */
const ADAPTER_DEADLINE = 20_000;

/** Returns the fastest adapter of this machine, or null if WebGPU is missing, finds none, or does not answer in 20 s. */
export async function findAdapter(timers: Timers = realTimers): Promise<FoundAdapter | null> {
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
  if (!gpu) return null;
  const late = () => new Error('The browser named no adapter in time.');
  const ask = () =>
    unlessLate(
      gpu.requestAdapter({ powerPreference: 'high-performance' }),
      ADAPTER_DEADLINE,
      late,
      timers,
    ).catch(() => null);
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
  const device = await adapter.requestDevice({
    requiredFeatures: WANTED_FEATURES.filter((feature) => hasFeature(adapter, feature)),
    requiredLimits: Object.fromEntries(raised.flatMap((limit) => said(adapter, limit))),
  });
  rememberAdapter(device, facts);
  watchDevice(device, name);
  widenSmallBuffers(device);
  return device;
}

/** A limit of the adapter by its name, unless its browser does not say. */
function said({ limits }: { readonly limits?: GPUSupportedLimits }, limit: RaisedLimit): [string, number][] {
  const value: number | undefined = limits?.[limit];
  return value === undefined ? [] : [[limit, value]];
}

/** One line for a person: "NVIDIA ampere · f16 · 4 GB buffers". */
export function deviceLine({ name, facts }: FoundAdapter, device: GPUDevice): string {
  const parts = [facts.software ? `${name} (software)` : name];
  if (hasFeature(device, 'shader-f16')) parts.push('f16');
  const { maxBufferSize, maxStorageBufferBindingSize } = limitsOf(device);
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
