/** Every message between the benchmark and a participant's worker. */
import type { ParticipantName, Sample, Workload } from '../types.ts';
import type { Environment } from './environment.ts';

export type ParticipantRequest =
  | { readonly kind: 'start'; readonly name: ParticipantName; readonly environment: Environment }
  | { readonly kind: 'prepare'; readonly workload: Workload }
  | { readonly kind: 'run' }
  | { readonly kind: 'dispose' };

/** What each kind of request is answered with. */
export interface ParticipantAnswers {
  readonly start: string;
  readonly prepare: Float32Array | null;
  readonly run: Sample;
  readonly dispose: null;
}

export interface RequestMessage {
  readonly id: number;
  readonly request: ParticipantRequest;
}

export type AnswerMessage =
  | { readonly id: number; readonly answer: ParticipantAnswers[ParticipantRequest['kind']] }
  | { readonly id: number; readonly error: string };
