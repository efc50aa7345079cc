/**
 * A participant in a Web Worker of its own: a fresh realm, with one backend and nobody else's flags or threads; and every message
 * between it and the benchmark.
 */
import { messageOf } from '@rl-playground/base/errors';
import { filesAtUrl } from '@rl-playground/engine/parts';
import type { Environment, PageParticipantName, Participant, Prepared, Sample, Workload } from '../types.ts';
import { createParticipant } from './create.ts';

export type ParticipantRequest =
  | { readonly kind: 'start'; readonly name: PageParticipantName; readonly environment: Environment }
  | { readonly kind: 'prepare'; readonly workload: Workload }
  | { readonly kind: 'run' }
  | { readonly kind: 'dispose' };

/** The answers to each kind of request. */
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

let participant: Participant | null = null;
let prepared: Prepared | null = null;

async function answer(request: ParticipantRequest): Promise<ParticipantAnswers[ParticipantRequest['kind']]> {
  if (request.kind === 'start') {
    participant = await createParticipant(request.name, request.environment, filesAtUrl);
    return participant.adapter;
  }
  if (participant === null) throw new Error('The participant has not been started.');
  if (request.kind === 'prepare') {
    prepared = await participant.prepare(request.workload);
    return prepared.check;
  }
  if (request.kind === 'dispose') {
    await prepared?.dispose();
    prepared = null;
    return null;
  }
  if (prepared === null) throw new Error('Nothing has been prepared.');
  return prepared.run();
}

/** The request at work. A failure outside of any request, such as a lost device, must be reported too. */
let current: number | null = null;
const send = (message: AnswerMessage): void => globalThis.postMessage(message);
globalThis.addEventListener('unhandledrejection', (event: PromiseRejectionEvent) => {
  if (current === null) return;
  event.preventDefault();
  send({ id: current, error: messageOf(event.reason) });
});

globalThis.addEventListener('message', ({ data: { id, request } }: MessageEvent<RequestMessage>) => {
  current = id;
  answer(request).then(
    (value) => send({ id, answer: value }),
    (error: unknown) => send({ id, error: messageOf(error) }),
  );
});
