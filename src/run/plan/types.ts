/** What a run takes of a machine's memory, and whether it is there. */
import type { RunConfig } from '../settings/schema/schema.ts';
import type { ModelConfig, StoredType } from '@rl-playground/engine/parts';

/** As much of a model as a plan needs: its `config.json` says all of it. */
export interface PlannedModel {
  readonly config: ModelConfig;
  /** Of the numbers in its files. */
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
  /** To be laid over the run's settings; with them it fits. */
  readonly settings: Partial<RunConfig>;
}

/** How fast this machine was seen to be. */
export interface MachineRates {
  /** Of products in training, and in decoding many rows at once. */
  readonly trainFlops: number;
  readonly decodeFlops: number;
}

export interface StepEstimate {
  /** Null where this machine was not measured. */
  readonly seconds: number | null;
  readonly text: string;
}

export interface Plan {
  readonly items: readonly PlanItem[];
  readonly peak: { readonly gpu: number; readonly host: number };
  readonly limits: MemoryLimits;
  readonly fits: boolean;
  /** At most three; none where it fits, and where nothing known would help. */
  readonly advice: readonly PlanAdvice[];
  readonly step: StepEstimate;
}

/** Where a run computes: under wasm all memory is the host's, and the heap of one thread ends at 4 GB. */
export type PlannedBackend = 'webgpu' | 'wasm';
