/** The highest rates of a GPU: multiply-adds that stay in registers, and a plain copy. */
import type { CeilingWorkload, Prepared } from '../types.ts';

/** One timed dispatch lasts at least this long. */
const ENOUGH_SECONDS = 0.05;
const GROUP = 64;
/** Enough invocations to fill a large GPU. */
const GROUPS = 2048;
/** Vectors in one invocation: few suit a CPU, many hide a GPU's latency. The best number counts. */
const VECTORS = [1, 2, 4, 8];
const COPY_BYTES = 2 ** 26;

function multiplyAddShader(vectors: number): string {
  const each = (line: (i: number) => string): string =>
    Array.from({ length: vectors }, (_, i) => line(i)).join('\n  ');
  const round = each((i) => `x${i} = fma(x${i}, a, b);`);
  return /* wgsl */ `
struct Params { a: f32, b: f32, rounds: u32 }
@group(0) @binding(0) var<storage, read_write> result: array<vec4f>;
@group(0) @binding(1) var<uniform> params: Params;
@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let a = vec4f(params.a);
  let b = vec4f(params.b);
  ${each((i) => `var x${i} = vec4f(f32(id.x + ${i}u));`)}
  for (var i = 0u; i < params.rounds; i++) {
  ${Array.from({ length: 8 }, () => round).join('\n  ')}
  }
  result[id.x] = ${Array.from({ length: vectors }, (_, i) => `x${i}`).join(' + ')};
}`;
}

/** An invocation copies `each` vectors, a workgroup a stretch without gaps. */
function copyShader(each: number): string {
  const moves = Array.from(
    { length: each },
    (_, i) => `result[at + ${i * GROUP}u] = source[at + ${i * GROUP}u];`,
  );
  return /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> result: array<vec4f>;
@group(0) @binding(1) var<storage, read> source: array<vec4f>;
@compute @workgroup_size(${GROUP})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let at = (group.y * groups.x + group.x) * ${GROUP * each}u + lane;
  ${moves.join('\n  ')}
}`;
}

const EMPTY_SHADER = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> result: array<vec4f>;
@compute @workgroup_size(1)
fn main() { result[0] += vec4f(1.0); }`;

/** Seconds of `count` dispatches in one pass, from the call to the GPU's word that it is done. */
type Run = (count: number) => Promise<number>;

function pipelineRun(
  device: GPUDevice,
  code: string,
  buffers: readonly GPUBuffer[],
  groups: readonly [number, number],
): Run {
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
  });
  const bindGroup = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  return async (count) => {
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindGroup);
    for (let i = 0; i < count; i++) pass.dispatchWorkgroups(...groups);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return (performance.now() - began) / 1000;
  };
}

/** Grows what one run does until it is long enough to be timed. */
async function enough(
  run: (amount: number) => Promise<number>,
  amount: number,
  most: number,
): Promise<number> {
  await run(amount);
  let now = amount;
  while (now < most && (await run(now)) < ENOUGH_SECONDS) now *= 2;
  return now;
}

/** The least time of all variants, one after the other. */
async function quickest(variants: readonly (() => Promise<number>)[]): Promise<number> {
  let least = Infinity;
  for (const variant of variants) least = Math.min(least, await variant());
  return least;
}

async function multiplyAdd(device: GPUDevice): Promise<Prepared> {
  const result = device.createBuffer({ size: GROUPS * GROUP * 16, usage: GPUBufferUsage.STORAGE });
  const params = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const variants: (() => Promise<number>)[] = [];
  for (const vectors of VECTORS) {
    const run = pipelineRun(device, multiplyAddShader(vectors), [result, params], [GROUPS, 1]);
    const rounds = async (count: number): Promise<number> => {
      const words = new DataView(new ArrayBuffer(16));
      words.setFloat32(0, 0.999, true);
      words.setFloat32(4, 0.001, true);
      words.setUint32(8, count, true);
      device.queue.writeBuffer(params, 0, words.buffer);
      return run(1);
    };
    const count = await enough(rounds, 1, 2 ** 20);
    const operations = 2 * 4 * vectors * 8 * count * GROUPS * GROUP;
    variants.push(async () => (await rounds(count)) / (operations / 1e9));
  }
  return {
    check: null,
    run: async () => ({ seconds: await quickest(variants) }),
    dispose: () => [result, params].forEach((buffer) => buffer.destroy()),
  };
}

async function copy(device: GPUDevice): Promise<Prepared> {
  const size = Math.min(COPY_BYTES, device.limits.maxStorageBufferBindingSize);
  const buffers = [0, 1].map(() => device.createBuffer({ size, usage: GPUBufferUsage.STORAGE }));
  const variants: (() => Promise<number>)[] = [];
  for (const each of VECTORS) {
    const groups = size / 16 / GROUP / each;
    const rows = Math.ceil(groups / device.limits.maxComputeWorkgroupsPerDimension);
    const run = pipelineRun(device, copyShader(each), buffers, [Math.ceil(groups / rows), rows]);
    const count = await enough(run, 1, 256);
    variants.push(async () => (await run(count)) / ((2 * size * count) / 1e9));
  }
  return {
    check: null,
    run: async () => ({ seconds: await quickest(variants) }),
    dispose: () => buffers.forEach((buffer) => buffer.destroy()),
  };
}

/** Seconds that each further dispatch in an open pass costs. */
async function dispatch(device: GPUDevice): Promise<Prepared> {
  const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
  const run = pipelineRun(device, EMPTY_SHADER, [buffer], [1, 1]);
  const [few, many] = [100, 2100];
  await run(many);
  return {
    check: null,
    run: async () => ({ seconds: ((await run(many)) - (await run(few))) / (many - few) }),
    dispose: () => buffer.destroy(),
  };
}

/** Seconds from a submit to a mapped result of four bytes. */
function roundTrip(device: GPUDevice): Prepared {
  const source = device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_SRC });
  const target = device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  return {
    check: null,
    run: async () => {
      const began = performance.now();
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(source, 0, target, 0, 4);
      device.queue.submit([encoder.finish()]);
      await target.mapAsync(GPUMapMode.READ);
      const seconds = (performance.now() - began) / 1000;
      target.unmap();
      return { seconds };
    },
    dispose: () => [source, target].forEach((buffer) => buffer.destroy()),
  };
}

/** `seconds` of a sample are those of 10⁹ operations, of 10⁹ bytes, of one dispatch or of one round trip. */
export function prepareGpuCeiling(device: GPUDevice, { what }: CeilingWorkload): Promise<Prepared> {
  switch (what) {
    case 'multiply-add':
      return multiplyAdd(device);
    case 'copy':
      return copy(device);
    case 'dispatch':
      return dispatch(device);
    case 'round trip':
      return Promise.resolve(roundTrip(device));
  }
}
