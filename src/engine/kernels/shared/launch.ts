/**
 * The two forms of most of our WGSL kernels: one invocation for each item, or several that work together.
 *
 * An op's folder: a small op is one file with its attributes, its registration and both bodies, wasm and WebGPU. A large one has its
 * bodies in `wasm.ts` and `webgpu.ts`; `wasm.ts` declares the attributes, because both the op and `webgpu.ts` can import them from there.
 */
import {
  foldedGrid,
  shaderHeader,
  u32,
  type Binding,
  type GpuDispatcher,
  type UniformWord,
} from '../../backend/dispatch.ts';

export interface Launch {
  /** The name of the code: equal keys must mean equal WGSL. */
  readonly key: string;
  readonly items: number;
  /**
   * The bindings, from `name: element type` to the tensor, or the part of one. The code must use each of them. It may also read what it
   * writes, but no tensor may be in both lists.
   */
  readonly reads?: Readonly<Record<string, Binding>>;
  readonly writes: Readonly<Record<string, Binding>>;
  /** The members of `params`. */
  readonly uniforms?: Readonly<Record<string, UniformWord>>;
  /** Functions and constants beside the entry point. */
  readonly declarations?: () => string;
  /** The statements of the entry point. They see `item`, and under `launchGroups` also `lane`. */
  readonly body: () => string;
  /** The number of multiplications in it, if there are many. */
  readonly work?: number;
}

const ITEMS_PER_GROUP = 64;
/** The size of a small workgroup. A workgroup of a software adapter runs on one thread, so small ones share long items out evenly. */
const SMALL_GROUP = 16;

/** Runs `body` in one invocation for each item. */
export function launchItems(gpu: GpuDispatcher, launch: Launch): void {
  launchInGroupsOf(ITEMS_PER_GROUP, gpu, launch);
}

function launchInGroupsOf(size: number, gpu: GpuDispatcher, launch: Launch): void {
  dispatchFolded(
    gpu,
    { ...launch, key: `${launch.key}-by-${size}` },
    size,
    () => /* wgsl */ `
@compute @workgroup_size(${size})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let item = (group.y * params.groupsPerRow + group.x) * ${size}u + index;
  if (item >= params.items) { return; }
  ${launch.body()}
}
`,
  );
}

/**
 * Runs `body` in four neighbouring invocations for each item, with `lane` 0 … 3. They may use quad operations wherever all four take the
 * same path. It needs the feature `subgroups`, and is meant for software adapters, where a load costs more than exchanging values.
 */
export function launchQuads(gpu: GpuDispatcher, launch: Launch): void {
  dispatchFolded(
    gpu,
    { ...launch, key: `${launch.key}-quads` },
    SMALL_GROUP / 4,
    () => /* wgsl */ `
@compute @workgroup_size(${SMALL_GROUP})
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) index: u32,
  @builtin(subgroup_invocation_id) subgroupIndex: u32,
) {
  let item = (group.y * params.groupsPerRow + group.x) * ${SMALL_GROUP / 4}u + index / 4u;
  if (item >= params.items) { return; }
  let lane = subgroupIndex % 4u;
  ${launch.body()}
}
`,
    'enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n',
  );
}

/** The widest row that is left to one invocation: work that narrow does not pay for barriers. */
const MAX_NARROW_ROW = 256;

/**
 * The number of lanes for a row. It depends on the width alone, so that a row's sum does not depend on how many rows there are. A
 * software adapter has one lane, because barriers make a kernel 10 to 20 times slower there.
 */
export function lanesFor({ software }: GpuDispatcher, width: number): number {
  if (width <= MAX_NARROW_ROW || software) return 1;
  return width <= 1024 ? 64 : 256;
}

/**
 * Runs `body` in `lanes` invocations (a power of two) for each item. It sees `LANES`, `lane`, `sumOverLanes` and
 * `maxOverLanes`; every lane must call the two, and gets the result. They reduce as a tree of fixed shape.
 */
export function launchGroups(gpu: GpuDispatcher, launch: Launch, lanes: number): void {
  if (lanes === 1) {
    const size = gpu.software ? SMALL_GROUP : ITEMS_PER_GROUP;
    const declarations = () => `${launch.declarations?.() ?? ''}${SINGLE_LANE}`;
    launchInGroupsOf(size, gpu, { ...launch, declarations });
    return;
  }
  dispatchFolded(
    gpu,
    { ...launch, key: `${launch.key}-${lanes}` },
    1,
    () => /* wgsl */ `
const LANES = ${lanes}u;
var<workgroup> partials: array<f32, LANES>;
${laneReduction('sumOverLanes', (a, b) => `${a} + ${b}`)}
${laneReduction('maxOverLanes', (a, b) => `max(${a}, ${b})`)}
@compute @workgroup_size(${lanes})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let item = group.y * params.groupsPerRow + group.x;
  if (item >= params.items) { return; }
  ${launch.body()}
}
`,
  );
}

const SINGLE_LANE = /* wgsl */ `
const LANES = 1u;
const lane = 0u;
fn sumOverLanes(value: f32, lane: u32) -> f32 { return value; }
fn maxOverLanes(value: f32, lane: u32) -> f32 { return value; }
`;

function laneReduction(name: string, join: (a: string, b: string) => string): string {
  return /* wgsl */ `
fn ${name}(value: f32, lane: u32) -> f32 {
  partials[lane] = value;
  workgroupBarrier();
  for (var stride = LANES / 2u; stride > 0u; stride /= 2u) {
    if (lane < stride) { partials[lane] = ${join('partials[lane]', 'partials[lane + stride]')}; }
    workgroupBarrier();
  }
  return workgroupUniformLoad(&partials[0]);
}`;
}

function dispatchFolded(
  gpu: GpuDispatcher,
  { key, items, reads = {}, writes, uniforms = {}, declarations, work = 0 }: Launch,
  itemsPerGroup: number,
  entryPoint: () => string,
  directives = '',
): void {
  const { workgroups, groupsPerRow } = foldedGrid(items, itemsPerGroup);
  const words = { ...uniforms, items: u32(items), groupsPerRow: u32(groupsPerRow) };
  gpu.dispatch({
    key,
    code: () => {
      const header = shaderHeader({
        reads: Object.keys(reads),
        writes: Object.keys(writes),
        uniforms: Object.entries(words).map(([name, word]) => `${name}: ${word.type}`),
      });
      return `${directives}${header}${declarations?.() ?? ''}${entryPoint()}`;
    },
    reads: Object.values(reads),
    writes: Object.values(writes),
    uniforms: Object.values(words),
    workgroups,
    work,
  });
}
