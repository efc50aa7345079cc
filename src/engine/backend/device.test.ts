/** The choice of an adapter. */
import { afterEach, expect, test, vi } from 'vitest';
import { findAdapter, openDevice } from './device.ts';
import { adapterFacts, factsOfDevice, kernelLimits } from './adapterFacts.ts';

const NVIDIA = { info: { vendor: 'nvidia', architecture: '', device: '', description: '' } };

/** Stubs a browser that answers requests for an adapter with these values, one after the other. */
function askedOf(answers: readonly unknown[]) {
  const left = [...answers];
  const requestAdapter = vi.fn<() => Promise<unknown>>(async () => Promise.resolve(left.shift() ?? null));
  vi.stubGlobal('navigator', { gpu: { requestAdapter } });
  return requestAdapter;
}

afterEach(() => vi.unstubAllGlobals());

test('is asked for again where a browser has none at first, as Chrome on Linux does while its GPU process starts', async () => {
  askedOf([null, NVIDIA]);
  expect(await findAdapter()).toMatchObject({ adapter: NVIDIA, name: 'NVIDIA', facts: { software: false } });
});

test('is none where the browser has none the second time either, or no WebGPU', async () => {
  const requestAdapter = askedOf([null, null, NVIDIA]);
  expect(await findAdapter()).toBeNull();
  expect(requestAdapter).toHaveBeenCalledTimes(2);
  vi.stubGlobal('navigator', {});
  expect(await findAdapter()).toBeNull();
});

test('is none where the browser does not answer, whatever it answers later', async () => {
  let answer: (given: unknown) => void = () => undefined;
  vi.stubGlobal('navigator', { gpu: { requestAdapter: () => new Promise((resolve) => (answer = resolve)) } });
  const waits: number[] = [];
  const timers = {
    now: () => 0,
    after(milliseconds: number, ring: () => void) {
      waits.push(milliseconds);
      queueMicrotask(ring);
      return () => undefined;
    },
  };
  expect(await findAdapter(timers)).toBeNull();
  answer(NVIDIA);
  expect(waits).toEqual([20_000, 20_000]);
});

test('is taken for a software one by its own word, or by its name', () => {
  expect(adapterFacts({ isFallbackAdapter: true }).software).toBe(true);
  expect(adapterFacts({ description: 'llvmpipe (LLVM 15.0.6, 256 bits)' }).software).toBe(true);
  expect(adapterFacts({ vendor: 'apple', isFallbackAdapter: undefined }).software).toBe(false);
});

test('needs no description, and none of its parts', async () => {
  const throwing = {
    get vendor(): string {
      throw new Error('This is no GPU’s business.');
    },
    description: 7,
    subgroupMinSize: 'four',
  };
  for (const info of [undefined, null, {}, throwing]) {
    askedOf([{ info }]);
    expect(await findAdapter()).toMatchObject({ name: 'GPU without a name', facts: { software: false } });
    expect(adapterFacts(info)).toMatchObject({ vendor: '', description: '', subgroupMinSize: 0 });
  }
});

/** An adapter without features and limits, whose device has none either. */
function bareAdapter() {
  const device = {
    addEventListener: vi.fn<() => void>(),
    lost: new Promise(() => undefined),
    createBuffer: vi.fn<() => void>(),
    createBindGroup: vi.fn<() => void>(),
  };
  const requestDevice = vi.fn<(wanted: GPUDeviceDescriptor) => Promise<unknown>>(async () =>
    Promise.resolve(device),
  );
  return { info: { description: 'SwiftShader Device' }, requestDevice };
}

async function openFound(): Promise<GPUDevice> {
  const found = await findAdapter();
  if (!found) throw new Error('An adapter is there.');
  return openDevice(found);
}

test('is another one where the browser names the one that has given its device, and none where it knows no other', async () => {
  const [adapter, other] = [bareAdapter(), bareAdapter()];
  askedOf([adapter, adapter, other, other, adapter]);
  await openFound();
  await openFound();
  expect(await findAdapter()).toBeNull();
  for (const { requestDevice } of [adapter, other]) expect(requestDevice).toHaveBeenCalledTimes(1);
});

test('gives a device that is known by it, where features, limits and the device’s own description lack', async () => {
  const adapter = bareAdapter();
  askedOf([adapter]);
  const opened = await openFound();
  expect(adapter.requestDevice).toHaveBeenCalledWith({ requiredFeatures: [], requiredLimits: {} });
  expect(factsOfDevice(opened).software).toBe(true);
  expect(kernelLimits(opened)).toEqual({
    maxBufferSize: 268_435_456,
    maxStorageBufferBindingSize: 134_217_728,
    maxStorageBuffersPerShaderStage: 8,
    maxComputeWorkgroupStorageSize: 16_384,
    maxComputeInvocationsPerWorkgroup: 256,
  });
});
