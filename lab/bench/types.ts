/** The types of a benchmark: suites, workloads that participants run, and the records of its result. */
import {
  QUANTIZED_FORMATS,
  type GemmLayout,
  type LoraTarget,
  type WeightPrecision,
  type ModelFiles,
} from '@rl-playground/engine/parts';

/** The frozen formats that are made of any numbers here. */
export const FORMATS_OF_NUMBERS = ['f32', 'f16', 'bf16', ...QUANTIZED_FORMATS] as const;
export type FormatOfNumbers = (typeof FORMATS_OF_NUMBERS)[number];

export const SUITE_NAMES = ['gemm', 'ops', 'train', 'rollout', 'sync', 'step', 'lora'] as const;
export type SuiteName = (typeof SUITE_NAMES)[number];
/** The suites that do not take long. */
export const DEFAULT_SUITES: readonly SuiteName[] = SUITE_NAMES.filter((name) => name !== 'lora');

export type BackendName = 'webgpu' | 'wasm';

/** The peers in a browser: three libraries, and ours on the CPU. */
export const PAGE_PEERS = ['tfjs', 'jax-js', 'transformers.js', 'wasm'] as const;
/** The peers outside a page: plain torch, the same with products in TF32, and TRL's trainer. They need a Python that has them. */
export const PYTHON_PEERS = ['torch', 'torch tf32', 'trl'] as const;
export const PEER_NAMES = [...PAGE_PEERS, ...PYTHON_PEERS] as const;
export type PythonPeer = (typeof PYTHON_PEERS)[number];
export type PeerName = (typeof PEER_NAMES)[number];
export type PageParticipantName = 'ours' | (typeof PAGE_PEERS)[number];
export type ParticipantName = 'ours' | PeerName;

export const isPythonPeer = (name: ParticipantName): name is PythonPeer =>
  (PYTHON_PEERS as readonly ParticipantName[]).includes(name);

/** The source of a model: a folder in Hugging Face layout or a GGUF file at an address, or random weights in a known shape. */
export type ModelSource =
  | { readonly kind: 'folder'; readonly label: string; readonly address: string }
  | { readonly kind: 'shape'; readonly name: string };

export interface GemmWorkload {
  readonly kind: 'gemm';
  readonly layout: GemmLayout;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** B is a frozen matrix in this format. */
  readonly frozen?: FormatOfNumbers;
}

export const OP_NAMES = [
  'attention',
  'attentionGradient',
  'rmsNorm',
  'swiglu',
  'tokenLogprobs',
  'adamw',
] as const;
export type OpName = (typeof OP_NAMES)[number];

/** Sizes of one op; an op reads those that concern it. */
export interface OpSizes {
  readonly batch: number;
  readonly length: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly hidden: number;
  readonly mlp: number;
  readonly vocabulary: number;
  /** Scalars that the optimizer updates. */
  readonly parameters: number;
}

export interface OpWorkload {
  readonly kind: 'op';
  readonly op: OpName;
  readonly sizes: OpSizes;
}

/** One update on `rollouts` sequences of `length` positions, half of them prompt unless groups say otherwise. */
export interface TrainWorkload {
  readonly kind: 'train';
  readonly model: ModelSource;
  readonly rollouts: number;
  readonly length: number;
  /** The length of a prompt, and the number of sequences, one behind the other, that begin with the same one. */
  readonly groups?: { readonly promptLength: number; readonly answers: number };
  /** The rank of LoRA's adapter of a frozen base, with the same α; without it all weights are trained. */
  readonly rank?: number;
  /** True to time the products of the update alone in turns with it; the seconds of their repeat are in `products` of a sample. */
  readonly products?: true;
}

/** `groups` prompts with `samples` completions each, every one `newTokens` long. */
export interface RolloutWorkload {
  readonly kind: 'rollout';
  readonly model: ModelSource;
  readonly groups: number;
  readonly samples: number;
  readonly promptLength: number;
  readonly newTokens: number;
  /** The rank of LoRA's adapter of a frozen base, with the same α; without it all weights are in one pool. */
  readonly rank?: number;
}

