/**
 * Merges an adapter into a generator's weights on the GPU. The base stays on the host, because on the GPU it would double the memory of
 * the weights in each generator. Its matrices are copied to one small buffer, part by part, and from there a kernel writes W + (α /
 * r)·A·B to the weights, rounded to f16 at the end if these are halves.
 */
import { UNIFORM_BYTES, uniformBatch, type UniformBatch } from '../../backend/gpuBindings.ts';
import {
  mergeColumnsGrid,
  mergeColumnsKey,
  mergeColumnsShader,
  mergeColumnsVariant,
  type MergeColumnsShape,
  type MergeColumnsVariant,
} from '../../kernels/mergeColumns/shader.ts';
import type { AdapterMatrix } from '../../model/lora.ts';
import {
  rowChunks,
  smallestPart,
  type MergedParameter,
  type MergePlan,
  type MergeProduct,
} from '../../model/mergePlan.ts';
import type { BufferSlice } from './buffers.ts';

/** The bytes of the base on the GPU at a time. A part with longer rows may be larger. */
const PART_BYTES = 16 * 2 ** 20;
const BINDING_ALIGNMENT = 256;
/** The most dispatches in a submission. */
const DISPATCHES = 64;

const aligned = (bytes: number): number => Math.ceil(bytes / BINDING_ALIGNMENT) * BINDING_ALIGNMENT;

/** The place of a parameter of the merged weights. */
export interface MergeTarget extends BufferSlice {
  /** True if it is stored as f16 pairs. */
  readonly half: boolean;
}

export class GpuMerge {
  readonly #device: GPUDevice;
  readonly #scale: number;
  readonly #factors: GPUBuffer;
  readonly #parts: GPUBuffer;
  readonly #uniforms: UniformBatch;
  readonly #pipelines = new Map<string, GPUComputePipeline>();
  /** The bytes of parts that the recorded commands will read. */
  #used = 0;
  #encoder: GPUCommandEncoder | null = null;
  #pass: GPUComputePassEncoder | null = null;

  /** `passing` are the parameters that will be written from the base through this buffer. */
  constructor(
    device: GPUDevice,
    { scale, factors }: MergePlan,
    passing: readonly MergedParameter[],
    partBytes = PART_BYTES,
  ) {
    this.#device = device;
    this.#scale = scale;
    const buffer = (label: string, size: number): GPUBuffer =>
      device.createBuffer({ label, size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST });
    this.#factors = buffer('adapter', factors * 4);
    const smallest = Math.max(...passing.map((parameter) => aligned(smallestPart(parameter) * 4)));
    const all = passing.reduce((sum, { rows, width }) => sum + aligned(rows * width * 4), 0);
    this.#parts = buffer('parts of the base', Math.max(smallest, Math.min(all, partBytes)));
    this.#uniforms = uniformBatch(device, DISPATCHES);
  }

  /** Sets the factors of all products that are written from now on. */
  setFactors(factors: Float32Array<ArrayBuffer>): void {
    this.#device.queue.writeBuffer(this.#factors, 0, factors);
  }

  /** Records that a whole parameter takes its values in the base's pool. */
  writeBase(parameter: MergedParameter, base: Float32Array, target: MergeTarget): void {
    this.#write(parameter, base, target, [null]);
  }

  /** Records that the columns of an adapter become base plus product. The other columns do not change. */
  writeMerged(parameter: MergedParameter, base: Float32Array, target: MergeTarget): void {
    this.#write(parameter, base, target, parameter.products);
  }

  /** Submits what was recorded, so that it runs before any later submission. */
  submit(): void {
    this.#pass?.end();
    this.#pass = null;
    this.#uniforms.flush();
    if (this.#encoder) this.#device.queue.submit([this.#encoder.finish()]);
    this.#encoder = null;
    this.#used = 0;
  }

  dispose(): void {
    for (const buffer of [this.#factors, this.#parts, this.#uniforms.buffer]) buffer.destroy();
  }

  /** `products`: null adds nothing to any column. */
  #write(
    parameter: MergedParameter,
    base: Float32Array,
    target: MergeTarget,
    products: readonly (MergeProduct | null)[],
  ): void {
    const { width, baseOffset } = parameter;
    for (const { firstRow, rows } of rowChunks(parameter, this.#parts.size / 4)) {
      const size = rows * width * 4;
      if (this.#used + size > this.#parts.size) this.submit();
      const part = { buffer: this.#parts, offset: this.#used, size };
      this.#device.queue.writeBuffer(
        this.#parts,
        part.offset,
        base,
        baseOffset + firstRow * width,
        rows * width,
      );
      this.#used += aligned(size);
      for (const product of products) {
        const columns = product ? product.right.shape[1] : width;
        const inner = product ? product.left.shape[0] : 0;
        const shape = {
          allRows: parameter.rows,
          rows,
          firstRow,
          width,
          column: product?.column ?? 0,
          columns,
          inner,
          scale: this.#scale,
        };
        this.#dispatch(shape, part, product, target);
      }
    }
  }

  #dispatch(
    shape: MergeColumnsShape,
    part: BufferSlice,
    product: MergeProduct | null,
    { half, ...merged }: MergeTarget,
  ): void {
    const variant = mergeColumnsVariant(shape, half ? 'halves' : 'f32');
    const pipeline = this.#pipeline(variant);
    const { workgroups, uniforms } = mergeColumnsGrid(shape, variant);
    // Writes of the queue run before later submissions, so the part stays in place for the products still to come.
    if (this.#uniforms.full) this.#submitKeepingParts();
    const words = {
      buffer: this.#uniforms.buffer,
      offset: this.#uniforms.add(uniforms),
      size: UNIFORM_BYTES,
    };
    const resources = [part, this.#factorsOf(product?.left), this.#factorsOf(product?.right), merged, words];
    const group = this.#device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
    this.#encoder ??= this.#device.createCommandEncoder();
    this.#pass ??= this.#encoder.beginComputePass();
    this.#pass.setPipeline(pipeline);
    this.#pass.setBindGroup(0, group);
    this.#pass.dispatchWorkgroups(...workgroups);
  }

  #submitKeepingParts(): void {
    const used = this.#used;
    this.submit();
    this.#used = used;
  }

  /** The binding of a matrix of factors. Without a product none is read, but something must be bound. */
  #factorsOf(matrix?: AdapterMatrix): BufferSlice {
    if (!matrix) return { buffer: this.#factors, offset: 0, size: BINDING_ALIGNMENT };
    const [rows, columns] = matrix.shape;
    return { buffer: this.#factors, offset: matrix.offset * 4, size: rows * columns * 4 };
  }

  #pipeline(variant: MergeColumnsVariant): GPUComputePipeline {
    if (variant.form === 'halves' && !variant.vectors)
      throw new Error('An adapter can be merged into halves only where all widths are multiples of 4.');
    const label = mergeColumnsKey(variant);
    const known = this.#pipelines.get(label);
    if (known) return known;
    const module = this.#device.createShaderModule({ label, code: mergeColumnsShader(variant) });
    const pipeline = this.#device.createComputePipeline({
      label,
      layout: 'auto',
      compute: { module, entryPoint: 'main' },
    });
    this.#pipelines.set(label, pipeline);
    return pipeline;
  }
}
