/** The page's end of a participant's worker. */
import type { Participant, PageParticipantName, Environment } from '../types.ts';
import type { AnswerMessage, ParticipantAnswers, ParticipantRequest, RequestMessage } from './worker.ts';

/** A participant that has not answered for this long is given up. */
const LIMIT_SECONDS = 600;

interface Waiting {
  readonly id: number;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a participant in its own worker. */
export async function createRemoteParticipant(
  name: PageParticipantName,
  environment: Environment,
): Promise<Participant> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name });
  let waiting: Waiting | null = null;
  let broken: Error | null = null;
  let nextId = 0;

  const fail = (error: Error): void => {
    broken = error;
    worker.terminate();
    waiting?.reject(error);
    waiting = null;
  };
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    fail(new Error(event.message || `The worker of ${name} stopped without a message.`));
  });
  worker.addEventListener('message', ({ data }: MessageEvent<AnswerMessage>) => {
    if (waiting?.id !== data.id) return;
    const { resolve, reject } = waiting;
    waiting = null;
    if ('error' in data) reject(new Error(data.error));
    else resolve(data.answer as never);
  });

  const ask = <K extends ParticipantRequest['kind']>(
    request: Extract<ParticipantRequest, { kind: K }>,
  ): Promise<ParticipantAnswers[K]> => {
    if (broken) return Promise.reject(broken);
    const limit = setTimeout(
      () => fail(new Error(`${name} gave no answer for ${LIMIT_SECONDS} seconds and was ended.`)),
      LIMIT_SECONDS * 1000,
    );
    return new Promise<ParticipantAnswers[K]>((resolve, reject) => {
      waiting = { id: ++nextId, resolve, reject };
      worker.postMessage({ id: nextId, request } satisfies RequestMessage);
    }).finally(() => clearTimeout(limit));
  };
  const dispose = (): void => fail(new Error(`${name} was dismissed.`));

  try {
    const adapter = await ask({ kind: 'start', name, environment });
    return {
      adapter,
      async prepare(workload) {
        const check = await ask({ kind: 'prepare', workload });
        return {
          check,
          run: () => ask({ kind: 'run' }),
          dispose: async () => void (await ask({ kind: 'dispose' })),
        };
      },
      dispose,
    };
  } catch (error) {
    dispose();
    throw error;
  }
}
