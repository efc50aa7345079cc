/**
 * Prebuilt commands of a batch: each kernel with its bind group, in the order of a token and of a prefill. They are submitted in pieces,
 * so that no submission keeps a slow GPU busy for long: the page must be drawn in between, and drivers reset a device that does not
 * answer for about two seconds.
 */
import type { ModelConfig } from '../../model/config.ts';
import type { BufferSlice, GpuBuffers } from './buffers.ts';
import type { CompiledKernel, GpuProgram, KernelName } from './program.ts';
import type { GpuWeights } from './weights.ts';

/** A kernel with its bind group. */
export interface Command {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly workgroups: (rows: number) => number;
  /** Multiplications for each row, where they are many. */
  readonly rowWork: number;
}

export interface GpuCommands {
  /** The first token of every fresh row. */
  readonly first: readonly Command[];
  /** One token of every running row. */
  readonly token: readonly Command[];
  /** Prompt tokens: the embedding, each layer, and keeping what the last ones leave. */
  readonly prefill: {
    readonly before: readonly Command[];
    readonly layers: readonly (readonly Command[])[];
    readonly after: readonly Command[];
  };
}

const whole = (buffer: GPUBuffer): GPUBindingResource => ({ buffer });

export function buildCommands(
  device: GPUDevice,
  config: ModelConfig,
  program: GpuProgram,
  weights: GpuWeights,
  table: GPUBuffer,
  buffers: GpuBuffers,
): GpuCommands {
  const command = (name: KernelName, resources: readonly (GPUBuffer | BufferSlice)[]): Command => {
    const { pipeline, layout, workgroups, rowWork }: CompiledKernel = program[name];
    const group = device.createBindGroup({
      label: name,
      layout,
      entries: resources.map((resource, binding) => ({
        binding,
        resource: 'buffer' in resource ? resource : whole(resource),
      })),
    });
    return { pipeline, group, workgroups, rowWork };
  };
  const { list, slots, bounds, settings, output, x, qkv, mixed, gated, logits, hidden, caches } = buffers;
  const optional = (name: string): BufferSlice[] => (weights.has(name) ? [weights.slice(name)] : []);

  const layers = caches.map(({ keys, values }, layer) => {
    const prefix = `model.layers.${layer}`;
    const linear = (
      kernel: KernelName,
      name: string,
      from: GPUBuffer,
      to: GPUBuffer,
      norm: readonly BufferSlice[] = [],
    ): Command =>
      command(kernel, [
        list,
        from,
        weights.slice(`${prefix}.${name}.weight`),
        to,
        ...norm,
        ...optional(`${prefix}.${name}.bias`),
      ]);
    const attention = (kernel: KernelName): Command =>
      command(kernel, [
        list,
        qkv,
        table,
        keys,
        values,
        mixed,
        ...optional(`${prefix}.self_attn.q_norm.weight`),
        ...optional(`${prefix}.self_attn.k_norm.weight`),
      ]);
    return {
      before: linear('queriesKeysValues', 'self_attn.qkv_proj', x, qkv, [
        weights.slice(`${prefix}.input_layernorm.weight`),
      ]),
      step: attention('attentionStep'),
      append: attention('attentionAppend'),
      attend: attention('attentionAttend'),
      after: [
        linear('output', 'self_attn.o_proj', mixed, x),
        linear('gateUp', 'mlp.gate_up_proj', x, gated, [
          weights.slice(`${prefix}.post_attention_layernorm.weight`),
        ]),
        linear('down', 'mlp.down_proj', gated, x),
      ],
    };
  });

  const embedding = weights.slice('model.embed_tokens.weight');
  const head = config.tiedHead ? embedding : weights.slice('lm_head.weight');
  const embed = command('embed', [list, embedding, x]);
  const project = command('head', [list, x, head, logits, weights.slice('model.norm.weight')]);
  const sample = command('sample', [list, logits, settings, slots, output]);
  return {
    first: [
      command('gatherFresh', [slots, list, bounds]),
      command('recall', [list, hidden, x]),
      project,
      sample,
    ],
    token: [
      command('gatherRunning', [slots, list, bounds]),
      embed,
      ...layers.flatMap(({ before, step, after }) => [before, step, ...after]),
      project,
      sample,
    ],
    prefill: {
      before: [embed],
      layers: layers.map(({ before, append, attend, after }) => [before, append, attend, ...after]),
      after: [command('keep', [list, x, hidden])],
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
