/**
 * What a run keeps at the server: weights by version, LoRA's base once. Each object is in a bucket of its own, which goes with it: of objects that are
 * taken out of a bucket that stays, nats-server 2.9 never gives the room back. What is read is held against the digest that the run has signed.
 */
import { nuid, type NatsConnection } from '@nats-io/nats-core';
import { Objm, type ObjectResult } from '@nats-io/obj';
import { messageOf } from '@rl-playground/base/errors';
import { managerOf, queuesOf } from './connection.ts';
import type { ObjectReference } from './messages.ts';
import { ANSWER_WITHIN } from './patience.ts';
import type { Reconnects } from './reconnects.ts';

const CHUNK = 128 * 1024;
/** Of an object in its bucket. */
const CONTENT = 'content';

/** What is there is not what was signed: somebody else has written it. */
export class ForgedObject extends Error {
  override readonly name = 'ForgedObject';
}

/** Makes what an object consists of, as often as it is wanted. */
export type Pieces = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Where objects are: the run's connection, and what the names of its buckets begin with. */
export interface ObjectPlace {
  readonly connection: NatsConnection;
  readonly bucket: string;
}

const bucketOf = ({ bucket }: ObjectPlace, name: string): string => `${bucket}-${name}`;

const bucketsOf = ({ connection }: ObjectPlace): Objm => new Objm(queuesOf(connection));

/**
 * `pieces` are taken one by one, so that no more than one is in memory. @throws what the server says, or why `abandoned` was; what was written of it
 * is gone then.
 */
export async function putObject(
  place: ObjectPlace,
  name: string,
  pieces: ReturnType<Pieces>,
  abandoned: AbortSignal = new AbortController().signal,
): Promise<ObjectReference> {
  const iterator: AsyncIterator<Uint8Array, undefined> | Iterator<Uint8Array, undefined> =
    Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      abandoned.throwIfAborted();
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  try {
    const store = await bucketsOf(place).create(bucketOf(place, name));
    const options = { max_chunk_size: CHUNK };
    const { digest, size } = await store.put({ name: CONTENT, options }, stream, { timeout: ANSWER_WITHIN });
    abandoned.throwIfAborted();
    return { name, digest, bytes: size };
  } catch (error) {
    await removeObject(place, name);
    throw error;
  }
}

/**
 * Writes an object, and again where the connection breaks. Each time has a name of its own, which begins with `kind`: what was abandoned may fail much
 * later, and takes away what it has written, which must not be what was written after it.
 */
export const putThrough = (
  reconnects: Reconnects,
  place: ObjectPlace,
  kind: string,
  pieces: Pieces,
): Promise<ObjectReference> =>
  reconnects.through((abandoned) => putObject(place, `${kind}-${nuid.next()}`, pieces(), abandoned));

/** Does nothing where there is none. */
export async function removeObject(place: ObjectPlace, name: string): Promise<void> {
  const manager = await managerOf(place.connection).catch(() => null);
  await manager?.streams.delete(`OBJ_${bucketOf(place, name)}`).catch(() => undefined);
}

/** All of a run. */
export async function removeObjects(place: ObjectPlace): Promise<void> {
  const manager = await managerOf(place.connection);
  const own = `OBJ_${place.bucket}-`;
  for await (const name of manager.streams.names())
    if (name.startsWith(own)) await manager.streams.delete(name).catch(() => undefined);
}

const isMissing = (error: unknown): boolean => /not found/.test(messageOf(error));

/** Whether it is there, and what `reference` says. @throws where the server does not answer. */
export async function hasObject(
  place: ObjectPlace,
  { name, digest, bytes }: ObjectReference,
): Promise<boolean> {
  try {
    const store = await bucketsOf(place).open(bucketOf(place, name));
    const info = await store.info(CONTENT);
    return info?.digest === digest && info.size === bytes;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** @throws where it is not there. */
async function findObject(place: ObjectPlace, name: string): Promise<ObjectResult> {
  const store = bucketsOf(place).open(bucketOf(place, name));
  const found = await store
    .then((opened) => opened.get(CONTENT))
    .catch((error: unknown) => (isMissing(error) ? null : Promise.reject(error as Error)));
  if (found === null) throw new Error(`The run has no object ${name} at the server any more.`);
  return found;
}

/** @throws where it is gone or the server does not answer, and ForgedObject where it is not what `reference` says. */
export async function getObject(
  place: ObjectPlace,
  { name, digest, bytes }: ObjectReference,
): Promise<Uint8Array<ArrayBuffer>> {
  const found = await findObject(place, name);
  const reader = found.data.getReader();
  const forged = async (): Promise<never> => {
    await reader.cancel().catch(() => undefined);
    throw new ForgedObject(
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
