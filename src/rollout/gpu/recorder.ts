/**
 * Records commands and submits them in pieces, so that no submission keeps a slow GPU busy for long: the page must be drawn
 * in between, and drivers reset a device that does not answer for about two seconds.
 */

/** A kernel with its bind group. */
export interface Command {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly workgroups: (rows: number) => number;
  /** Multiplications for each row, where they are many. */
  readonly rowWork: number;
}

/** Multiplications of a submission, at most: some 0.2 s on a slow integrated GPU. */
const SUBMISSION_WORK = 2e10;

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
      this.#pass.dispatchWorkgroups(workgroups(rows));
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
