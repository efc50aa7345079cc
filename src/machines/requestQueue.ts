/** A machine's side of the queue of a run's requests, and pauses in its work. */
import type { Consumer, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { GENERATORS } from './names.ts';
import { QUEUE_WAIT } from './patience.ts';
import type { Reconnects } from './reconnects.ts';

/**
 * Returns a function for the next message. It resolves to null if none came in a while, `over` says that the work has ended, or the
 * connection broke, and throws the server's error.
 */
export function requestQueue(
  client: JetStreamClient,
  stream: string,
  reconnects: Reconnects,
  over: AbortSignal,
): () => Promise<JsMsg | null> {
  let consumer: Consumer | null = null;
  return async () => {
    try {
      const asked = (consumer ??= await client.consumers.get(stream, GENERATORS));
      return await new Promise((resolve, reject) => {
        let waits = true;
        const none = (): void => {
          waits = false;
          resolve(null);
        };
        over.addEventListener('abort', none, { once: true });
        // A server that comes back does not know that this machine waits.
        const off = reconnects.on(none);
        asked
          .next({ expires: QUEUE_WAIT })
          .then((message) => {
            // A message that comes when nobody waits any more would otherwise be kept from other machines until the server misses its acknowledgement.
            if (waits) resolve(message);
            else message?.nak();
          }, reject)
          .finally(() => {
            off();
            over.removeEventListener('abort', none);
          });
      });
    } catch (error) {
      consumer = null;
      throw error;
    }
  };
}

/** Resolves after these milliseconds, or as soon as `over` says that the work has ended. */
export async function pause(milliseconds: number, over: AbortSignal): Promise<void> {
  if (over.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      over.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    over.addEventListener('abort', end, { once: true });
  });
}
