/** A stranger with the token, who reads along and answers every request with forgeries before the machine that was dealt it can. */
import { setTimeout } from 'node:timers/promises';
import { nuid, type NatsConnection } from '@nats-io/nats-core';
import { computationOf } from '@rl-playground/run/environment/computation';
import { queuesOf } from '../connection.ts';
import { newKey, sealed, type KeyPair } from '../frames.ts';
import type { Refusals } from '../dealer.ts';
import {
  readAnswer,
  readPresence,
  readRequest,
  writeAnswer,
  writePresence,
  type Answer,
  type Request,
} from '../messages.ts';
import { namesOf } from '../names.ts';
import { OTHERS_PER_SECOND } from '../floodGate.ts';
import type { SampledCompletion } from '@rl-playground/engine/parts';

type Forgery = (request: Request, honest: Omit<Answer, 'kind'>) => Omit<Answer, 'kind'>;

const eachCompletion = (
  answer: Omit<Answer, 'kind'>,
  change: (completion: SampledCompletion) => SampledCompletion,
): Omit<Answer, 'kind'> => ({ ...answer, completions: answer.completions.map(change) });

/** The run's reason to refuse a forgery. One to a request of its own under the name of a machine that has not signed it is `forged`. */
type Fate = keyof Refusals;

/** Changes to an answer that keep its form and make it wrong. */
const FORGERIES: readonly (readonly [Fate, Forgery])[] = [
  ['wrong', (_, answer) => ({ ...answer, completions: answer.completions.slice(1) })],
  ['wrong', (_, answer) => ({ ...answer, completions: [] })],
  [
    'wrong',
    (_, answer) => eachCompletion(answer, (each) => ({ ...each, tokens: each.tokens.map(() => 1e6) })),
  ],
  [
    'wrong',
    (_, answer) => eachCompletion(answer, (each) => ({ ...each, tokens: each.tokens.map(() => -1) })),
  ],
  [
    'wrong',
    (_, answer) =>
      eachCompletion(answer, (each) => ({ ...each, logprobs: each.logprobs.map(() => Number.NaN) })),
  ],
  [
    'wrong',
    (_, answer) => eachCompletion(answer, (each) => ({ ...each, logprobs: each.logprobs.map(() => 3) })),
  ],
  // The answer is invented.
  ['wrong', (_, answer) => answer],
  ['wrong', (_, answer) => ({ ...answer, version: answer.version - 1 })],
  ['wrong', (_, answer) => ({ ...answer, version: answer.version + 1 })],
  // The request is somebody else's.
  ['unasked', (_, answer) => ({ ...answer, nonce: '0'.repeat(32) })],
  ['unasked', (_, answer) => ({ ...answer, chunk: answer.chunk + 1 })],
  ['unasked', (_, answer) => ({ ...answer, group: 1000 })],
  ['wrong', (_, answer) => eachCompletion(answer, (each) => ({ ...each, stopReason: 'eos' }))],
];

const BIG = 8_000_000;
/** The frames of honest machines that are sent again: at once, and once more when other weights are asked for. */
const REPLAYED = 20;
export const REPLAYS = 2 * REPLAYED;

export interface HostileMachine {
  /** Resolves once all forgeries were sent. */
  readonly spent: Promise<void>;
  /** Resolves once REPLAYS honest answers were sent once more. */
  readonly replayed: Promise<void>;
  /** The numbers of messages that the server took, by the reason for which the run must refuse them. */
  readonly sent: Readonly<Record<Fate, number>>;
  stop(): Promise<void>;
}

/**
 * Sends `count` forgeries, each under the name of another machine. `big` of them are 8 MB that are no answer, and one in ten has the name
 * of a sound machine, which the stranger can't sign for.
 */
