/**
 * Reads the bodies of answers piece by piece against a limit. A server may send without end, or hardly anything; neither takes this
 * machine's memory or keeps a person waiting without a message.
 */
import { realTimers, unlessLate } from '@rl-playground/base/deadline';
import { grouped } from '@rl-playground/base/text';
import { ModelFileError } from '../types.ts';
import { BusyError, STALL_MILLISECONDS, type Asking } from './request.ts';

/** The most bytes of a list of files or a description in JSON: a page of the Hub with 1,000 files has some 300 kB. */
export const MOST_JSON_BYTES = 8 * 2 ** 20;
/** The least average speed in bytes a millisecond, after the time in which a connection may bring nothing. */
const LEAST_BYTES_PER_MILLISECOND = 1;

type Waiting = Pick<Asking, 'signal' | 'stallMilliseconds' | 'timers'>;

/**
 * Yields what arrives, at most `most` bytes, and ends the connection with the last of them.
 *
 * @throws BusyError if the connection breaks or brings nothing for a while, and the signal's reason.
 */
export async function* chunksOf(
  response: Response,
  what: string,
  most: number,
  { signal, stallMilliseconds = STALL_MILLISECONDS, timers = realTimers }: Waiting,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const stalled = (): Error => new BusyError(`nothing came for ${Math.round(stallMilliseconds / 1000)} s`);
  let left = most;
  try {
    while (left > 0) {
      signal?.throwIfAborted();
      const { value, done } = await unlessLate(reader.read(), stallMilliseconds, stalled, timers);
      if (done) return;
      const bytes = value.byteLength > left ? value.subarray(0, left) : value;
      left -= bytes.byteLength;
      yield bytes;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ModelFileError || error instanceof BusyError) throw error;
    throw new BusyError(`the connection of ${what} broke`);
  } finally {
    // The body may have ended or failed already.
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Returns bytes `begin` … `end` − 1 of a body, as far as there are any, and ends the connection with the last of them.
 *
 * @throws BusyError if they come slower than 1 kB a second, after the time in which nothing may come; otherwise as `chunksOf` does.
 */
export async function bytesOf(
  response: Response,
  what: string,
  begin: number,
  end: number,
  asking: Waiting,
): Promise<Uint8Array<ArrayBuffer>> {
  const { stallMilliseconds = STALL_MILLISECONDS, timers = realTimers } = asking;
  const began = timers.now();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of chunksOf(response, what, end, asking)) {
    chunks.push(new Uint8Array(chunk.subarray(Math.min(chunk.byteLength, Math.max(0, begin - length)))));
    length += chunk.byteLength;
    const milliseconds = timers.now() - began;
    if (length < end && milliseconds > stallMilliseconds + length / LEAST_BYTES_PER_MILLISECOND)
      throw new BusyError(
        `${grouped(length)} bytes came in ${Math.round(milliseconds / 1000)} s, and 1 kB a second is needed`,
      );
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Returns a whole body. @throws ModelFileError if it is longer than `most` bytes; otherwise as `bytesOf` does. */
export async function bodyOf(
  response: Response,
  what: string,
  most: number,
  asking: Waiting,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await bytesOf(response, what, 0, most + 1, asking);
  if (bytes.byteLength <= most) return bytes;
  throw new ModelFileError(
    `${what}: the server sent more than ${grouped(most)} bytes, which is the most for this answer. The connection was ended, and nothing of it is kept.`,
  );
}

/** A `fetch` for a library that reads answers whole. Each answer is short, and has arrived before the library sees it. @throws as `bodyOf` does. */
export function boundedFetch(what: string, asking: Waiting): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, ...(asking.signal && { signal: asking.signal }) });
    if (response.body === null) return response;
    const { url, status, statusText, headers } = response;
    const whole = new Response(await bodyOf(response, what, MOST_JSON_BYTES, asking), {
      status,
      statusText,
      headers,
    });
    // Errors of the library name it.
    return Object.defineProperty(whole, 'url', { value: url });
  };
}
