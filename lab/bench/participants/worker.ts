/** A participant in a Web Worker of its own: a fresh realm, with one backend and nobody else's flags or threads. */
import { messageOf } from '@rl-playground/base/errors';
import { filesAtUrl, filesInFile } from '@rl-playground/engine/parts';
import type { OpenFiles, PageParticipantName, Participant, Prepared } from '../types.ts';
import type { ParticipantAnswer, ParticipantRequest } from './asked.ts';
import { createParticipant } from './create.ts';

export interface RequestMessage {
  readonly id: number;
  readonly name: PageParticipantName;
  readonly request: ParticipantRequest;
}

export type Reply = { readonly answer: ParticipantAnswer } | { readonly error: string };
export type AnswerMessage = Reply & { readonly id: number };

const openFiles: OpenFiles = async (label, address) => {
  if (!address.endsWith('.gguf')) return filesAtUrl(label, address);
  const name = address.slice(address.lastIndexOf('/') + 1);
  const file = await filesAtUrl(label, address.slice(0, -name.length)).open(name);
  if (file === null) throw new Error(`There is no ${name} at ${address}.`);
  return filesInFile(label, file);
};

let participant: Participant | null = null;
let prepared: Prepared | null = null;

async function answer(name: PageParticipantName, request: ParticipantRequest): Promise<ParticipantAnswer> {
  if (request.kind === 'start') {
    participant = await createParticipant(name, request.environment, openFiles);
    return participant.adapter;
  }
  if (participant === null) throw new Error('The participant has not been started.');
  if (request.kind === 'prepare') {
    prepared = await participant.prepare(request.workload);
    return prepared.check && Array.from(prepared.check);
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

globalThis.addEventListener('message', ({ data: { id, name, request } }: MessageEvent<RequestMessage>) => {
  current = id;
  answer(name, request).then(
    (value) => send({ id, answer: value }),
    (error: unknown) => send({ id, error: messageOf(error) }),
  );
});
