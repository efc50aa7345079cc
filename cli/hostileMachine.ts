/** A stranger with the token: it reads along, and answers every request with forgeries before the machine that was dealt it can. */
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { computationOf } from '../src/machines/computation.ts';
import { newKey, sealed, type KeyPair } from '../src/machines/frames.ts';
import {
  readAnnouncement,
  readPresence,
  readRequest,
  writeAnswer,
  writePresence,
  type Answer,
  type Request,
} from '../src/machines/messages.ts';
import { namesOf, RUNS_SUBJECT } from '../src/machines/names.ts';
import type { SampledCompletion } from '../src/rollout/types.ts';

type Forgery = (request: Request, honest: Omit<Answer, 'kind'>) => Omit<Answer, 'kind'>;

const eachCompletion = (
  answer: Omit<Answer, 'kind'>,
  change: (completion: SampledCompletion) => SampledCompletion,
): Omit<Answer, 'kind'> => ({ ...answer, completions: answer.completions.map(change) });

/** Of an answer that has the right shape, and is none. */
const FORGERIES: readonly Forgery[] = [
  (_, answer) => ({ ...answer, completions: answer.completions.slice(1) }),
  (_, answer) => ({ ...answer, completions: [] }),
  (_, answer) => eachCompletion(answer, (each) => ({ ...each, tokens: each.tokens.map(() => 1e6) })),
  (_, answer) => eachCompletion(answer, (each) => ({ ...each, tokens: each.tokens.map(() => -1) })),
  (_, answer) =>
    eachCompletion(answer, (each) => ({ ...each, logprobs: each.logprobs.map(() => Number.NaN) })),
  (_, answer) => eachCompletion(answer, (each) => ({ ...each, logprobs: each.logprobs.map(() => 3) })),
  // Invented.
  (_, answer) => answer,
  (_, answer) => ({ ...answer, version: answer.version - 1 }),
  (_, answer) => ({ ...answer, version: answer.version + 1 }),
  // Somebody else's request.
  (_, answer) => ({ ...answer, nonce: '0'.repeat(32) }),
  (_, answer) => ({ ...answer, chunk: answer.chunk + 1 }),
  (_, answer) => ({ ...answer, group: 1000 }),
  (_, answer) => eachCompletion(answer, (each) => ({ ...each, stopReason: 'eos' })),
];

const BIG = 8_000_000;

export interface HostileMachine {
  /** Resolves once all forgeries were sent. */
  readonly spent: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Sends `count` forgeries, each under the name of a machine of its own; `big` of them are 8 MB that are no answer, and one in ten bears
 * the name of a sound machine, which it can't sign for.
 */
export function startHostile(connection: NatsConnection, count: number, big: number): HostileMachine {
  const stream = jetstream(connection);
  const keys = Array.from({ length: count }, newKey);
  const computation = computationOf('');
  const sound = new Set<string>();
  const spying = connection.subscribe('rlp.>');
  const introduced = new Set<string>();
  let sent = 0;
  let tellSpent: () => void = () => undefined;
  const spent = new Promise<void>((resolve) => (tellSpent = resolve));

  const introduce = (run: string): void => {
    if (run === '' || introduced.has(run)) return;
    introduced.add(run);
    for (const key of keys) {
      const here = { machine: key.getPublicKey(), name: 'hostile', computation, leaving: false };
      connection.publish(namesOf(run).machines, writePresence(key, here));
    }
  };

  const forgeryOf = (request: Request, group: number, key: KeyPair, number: number): Uint8Array => {
    const { samples } = request.groups[group] ?? { samples: 1 };
    const length = request.sampling.maxTokens;
    const completions = Array.from({ length: samples }, () => ({
      tokens: Array.from({ length }, () => 20),
      logprobs: Array.from({ length }, () => -0.1),
      stopReason: 'max_tokens' as const,
    }));
    const [victim] = sound;
    const { run, chunk, nonce, weights } = request;
    const plain = {
      run,
      machine: number % 10 === 9 && victim !== undefined ? victim : key.getPublicKey(),
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
    if (number < big) return sealed(key, { ...plain, kind: 'answer' }, new Uint8Array(BIG));
    const forgery = FORGERIES[number % FORGERIES.length] ?? ((_, answer) => answer);
    return writeAnswer(key, forgery(request, plain));
  };

  const forge = async (request: Request): Promise<void> => {
    for (const group of request.groups.keys())
      for (let i = 0; i < 2 * FORGERIES.length; i++) {
        const number = sent;
        const key = keys[number];
        if (key === undefined) return tellSpent();
        sent++;
        const frame = forgeryOf(request, group, key, number);
        await stream.publish(namesOf(request.run).answers, frame).catch(() => undefined);
      }
  };

  const listening = (async () => {
    for await (const { subject, data } of spying) {
      if (subject === RUNS_SUBJECT) introduce(readAnnouncement(data)?.run ?? '');
      const [, run = '', what] = subject.split('.');
      if (what === 'machines') {
        const presence = readPresence(data);
        if (presence !== null && presence.name !== 'hostile') sound.add(presence.machine);
      }
      const request = what === 'ask' ? readRequest(data, run) : null;
      if (request !== null) await forge(request);
    }
  })();
  return {
    spent,
    async stop() {
      spying.unsubscribe();
      await listening;
    },
  };
}
