/** The models and devices that decode here, their plan, and their compiled kernels. */
import { factsOfDevice, hasFeature } from '../../backend/adapterFacts.ts';
import { lifeSign } from '../../backend/lifeSign.ts';
import type { BindingKind, DecodeKernel, DecodePlan } from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';

/** True if the kernels support a model: its sizes must be whole vectors of 4 everywhere, including the halves of a head. */
export function decodesOnGpu({ hiddenSize, mlpSize, headDim }: ModelConfig): boolean {
  return hiddenSize % 4 === 0 && mlpSize % 4 === 0 && headDim % 8 === 0 && headDim <= 256;
}

/** Chooses groups on hardware. A software adapter computes on the CPU, where barriers cost more than sharing saves. */
export function planFor(device: GPUDevice): DecodePlan {
  const { software, subgroupMinSize } = factsOfDevice(device);
  if (!software) return 'groups';
  return hasFeature(device, 'subgroups') && subgroupMinSize >= 4 ? 'quads' : 'items';
}

export interface CompiledKernel {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

const BUFFER_TYPES: Readonly<Record<BindingKind, GPUBufferBindingType>> = {
  read: 'read-only-storage',
  write: 'storage',
  uniform: 'uniform',
};

/** The compiled kernels of one decoder. Each is compiled once, however many layers use it. */
export class GpuProgram {
  readonly #device: GPUDevice;
  /** The kernels that are being compiled, by their code. */
  readonly #compiling = new Map<string, Promise<CompiledKernel>>();
  readonly #compiled = new Map<string, CompiledKernel>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** Compiles new kernels, all at once. Rejects if the device refuses one. */
  async compile(kernels: readonly DecodeKernel[]): Promise<void> {
    const compiling = kernels.map((kernel) => {
      const known = this.#compiling.get(kernel.code) ?? this.#compile(kernel);
      this.#compiling.set(kernel.code, known);
      return known;
    });
    await Promise.all(compiling);
  }

  async #compile({ label, code, bindings }: DecodeKernel): Promise<CompiledKernel> {
    const device = this.#device;
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
    const compiled = { pipeline, layout };
    this.#compiled.set(code, compiled);
    lifeSign();
    return compiled;
  }

  /** Returns a compiled kernel. @throws Error if `compile` has not been awaited for it. */
  of({ label, code }: DecodeKernel): CompiledKernel {
    const compiled = this.#compiled.get(code);
    if (!compiled) throw new Error(`The kernel "${label}" has not been compiled.`);
    return compiled;
  }
}
