/**
 * How long the GPU computed during some work. Off unless asked for: timestamps are taken between passes, so timed work is
 * cut into the passes it would have anyway, and only the reading at the end waits.
 */
import { gpuDispatcher, type GpuDispatcher, type PassTimer } from './dispatch.ts';
import * as tf from './tf.ts';

/** Milliseconds. */
export interface GpuTime {
  readonly wall: number;
  /** The part of `wall` in which a compute pass ran. */
  readonly busy: number;
}

/** Passes of one query set: WebGPU allows 4096 queries. */
const PASSES = 2048;

/**
 * Runs `work` with the current backend, which must be ours on WebGPU, and waits for the GPU. With `timestamp-query` the
 * passes are timed by the GPU (in steps of 0.1 ms in Chrome); without, `busy` is the time in which a submission was under
 * way, which counts the way to the GPU and back.
 */
export async function measureGpuTime(work: () => void | Promise<void>): Promise<GpuTime> {
  const gpu = gpuDispatcher(tf.backend());
  const { device } = gpu;
  gpu.flush();
  await device.queue.onSubmittedWorkDone();
  const measure = device.features.has('timestamp-query') ? timeByPasses : timeBySubmissions;
  return measure(gpu, work);
}

async function wallTime(gpu: GpuDispatcher, work: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  gpu.flush();
  await gpu.device.queue.onSubmittedWorkDone();
  return performance.now() - start;
}

async function timeByPasses(gpu: GpuDispatcher, work: () => void | Promise<void>): Promise<GpuTime> {
  const { device } = gpu;
  const sets: { queries: GPUQuerySet; passes: number }[] = [];
  const timer: PassTimer = {
    nextPass() {
      let set = sets.at(-1);
      if (!set || set.passes === PASSES) {
        set = { queries: device.createQuerySet({ type: 'timestamp', count: 2 * PASSES }), passes: 0 };
        sets.push(set);
      }
      const first = 2 * set.passes++;
      const timestampWrites = { beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
      return { timestampWrites: { querySet: set.queries, ...timestampWrites } };
    },
  };
  gpu.timePasses(timer);
  try {
    const wall = await wallTime(gpu, work);
    gpu.timePasses(null);
    let busy = 0;
    for (const { queries, passes } of sets) busy += await readPasses(device, queries, passes);
    return { wall, busy };
  } finally {
    gpu.timePasses(null);
    for (const { queries } of sets) queries.destroy();
  }
}

/** Sum of the lengths of timed passes. */
async function readPasses(device: GPUDevice, queries: GPUQuerySet, passes: number): Promise<number> {
  const size = passes * 16;
  const resolved = device.createBuffer({
    size,
    usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
  });
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.resolveQuerySet(queries, 0, passes * 2, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const times = new BigUint64Array(staging.getMappedRange());
  let nanoseconds = 0n;
  for (let pass = 0; pass < passes; pass++) {
    const [begin = 0n, end = 0n] = times.subarray(2 * pass);
    // Some drivers set the clock back.
    if (end > begin) nanoseconds += end - begin;
  }
  resolved.destroy();
  staging.destroy();
  return Number(nanoseconds) / 1e6;
}

async function timeBySubmissions(gpu: GpuDispatcher, work: () => void | Promise<void>): Promise<GpuTime> {
  const { queue } = gpu.device;
  const submit = queue.submit.bind(queue);
  let busy = 0;
  let under = 0;
  let since = 0;
  queue.submit = (commands) => {
    if (under++ === 0) since = performance.now();
    submit(commands);
    void queue.onSubmittedWorkDone().then(() => {
      if (--under === 0) busy += performance.now() - since;
    });
  };
  try {
    return { wall: await wallTime(gpu, work), busy };
  } finally {
    // The method of the prototype shows again.
    Reflect.deleteProperty(queue, 'submit');
  }
}
