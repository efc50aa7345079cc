/**
 * Times the compute passes of this realm, whoever submits them. It replaces methods of WebGPU's prototypes, so it is for benchmarks only
 * and must be installed before the device that is watched.
 */

interface PassTimes {
  readonly queries: GPUQuerySet;
  readonly device: GPUDevice;
  passes: number;
}

/** Passes of one query set: WebGPU allows 4096 queries. */
const PASSES = 2048;

export interface GpuCounter {
  /** True if devices here can time their passes. */
  readonly canTime: boolean;
  /** Compute passes that were timed since timing was last started. */
  readonly timedPasses: number;
  /** Times every compute pass that begins from now on. */
  startTiming(): void;
  /** Seconds in which compute passes ran since the start; waits for the GPU and ends timing. */
  stopTiming(): Promise<number>;
}

interface Counts {
  timing: PassTimes[] | null;
  timedPasses: number;
  canTime: boolean;
}

let installed: GpuCounter | null = null;

/** The counter of this realm; null if there is no WebGPU. */
export function installGpuCounter(): GpuCounter | null {
  if (installed) return installed;
  if (typeof GPUDevice === 'undefined') return null;
  const counts: Counts = { timing: null, timedPasses: 0, canTime: false };
  timePasses(counts);
  installed = {
    get canTime() {
      return counts.canTime;
    },
    get timedPasses() {
      return counts.timedPasses;
    },
    startTiming() {
      counts.timing = [];
      counts.timedPasses = 0;
    },
    async stopTiming() {
      const sets = counts.timing ?? [];
      counts.timing = null;
      let seconds = 0;
      for (const set of sets) seconds += await readPasses(set);
      return seconds;
    },
  };
  return installed;
}

function replace<T extends object, K extends keyof T>(
  prototype: T,
  name: K,
  around: (original: T[K]) => T[K],
): void {
  prototype[name] = around(prototype[name]);
}

function timePasses(counts: Counts): void {
  const devices = new WeakMap<GPUCommandEncoder, GPUDevice>();
  replace(
    GPUAdapter.prototype,
    'requestDevice',
    (original) =>
      async function (this: GPUAdapter, descriptor) {
        const device = await original.call(this, descriptor);
        counts.canTime ||= device.features.has('timestamp-query');
        return device;
      },
  );
  replace(
    GPUDevice.prototype,
    'createCommandEncoder',
    (original) =>
      function (this: GPUDevice, descriptor) {
        const encoder = original.call(this, descriptor);
        if (this.features.has('timestamp-query')) devices.set(encoder, this);
        return encoder;
      },
  );
  replace(
    GPUCommandEncoder.prototype,
    'beginComputePass',
    (original) =>
      function (this: GPUCommandEncoder, descriptor = {}) {
        const device = devices.get(this);
        if (counts.timing === null || device === undefined || descriptor.timestampWrites !== undefined) {
          return original.call(this, descriptor);
        }
        counts.timedPasses++;
        const timestampWrites = nextPass(counts.timing, device);
        return original.call(this, { ...descriptor, timestampWrites });
      },
  );
}

function nextPass(sets: PassTimes[], device: GPUDevice): GPUComputePassTimestampWrites {
  let set = sets.findLast((each) => each.device === device);
  if (!set || set.passes === PASSES) {
    const queries = device.createQuerySet({ type: 'timestamp', count: 2 * PASSES });
    set = { queries, device, passes: 0 };
    sets.push(set);
  }
  const first = 2 * set.passes++;
  return { querySet: set.queries, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
}

/** Sum of the lengths of timed passes, seconds. */
async function readPasses({ device, queries, passes }: PassTimes): Promise<number> {
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
  const seconds = secondsOf(new BigUint64Array(staging.getMappedRange()));
  resolved.destroy();
  staging.destroy();
  queries.destroy();
  return seconds;
}

/** The seconds of passes whose beginnings and ends, in nanoseconds, follow each other. */
export function secondsOf(times: BigUint64Array): number {
  let nanoseconds = 0n;
  for (let i = 0; i + 1 < times.length; i += 2) {
    const [begin = 0n, end = 0n] = times.subarray(i);
    // Some drivers set the clock back.
    if (end > begin) nanoseconds += end - begin;
  }
  return Number(nanoseconds) / 1e9;
}