/**
 * A pass of GRPO with LoRA: `samples` answers to one prompt, each `newTokens` long, one update on them, and the adapter handed to
 * whoever samples. The base is frozen.
 */
export interface PassWorkload {
  readonly kind: 'pass';
  readonly model: ModelSource;
  readonly samples: number;
  readonly promptLength: number;
  readonly newTokens: number;
  /** The rank of LoRA on all maps of the blocks; α is the same. */
  readonly rank: number;
}

export const STEP_TASKS = ['sum_digits', 'reverse_digits'] as const;
export type StepTask = (typeof STEP_TASKS)[number];

/** A step of reinforcement learning with a task's default settings through the training loop, with the generators of a run. */
export interface StepWorkload {
  readonly kind: 'step';
  readonly model: ModelSource;
  readonly task: StepTask;
}

/** An adapter merged into the weights of one generator in this thread. */
export interface MergeWorkload {
  readonly kind: 'merge';
  readonly model: ModelSource;
  readonly rank: number;
  readonly targets: readonly LoraTarget[];
  /** The precision of the generator's weights. */
  readonly precision: WeightPrecision;
}

export type Workload =
  | GemmWorkload
  | OpWorkload
  | TrainWorkload
  | RolloutWorkload
  | PassWorkload
  | StepWorkload
  | MergeWorkload;

/** One timed repeat. `seconds` is the time of one run of the workload; further figures by name, CPU seconds under `cpu`. */
export type Sample = Readonly<Record<string, number>> & { readonly seconds: number };

/** A workload set up on a device, warmed up and ready to be timed. */
export interface Prepared {
  /** Values that every participant must agree on; null if there is nothing to compare. */
  readonly check: Float32Array | null;
  run(): Promise<Sample>;
  dispose(): void | Promise<void>;
}

/** A participant that runs workloads: ours, or a peer. `prepare` throws if it can't run this one. */
export interface Participant {
  /** One line on what it computes with. */
  readonly adapter: string;
  prepare(workload: Workload): Promise<Prepared>;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly unit: string;
}

export interface BenchResult {
  readonly name: string;
  readonly shape: string;
  /** Our figure; null if ours failed. */
  readonly ours: Spread | null;
  readonly peers: Readonly<Partial<Record<PeerName, Spread>>>;
  /** The factors by which ours is faster, whatever the unit. */
  readonly ratio: Readonly<Partial<Record<PeerName, number>>>;
  /** The ratio that is aimed at; under `ours` a bound on our own figure. */
  readonly target: Targets;
  /** The sentence on a figure that can't be right; left out if there is none. */
  readonly fault?: string;
  /** The libraries and devices of peers outside the page; left out if there were none. */
  readonly devices?: Readonly<Partial<Record<PeerName, string>>>;
  /** The errors by participant; left out if there were none. */
  readonly errors?: Readonly<Partial<Record<ParticipantName, string>>>;
}

export type Targets = Readonly<Partial<Record<ParticipantName, number>>>;

/** The first line of `--json`: what ours computes with. */
export interface BenchMachine {
  readonly adapter: string;
  readonly backend: BackendName;
}

/** The result of a benchmark. */
export interface BenchReport extends BenchMachine {
  readonly results: readonly BenchResult[];
}

/** The facts that a participant gets about the place in which it runs. */
export interface Environment {
  readonly backend: BackendName;
  /** True if there is a hardware GPU, whatever the backend. */
  readonly hardware: boolean;
  /** Folder of tfjs' wasm files, with the closing slash: an address in a page, a path in Node. */
  readonly wasmPath: string;
  /** Address of the folder with onnxruntime's files, with the closing slash; empty in Node, where it runs no model. */
  readonly onnxPath: string;
  /** CPU threads that a participant may use. */
  readonly threads: number;
}

/** Opens a model's folder or GGUF file: over HTTP in a worker, from disk in Node. */
export type OpenFiles = (label: string, address: string) => ModelFiles | Promise<ModelFiles>;
