/**
 * What a run keeps at the server: weights by version, LoRA's base once. Each object is in a bucket of its own, which goes with it: of objects that are
 * taken out of a bucket that stays, nats-server 2.9 never gives the room back. What is read is held against the digest that the run has signed.
 */
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { Objm, type ObjectResult } from '@nats-io/obj';
import { messageOf } from '../base/errors.ts';
import type { ObjectReference } from './messages.ts';

const CHUNK = 128 * 1024;
const TIMEOUT = 20_000;
/** Of an object in its bucket. */
const CONTENT = 'content';

/** Makes what an object consists of, as often as it is wanted. */
export type Pieces = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Where objects are: the run's connection, and what the names of its buckets begin with. */
export interface ObjectPlace {
  readonly connection: NatsConnection;
  readonly bucket: string;
}

const bucketOf = ({ bucket }: ObjectPlace, name: string): string => `${bucket}-${name}`;

/** `pieces` are taken one by one, so that no more than one is in memory. @throws what the server says; what was written of it is gone then. */
export async function putObject(
  place: ObjectPlace,
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
  try {
    const store = await new Objm(place.connection).create(bucketOf(place, name));
    const options = { max_chunk_size: CHUNK };
    const { digest, size } = await store.put({ name: CONTENT, options }, stream, { timeout: TIMEOUT });
    return { name, digest, bytes: size };
  } catch (error) {
    await removeObject(place, name);
    throw error;
  }
}

/** Does nothing where there is none. */
export async function removeObject(place: ObjectPlace, name: string): Promise<void> {
  const manager = await jetstreamManager(place.connection).catch(() => null);
  await manager?.streams.delete(`OBJ_${bucketOf(place, name)}`).catch(() => undefined);
}

/** All of a run. */
export async function removeObjects(place: ObjectPlace): Promise<void> {
  const manager = await jetstreamManager(place.connection);
  const own = `OBJ_${place.bucket}-`;
  for await (const name of manager.streams.names())
    if (name.startsWith(own)) await manager.streams.delete(name).catch(() => undefined);
}

/** Milliseconds between looks for an object that is not there: a server that started again has it when the run has written it anew. */
const LOOKS_AFTER = [250, 500, 1000, 2000];

/** @throws where it is not there, and does not come either. */
async function findObject(place: ObjectPlace, name: string): Promise<ObjectResult> {
  const look = async (): Promise<ObjectResult | null> =>
    (await new Objm(place.connection).open(bucketOf(place, name))).get(CONTENT);
  for (const wait of LOOKS_AFTER) {
    const found = await look().catch((error: unknown) => {
      if (/not found/.test(messageOf(error))) return null;
      throw error;
    });
    if (found !== null) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, wait);
    });
  }
  const found = await look();
  if (found === null) throw new Error(`The run has no object ${name} at the server any more.`);
  return found;
}

/** @throws where it is gone, or not what `reference` says. */
export async function getObject(
  place: ObjectPlace,
  { name, digest, bytes }: ObjectReference,
): Promise<Uint8Array<ArrayBuffer>> {
  const found = await findObject(place, name);
  const reader = found.data.getReader();
  const forged = async (): Promise<never> => {
    await reader.cancel().catch(() => undefined);
    throw new Error(
      `The object ${name} of the run at the server is not the one that the run has signed: somebody else at this server has written it.`,
    );
  };
  // So the client says that what came has another digest than stands beside it.
  const corrupt = (error: unknown): Promise<never> =>
    /corrupt/.test(messageOf(error)) ? forged() : Promise.reject(error as Error);
  if (found.info.digest !== digest || found.info.size !== bytes) await forged();
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(corrupt);
    if (done) break;
    if (at + value.length > bytes) await forged();
    whole.set(value, at);
    at += value.length;
  }
  const error = await found.error;
  if (error) await corrupt(error);
  return whole;
}
