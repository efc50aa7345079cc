/**
 * Prebuilt commands of a batch: each kernel with its bind group, in the order of a token and of a prefill. They are submitted in pieces,
 * so that no submission keeps a slow GPU busy for long: the page must be drawn in between, and drivers reset a device that does not
 * answer for about two seconds.
 */
import { lifeSign } from '../../backend/lifeSign.ts';
import type { DecodeKernel } from '../../kernels/decode/index.ts';
import type { GpuBuffers } from './buffers.ts';
import type { GpuProgram } from './program.ts';
import type { BatchPlan, Step } from './step.ts';

export interface Command extends Pick<DecodeKernel, 'workgroups' | 'rowWork'> {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
}

export type GpuCommands = BatchPlan<Command>;

/** Builds the commands. All kernels of the steps must have been compiled. */
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

/** The way in which a decoder shares the GPU. */
export interface Pace {
  /** The most multiplications in a submission; a dispatch is never divided. */
  readonly submissionWork: number;
  /** True if each submission must be done before the next is made. */
  readonly waits: boolean;
  /** The number of rounds that are submitted before the oldest one's results are awaited. */
  readonly roundsAhead: number;
}

/** The pace on a device of its own: some 0.2 s a submission on a slow integrated GPU. */
export const STEADY: Pace = { submissionWork: 2e10, waits: false, roundsAhead: 2 };

/** The pace on the page's own device: some 10 ms a submission, less than a frame, and one submission at a time. */
export const BESIDE_PAGE: Pace = { submissionWork: 1e9, waits: true, roundsAhead: 1 };

/** Records commands, and submits them whenever they are enough work. */
export class CommandRecorder {
  readonly #device: GPUDevice;
  readonly #pace: Pace;
  #encoder: GPUCommandEncoder | null = null;
  #pass: GPUComputePassEncoder | null = null;
  #work = 0;

  constructor(device: GPUDevice, pace: Pace) {
    this.#device = device;
    this.#pace = pace;
  }

  /** The encoder for commands that are no dispatches. The open pass is ended. */
  get encoder(): GPUCommandEncoder {
    this.#pass?.end();
    this.#pass = null;
    this.#encoder ??= this.#device.createCommandEncoder();
    return this.#encoder;
  }

  /** Records commands for at most `rows` rows. Resolves when the next may be recorded. */
  async add(commands: readonly Command[], rows: number): Promise<void> {
    for (const { pipeline, group, workgroups, rowWork } of commands) {
      if (this.#work > 0 && this.#work + rowWork * rows > this.#pace.submissionWork) await this.submit();
      this.#pass ??= this.encoder.beginComputePass();
      this.#pass.setPipeline(pipeline);
      this.#pass.setBindGroup(0, group);
      this.#pass.dispatchWorkgroups(...workgroups(rows));
      this.#work += rowWork * rows;
    }
  }

  /** Submits what has been recorded since the last submission. Resolves when the next may be recorded. */
  async submit(): Promise<void> {
    const { queue } = this.#device;
    if (this.#encoder) queue.submit([this.encoder.finish()]);
    this.#encoder = null;
    this.#work = 0;
    const done = queue.onSubmittedWorkDone().then(lifeSign);
    if (this.#pace.waits) await done;
  }
}
