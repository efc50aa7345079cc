/** The page of the benchmark: it has each participant in a worker of its own, and passes the program's requests on (benchPage.ts). */
import { findAdapter } from '@rl-playground/engine/parts';
import type { ParticipantRequest } from './participants/asked.ts';
import type { AnswerMessage, Reply, RequestMessage } from './participants/worker.ts';
import type { PageParticipantName } from './types.ts';

declare global {
  interface Window {
    /** The kind of GPU adapter that the browser offers; null if none. */
    adapterKind(): Promise<'hardware' | 'software' | null>;
    /** A failure comes back as its words: thrown, it would carry the page's stack along. */
    askParticipant(name: PageParticipantName, request: ParticipantRequest): Promise<Reply>;
  }
}

/** A participant that has not answered for this long is given up. */
const LIMIT_SECONDS = 600;

const workers = new Map<PageParticipantName, Worker>();
/** The reasons for which workers were given up. */
const broken = new Map<PageParticipantName, string>();
let nextId = 0;

function workerOf(name: PageParticipantName): Worker {
  const worker =
    workers.get(name) ??
    new Worker(new URL('./participants/worker.ts', import.meta.url), { type: 'module', name });
  workers.set(name, worker);
  return worker;
}

window.adapterKind = async () => {
  const found = await findAdapter();
  return found && (found.facts.software ? 'software' : 'hardware');
};

window.askParticipant = (name, request) =>
  new Promise((resolve) => {
    const reason = broken.get(name);
    if (reason !== undefined) {
      resolve({ error: reason });
      return;
    }
    const worker = workerOf(name);
    const id = ++nextId;
    const ended = new AbortController();
    const { signal } = ended;
    const end = (reply: Reply): void => {
      ended.abort();
      clearTimeout(limit);
      resolve(reply);
    };
    const giveUp = (why: string): void => {
      broken.set(name, why);
      worker.terminate();
      end({ error: why });
    };
    const late = `${name} gave no answer for ${LIMIT_SECONDS} seconds and was ended.`;
    const limit = setTimeout(() => giveUp(late), LIMIT_SECONDS * 1000);
    worker.addEventListener(
      'error',
      (event) => {
        event.preventDefault();
        giveUp(event.message || `The worker of ${name} stopped without a message.`);
      },
      { signal },
    );
    worker.addEventListener(
      'message',
      ({ data }: MessageEvent<AnswerMessage>) => {
        if (data.id === id) end(data);
      },
      { signal },
    );
    worker.postMessage({ id, name, request } satisfies RequestMessage);
  });