export function startHostile(connection: NatsConnection, count: number, big: number): HostileMachine {
  const stream = queuesOf(connection);
  const keys = Array.from({ length: count }, newKey);
  const computation = computationOf('');
  const sound = new Set<string>();
  const spying = connection.subscribe('rlp.>');
  const fates = { unreadable: 0, unasked: 0, forged: 0, wrong: 0 };
  const honest: { readonly frame: Uint8Array; readonly version: number; again: boolean }[] = [];
  const held: Request[] = [];
  let made = 0;
  let replays = 0;
  let tellSpent: () => void = () => undefined;
  const spent = new Promise<void>((resolve) => (tellSpent = resolve));
  let tellReplayed: () => void = () => undefined;
  const replayed = new Promise<void>((resolve) => (tellReplayed = resolve));

  /** Introduces a machine, no faster than a run checks messages of unknown machines: it would pass over the others. */
  const introduce = async (run: string, key: KeyPair): Promise<void> => {
    const here = { machine: key.getPublicKey(), name: 'hostile', computation, leaving: false };
    connection.publish(`${namesOf(run).machines}.${here.machine}`, writePresence(key, here));
    await setTimeout(2000 / OTHERS_PER_SECOND);
  };

  const forgeryOf = (
    request: Request,
    group: number,
    key: KeyPair,
    number: number,
  ): readonly [Fate, Uint8Array] => {
    const { samples } = request.groups[group] ?? { samples: 1 };
    const length = request.sampling.maxTokens;
    const completions = Array.from({ length: samples }, () => ({
      tokens: Array.from({ length }, () => 20),
      logprobs: Array.from({ length }, () => -0.1),
      stopReason: 'max_tokens' as const,
    }));
    const victim = number % 10 === 9 ? [...sound][0] : undefined;
    const { run, chunk, nonce, weights } = request;
    const plain = {
      run,
      machine: victim ?? key.getPublicKey(),
      chunk,
      nonce,
      group,
      version: weights.version,
      computation,
      precision: 'f32' as const,
      seconds: 1,
      busySeconds: 1,
      completions,
    };
    if (number < big) return ['unreadable', sealed(key, { ...plain, kind: 'answer' }, new Uint8Array(BIG))];
    const [fate, forgery] = FORGERIES[number % FORGERIES.length] ?? ['wrong', (_, answer) => answer];
    const answer = forgery(request, plain);
    const isAsked = answer.chunk === chunk && answer.nonce === nonce;
    return [isAsked && victim !== undefined ? 'forged' : fate, writeAnswer(key, answer)];
  };

  /** Sends a frame once, and resolves to true if the server has taken it. If the server is silent for long, the frame is sent again under the same number. */
  const publish = (run: string, frame: Uint8Array): Promise<boolean> =>
    stream.publish(namesOf(run).answers, frame, { msgID: nuid.next(), retries: 10 }).then(
      () => true,
      () => false,
    );

  const forge = async (request: Request): Promise<void> => {
    for (const group of request.groups.keys())
      for (let i = 0; i < 2 * FORGERIES.length; i++) {
        const number = made;
        const key = keys[number];
        if (key === undefined) return tellSpent();
        made++;
        await introduce(request.run, key);
        const [fate, frame] = forgeryOf(request, group, key, number);
        if (await publish(request.run, frame)) fates[fate]++;
      }
  };

  const replay = async (run: string, frame: Uint8Array): Promise<void> => {
    if ((await publish(run, frame)) && ++replays === REPLAYS) tellReplayed();
  };

  /** Takes an honest answer that was overheard. */
  const overheard = async (run: string, frame: Uint8Array): Promise<void> => {
    const message = readAnswer(frame)?.message;
    if (message?.kind !== 'answer' || !sound.has(message.machine) || honest.length === REPLAYED) return;
    if (honest.some((each) => Buffer.compare(each.frame, frame) === 0)) return;
    if ((await readAnswer(frame)?.signedBy(message.machine)) !== true) return;
    honest.push({ frame, version: message.version, again: false });
    await replay(run, frame);
  };

  const replayOld = async ({ run, weights }: Request): Promise<void> => {
    for (const each of honest)
      if (!each.again && each.version < weights.version) {
        each.again = true;
        await replay(run, each.frame);
      }
  };

  const listening = (async () => {
    for await (const { subject, data } of spying) {
      const [, run = '', what] = subject.split('.');
      if (what === 'machines') {
        const presence = await readPresence(data);
        if (presence !== null && presence.name !== 'hostile') sound.add(presence.machine);
        if (sound.size > 0) for (const request of held.splice(0)) await forge(request);
      }
      const request = what === 'ask' ? await readRequest(data, run) : null;
      // One in ten needs a name to abuse.
      if (request !== null && sound.size === 0) held.push(request);
      else if (request !== null) await forge(request).then(() => replayOld(request));
      if (what === 'answers') await overheard(run, data);
    }
  })();
  return {
    spent,
    replayed,
    sent: fates,
    async stop() {
      spying.unsubscribe();
      await listening;
    },
  };
}
