/** The kernels of one model under one plan, compiled once: for a layer, for what comes after the last, and for the rows. */
import {
  attentionKernel,
  embedKernel,
  gatherKernel,
  keepKernel,
  linearKernel,
  outputWidth,
  recallKernel,
  sampleKernel,
  SLOT_FRESH,
  SLOT_RUNNING,
  type BindingKind,
  type DecodeKernel,
  type DecodePlan,
  type LinearSpec,
} from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';
import type { WeightPrecision } from '../weights.ts';

export interface CompiledKernel {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
  readonly workgroups: (rows: number) => number;
  readonly rowWork: number;
}

/** Whether the kernels take a model: whole vectors of 4 everywhere, halves of a head included. */
export function decodesOnGpu({ hiddenSize, mlpSize, headDim }: ModelConfig): boolean {
  return hiddenSize % 4 === 0 && mlpSize % 4 === 0 && headDim % 8 === 0 && headDim <= 256;
}

const BUFFER_TYPES: Readonly<Record<BindingKind, GPUBufferBindingType>> = {
  read: 'read-only-storage',
  write: 'storage',
  uniform: 'uniform',
};

async function compile(device: GPUDevice, kernel: DecodeKernel): Promise<CompiledKernel> {
  const { label, code, bindings, workgroups, rowWork } = kernel;
  const layout = device.createBindGroupLayout({
    label,
    entries: bindings.map((kind, binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: BUFFER_TYPES[kind] },
    })),
  });
  const pipeline = await device.createComputePipelineAsync({
    label,
    layout: device.createPipelineLayout({ label, bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ label, code }), entryPoint: 'main' },
  });
  return { pipeline, layout, workgroups, rowWork };
}

function linearSpecs(config: ModelConfig, precision: WeightPrecision) {
  const { hiddenSize, heads, kvHeads, headDim, mlpSize, vocabSize, rmsEps } = config;
  const half = precision === 'f16';
  const queries = heads * headDim;
  const common = { layout: 'nn', half, normEpsilon: null, bias: false, epilogue: 'store' } as const;
  return {
    queriesKeysValues: {
      ...common,
      label: 'norm + q, k, v',
      inputs: hiddenSize,
      outputs: queries + 2 * kvHeads * headDim,
      normEpsilon: rmsEps,
      bias: config.qkvBias,
    },
    output: {
      ...common,
      label: 'o + residual',
      inputs: queries,
      outputs: hiddenSize,
      bias: config.outBias,
      epilogue: 'residual',
    },
    gateUp: {
      ...common,
      label: 'norm + gate, up + SwiGLU',
      inputs: hiddenSize,
      outputs: 2 * mlpSize,
      normEpsilon: rmsEps,
      bias: config.mlpBias,
      epilogue: 'swiglu',
    },
    down: {
      ...common,
      label: 'down + residual',
      inputs: mlpSize,
      outputs: hiddenSize,
      bias: config.mlpBias,
      epilogue: 'residual',
    },
    head: {
      ...common,
      label: 'norm + head',
      inputs: hiddenSize,
      outputs: vocabSize,
      layout: 'nt',
      normEpsilon: rmsEps,
    },
  } satisfies Record<string, LinearSpec>;
}

function kernelsOf(config: ModelConfig, precision: WeightPrecision, plan: DecodePlan) {
  const { hiddenSize, heads, kvHeads, headDim, vocabSize } = config;
  const linear = linearSpecs(config, precision);
  const attention = { heads, kvHeads, headDim, headNormEpsilon: config.qkNorm ? config.rmsEps : null };
  return {
    gatherRunning: gatherKernel(plan, SLOT_RUNNING),
    gatherFresh: gatherKernel(plan, SLOT_FRESH),
    embed: embedKernel(hiddenSize, precision === 'f16'),
    recall: recallKernel(hiddenSize),
    keep: keepKernel(hiddenSize),
    queriesKeysValues: linearKernel(linear.queriesKeysValues, plan),
    attentionStep: attentionKernel(attention, 'step', plan),
    attentionAppend: attentionKernel(attention, 'append', plan),
    attentionAttend: attentionKernel(attention, 'attend', plan),
    output: linearKernel(linear.output, plan),
    gateUp: linearKernel(linear.gateUp, plan),
    down: linearKernel(linear.down, plan),
    head: linearKernel(linear.head, plan),
    sample: sampleKernel(vocabSize, outputWidth(linear.head), false, plan),
  };
}

export type KernelName = keyof ReturnType<typeof kernelsOf>;
export type GpuProgram = Readonly<Record<KernelName, CompiledKernel>>;

/** Floats of one row of logits. */
export const logitsWidth = (config: ModelConfig): number => outputWidth(linearSpecs(config, 'f32').head);

/** The same program, but drawing with top-k and top-p. Its one kernel of its own is large, and most runs never need it. */
export async function compileFiltered(
  device: GPUDevice,
  config: ModelConfig,
  program: GpuProgram,
  plan: DecodePlan,
): Promise<GpuProgram> {
  const sample = await compile(device, sampleKernel(config.vocabSize, logitsWidth(config), true, plan));
  return { ...program, sample };
}

/** Compiles all of it at once. */
export async function compileProgram(
  device: GPUDevice,
  config: ModelConfig,
  precision: WeightPrecision,
  plan: DecodePlan,
): Promise<GpuProgram> {
  const kernels = Object.entries(kernelsOf(config, precision, plan));
  const compiled = await Promise.all(
    kernels.map(async ([name, kernel]) => [name, await compile(device, kernel)] as const),
  );
  return Object.fromEntries(compiled) as GpuProgram;
}

/** Groups on hardware. A software adapter computes on the CPU, where barriers cost more than they share. */
export function planFor(device: GPUDevice, software: boolean): DecodePlan {
  if (!software) return 'groups';
  const { subgroupMinSize = 0 } = device.adapterInfo;
  return device.features.has('subgroups') && subgroupMinSize >= 4 ? 'quads' : 'items';
}
