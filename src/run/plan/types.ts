/** The memory that a run takes of a machine, and the answer if it is there. */
import type { RunConfig } from '../settings/schema/schema.ts';
import type { ModelConfig, StoredType } from '@rl-playground/engine/parts';

/** The part of a model that a plan needs: its `config.json` says all of it. */
export interface PlannedModel {
  readonly config: ModelConfig;
  /** The type of most numbers in its files. */
  readonly storedType: StoredType;
  /** The type of each tensor by Hugging Face's name, where they are known and not all the same. */
  readonly storedTypes?: ReadonlyMap<string, StoredType>;
  /** Tokens of the longest prompt that its tokenizer makes of the run's tasks; null without a tokenizer. */
  readonly promptTokens: number | null;
}

/** Bytes; null if nobody knows. */
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
  /** These settings are laid over the run's, and then it fits. */
  readonly settings: Partial<RunConfig>;
}

/** The speed that this machine has shown. */
export interface MachineRates {
  /** Products a second in training, and in decoding many rows at once. */
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

/** The place where a run computes: under wasm all memory is the host's, and the heap of one thread ends at 4 GB. */
export type PlannedBackend = 'webgpu' | 'wasm';
