/**
 * The objects that a run keeps at the server: weights by version, and LoRA's base once. Each object has a bucket of its own and is
 * deleted with it, because nats-server 2.9 never frees the room of objects that are deleted from a bucket. What is read is compared with
 * the digest that the run has signed.
 */
import { nuid, type NatsConnection } from '@nats-io/nats-core';
import { Objm, type ObjectResult } from '@nats-io/obj';
import { messageOf } from '@rl-playground/base/errors';
import { managerOf, queuesOf } from './connection.ts';
import type { ObjectReference } from './messages.ts';
import { ANSWER_WITHIN } from './patience.ts';
import type { Reconnects } from './reconnects.ts';

const CHUNK = 128 * 1024;
/** The name of an object in its bucket. */
const CONTENT = 'content';

/** An object differs from what was signed, because somebody else has written it. */
export class ForgedObject extends Error {
  override readonly name = 'ForgedObject';
}

/** Makes the pieces of an object, as often as it is needed. */
export type Pieces = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The place of objects: the run's connection, and the prefix of its buckets' names. */
export interface ObjectPlace {
  readonly connection: NatsConnection;
  readonly bucket: string;
}

const bucketOf = ({ bucket }: ObjectPlace, name: string): string => `${bucket}-${name}`;

const bucketsOf = ({ connection }: ObjectPlace): Objm => new Objm(queuesOf(connection));

/**
 * Writes an object. `pieces` are taken one by one, so that only one is in memory. @throws the server's error, or the reason of
 * `abandoned`; what was written of the object is then deleted.
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
 * Writes an object, and again if the connection breaks. Each try has a name of its own, which begins with `kind`: an abandoned try may
 * fail much later and delete what it has written, which must not be the later object.
 */
export const putThrough = (
  reconnects: Reconnects,
  place: ObjectPlace,
  kind: string,
  pieces: Pieces,
): Promise<ObjectReference> =>
  reconnects.through((abandoned) => putObject(place, `${kind}-${nuid.next()}`, pieces(), abandoned));

export async function removeObject(place: ObjectPlace, name: string): Promise<void> {
  const manager = await managerOf(place.connection).catch(() => null);
  await manager?.streams.delete(`OBJ_${bucketOf(place, name)}`).catch(() => undefined);
}

export async function removeObjects(place: ObjectPlace): Promise<void> {
  const manager = await managerOf(place.connection);
  const own = `OBJ_${place.bucket}-`;
  for await (const name of manager.streams.names())
    if (name.startsWith(own)) await manager.streams.delete(name).catch(() => undefined);
}

const isMissing = (error: unknown): boolean => /not found/.test(messageOf(error));

/** True if the object is there and is what `reference` says. @throws Error if the server does not answer. */
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

/** @throws Error if the object is not there. */
async function findObject(place: ObjectPlace, name: string): Promise<ObjectResult> {
  const store = bucketsOf(place).open(bucketOf(place, name));
  const found = await store
    .then((opened) => opened.get(CONTENT))
    .catch((error: unknown) => (isMissing(error) ? null : Promise.reject(error as Error)));
  if (found === null) throw new Error(`The run has no object ${name} at the server any more.`);
  return found;
}

/** @throws Error if the object is gone or the server does not answer, and ForgedObject if it is not what `reference` says. */
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
  // With this message the client reports that the content has another digest than its record.
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
