/** Takes the messages of a work queue as long as its reader is there, also after the server was away. */
import type { JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { isSilence } from './connection.ts';
import { QUEUE_WAIT } from './patience.ts';
import type { Reconnects } from './reconnects.ts';

/** The milliseconds before a queue that could not be read is read again. */
const AGAIN_AFTER = 300;

export interface Reader {
  readonly client: JetStreamClient;
  readonly reconnects: Reconnects;
  readonly stream: string;
  readonly consumer: string;
  /** The number of messages at a time. */
  readonly most: number;
  readonly isClosed: () => boolean;
  readonly take: (message: JsMsg) => Promise<void> | void;
  /** Receives the reason why the queue could not be read, before it is tried again. If the server was silent, it is just tried again. */
  readonly failed: (error: unknown) => Promise<void> | void;
}

/** Resolves once the reader is closed. */
export async function takeMessages(reader: Reader): Promise<void> {
  const { client, reconnects, stream, consumer, most, isClosed, take, failed } = reader;
  while (!isClosed()) {
    try {
      const queue = await client.consumers.get(stream, consumer);
      const messages = await queue.fetch({ max_messages: most, expires: QUEUE_WAIT });
      // The server that comes back does not know that messages are waited for.
      const off = reconnects.on(() => messages.stop());
      try {
        for await (const message of messages) await take(message);
      } finally {
        off();
      }
    } catch (error) {
      if (isClosed()) return;
      if (!isSilence(error)) await failed(error);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
    }
  }
}
