/**
 * Prebuilt commands of a batch: each kernel with its bind group, in the order of a token and of a prefill. They are submitted in pieces,
 * so that no submission keeps a slow GPU busy for long: the page must be drawn in between, and drivers reset a device that does not
 * answer for about two seconds.
 */
import type { DecodeKernel } from '../../kernels/decode/index.ts';
import type { GpuBuffers } from './buffers.ts';
import type { GpuProgram } from './program.ts';
import type { BatchPlan, Step } from './step.ts';

/** A kernel with its bind group. */
export interface Command extends Pick<DecodeKernel, 'workgroups' | 'rowWork'> {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
}

export type GpuCommands = BatchPlan<Command>;

/** All kernels of the steps must have been compiled. */
export function buildCommands(
  device: GPUDevice,
  { first, token, prefill }: BatchPlan<Step>,
  program: GpuProgram,
  buffers: GpuBuffers,
): GpuCommands {
  const built = new Map<Step, Command>();
  const command = (step: Step): Command => {
    const known = built.get(step);
    if (known) return known;
    const { kernel, bind } = step;
    const { pipeline, layout } = program.of(kernel);
    const group = device.createBindGroup({
      label: kernel.label,
      layout,
      entries: bind(buffers).map((bound, binding) => ({
        binding,
        resource: 'buffer' in bound ? bound : { buffer: bound },
      })),
    });
    const made = { pipeline, group, workgroups: kernel.workgroups, rowWork: kernel.rowWork };
    built.set(step, made);
    return made;
  };
  return {
    first: first.map(command),
    token: token.map(command),
    prefill: {
      before: prefill.before.map(command),
      layers: prefill.layers.map((layer) => layer.map(command)),
      after: prefill.after.map(command),
    },
  };
}

/** Multiplications of a submission, at most: some 0.2 s on a slow integrated GPU. */
const SUBMISSION_WORK = 2e10;

/** Records commands, and submits them whenever they are enough work. */
export class CommandRecorder {
  readonly #device: GPUDevice;
  #encoder: GPUCommandEncoder | null = null;
  #pass: GPUComputePassEncoder | null = null;
  #work = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** For what is no dispatch; ends the open pass. */
  get encoder(): GPUCommandEncoder {
    this.#pass?.end();
    this.#pass = null;
    this.#encoder ??= this.#device.createCommandEncoder();
    return this.#encoder;
  }

  /** Commands for at most `rows` rows. */
  add(commands: readonly Command[], rows: number): void {
    for (const { pipeline, group, workgroups, rowWork } of commands) {
      this.#pass ??= this.encoder.beginComputePass();
      this.#pass.setPipeline(pipeline);
      this.#pass.setBindGroup(0, group);
      this.#pass.dispatchWorkgroups(...workgroups(rows));
      this.#work += rowWork * rows;
      if (this.#work >= SUBMISSION_WORK) this.submit();
    }
  }

  /** Submits what has been recorded since the last submission. */
  submit(): void {
    if (this.#encoder) this.#device.queue.submit([this.encoder.finish()]);
    this.#encoder = null;
    this.#work = 0;
  }
}
