/** A run's bucket at the server: weights by version, LoRA's base once. What is read is held against the digest that the run has signed. */
import type { NatsConnection } from '@nats-io/nats-core';
import { Objm, type ObjectStore } from '@nats-io/obj';
import type { ObjectReference } from './messages.ts';

const CHUNK = 128 * 1024;
const TIMEOUT = 20_000;

/** Makes what an object consists of, as often as it is wanted. */
export type Pieces = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Room for them is made where there is none. @throws where the server has no JetStream. */
export function createBucket(connection: NatsConnection, bucket: string): Promise<ObjectStore> {
  return new Objm(connection).create(bucket);
}

export function openBucket(connection: NatsConnection, bucket: string): Promise<ObjectStore> {
  return new Objm(connection).open(bucket);
}

/** `pieces` are taken one by one, so that no more than one is in memory. */
export async function putObject(
  store: ObjectStore,
  name: string,
  pieces: ReturnType<Pieces>,
): Promise<ObjectReference> {
  const iterator: AsyncIterator<Uint8Array, undefined> | Iterator<Uint8Array, undefined> =
    Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  const { digest, size } = await store.put({ name, options: { max_chunk_size: CHUNK } }, stream, {
    timeout: TIMEOUT,
  });
  return { name, digest, bytes: size };
}

/** @throws where it is gone, or not what `reference` says. */
export async function getObject(
  store: ObjectStore,
  { name, digest, bytes }: ObjectReference,
): Promise<Uint8Array<ArrayBuffer>> {
  const found = await store.get(name);
  if (found === null) throw new Error(`The run's bucket has no object ${name} any more.`);
  const reader = found.data.getReader();
  if (found.info.digest !== digest || found.info.size !== bytes) {
    await reader.cancel();
    throw new Error(
      `The object ${name} in the run's bucket is not the one that the run has signed: somebody else at this server has written it.`,
    );
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    whole.set(value, at);
    at += value.length;
  }
  const error = await found.error;
  if (error) throw error;
  return whole;
}
