/** The memory that a run takes, and the machine's limits. */
import type { RunConfig } from '../settings/schema/schema.ts';
import type { ModelConfig, StoredType } from '@rl-playground/engine/parts';

/** The parts of a model that a plan needs: its `config.json` has all of them. */
export interface PlannedModel {
  readonly config: ModelConfig;
  /** The type of the numbers in its files. */
  readonly storedType: StoredType;
  /** Tokens of the longest prompt that its tokenizer makes of the run's tasks; null where there is no tokenizer to ask. */
  readonly promptTokens: number | null;
}

/** Bytes; null where nobody knows. */
export interface MemoryLimits {
  readonly maxBufferSize: number | null;
  readonly maxStorageBufferBindingSize: number | null;
  readonly gpuBytes: number | null;
  readonly hostBytes: number | null;
}

export interface PlanItem {
  readonly name: string;
  readonly where: 'gpu' | 'host';
  readonly bytes: number;
}

export interface PlanAdvice {
  readonly text: string;
  /** The changes to the run's settings with which it fits. */
  readonly settings: Partial<RunConfig>;
}

/** The measured speed of this machine. */
export interface MachineRates {
  /** Floating-point operations per second in training, and in decoding many rows at once. */
  readonly trainFlops: number;
  readonly decodeFlops: number;
}

export interface StepEstimate {
  /** The expected seconds, or null if this machine was not measured. */
  readonly seconds: number | null;
  readonly text: string;
}

export interface Plan {
  readonly items: readonly PlanItem[];
  readonly peak: { readonly gpu: number; readonly host: number };
  readonly limits: MemoryLimits;
  readonly fits: boolean;
  /** The changes that would help, at most three; none if the run fits, or if no change is known. */
  readonly advice: readonly PlanAdvice[];
  readonly step: StepEstimate;
}

/** Where a run computes: under wasm all memory is the host's, and the heap of one thread ends at 4 GB. */
export type PlannedBackend = 'webgpu' | 'wasm';
