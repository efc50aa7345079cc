/** Requests to servers that may be busy, slow or away. They are tried again while that can help, and their errors say what to do. */
import { realTimers, type Timers } from '@rl-playground/base/deadline';
import { messageOf } from '@rl-playground/base/errors';
import type { Secret } from '@rl-playground/base/secret';
import { ModelFileError } from '../types.ts';

/** The options of a request. */
export interface Asking {
  readonly signal?: AbortSignal;
  /** A token of the person's, which goes only to the server that it was given for. If that server redirects to another one, fetch leaves it out. */
  readonly secret?: Secret;
  /** Resolves after so many milliseconds, or rejects with the signal's reason. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Milliseconds without a byte after which a connection is given up. */
  readonly stallMilliseconds?: number;
  /** The clock of these milliseconds. */
  readonly timers?: Timers;
  /** Receives the reason before each new try. */
  readonly onRetry?: (why: string) => void;
}

/** The most tries in a row that bring nothing. */
export const MOST_TRIES = 5;
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 60_000;
export const STALL_MILLISECONDS = 30_000;

/** A server's answer that another try may change. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
  /** The milliseconds that the server asks to wait; null if it says nothing. */
  readonly after: number | null;

  constructor(message: string, after: number | null = null) {
    super(message);
    this.after = after;
  }
}

export const waitFor = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });

/** `Retry-After` in milliseconds, given as seconds or a date; null if there is none. */
function retryAfter(headers: Headers): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? 1000 * seconds : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), LONGEST_WAIT) : null;
}

/**
 * Repeats `work` while the connection fails or the server is busy (429, 5xx), and waits twice as long each time; `work` throws BusyError
 * in these cases. If `progressed` says that the last try brought something, the count begins again.
 *
 * @throws ModelFileError after `MOST_TRIES` tries that brought nothing, at once for any other answer, and the signal's reason.
 */
export async function withRetries<T>(
  what: string,
  work: () => Promise<T>,
  { signal, wait = waitFor, onRetry }: Asking,
  progressed: () => boolean = () => false,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ModelFileError) throw error;
      const passing = error instanceof BusyError || error instanceof TypeError;
      if (!passing) throw error;
      if (progressed()) tried = 1;
      if (tried >= MOST_TRIES)
        throw new ModelFileError(
          `${what}: ${messageOf(error)}, ${MOST_TRIES} times in a row. Check the connection and try again; what has arrived is kept.`,
          { cause: error },
        );
      const after = error instanceof BusyError ? error.after : null;
      onRetry?.(messageOf(error));
      // A server that asks for no wait at all would use up the tries in a moment.
      await wait(Math.max(after ?? 0, Math.min(FIRST_WAIT * 2 ** (tried - 1), LONGEST_WAIT)), signal);
    }
  }
}

/**
 * Makes one request. It resolves for 2xx, 304 and 416, which callers distinguish, and to null for 404 and 410.
 *
 * @throws BusyError for 429 and 5xx and if nothing comes for a while, ModelFileError for 401, 403 and any other answer.
 */
export async function ask(
  what: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  { signal, secret, stallMilliseconds = STALL_MILLISECONDS, timers = realTimers }: Asking,
): Promise<Response | null> {
  const token = secret?.sentTo(url) ?? null;
  const authorization: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
  const stall = new AbortController();
  const takeBack = timers.after(stallMilliseconds, () =>
    stall.abort(new BusyError(`the server said nothing for ${Math.round(stallMilliseconds / 1000)} s`)),
  );
  const response = await fetch(url, {
    headers: { ...headers, ...authorization },
    // A range of a large file, which the HTTP cache would write to disk beside our own copy.
    cache: 'no-store',
    signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
  }).finally(takeBack);
  if (response.ok || response.status === 416) return response;
  await response.body?.cancel();
  const { status } = response;
  if (status === 404 || status === 410) return null;
  const elsewhere = secret ? `; the one that is there was given for ${secret.server}, and not sent` : '';
  const given = token === null ? `Give a token that may read it${elsewhere}` : 'The token may not read it';
  if (status === 401)
    throw new ModelFileError(
      `${what}: the server answered 401. It is private or gated, or there is none of this name. ${given}.`,
    );
  if (status === 403)
    throw new ModelFileError(
      `${what}: the server answered 403. It is gated: accept its terms on its page, then load it with a token of yours. ${given}.`,
    );
  if (status === 429)
    throw new BusyError('the server answered 429: too many requests', retryAfter(response.headers));
  if (status >= 500) throw new BusyError(`the server answered ${status}`, retryAfter(response.headers));
  throw new ModelFileError(`${what}: the server answered ${status}; 200 or 206 is needed.`);
}
