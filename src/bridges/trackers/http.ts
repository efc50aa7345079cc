/** Requests to a tracker's server, with a time limit on each. They are repeated after passing trouble, and no message contains a key. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@rl-playground/base/errors';
import { parsedJson } from '@rl-playground/base/json';
import { plural } from '@rl-playground/base/text';
import { bodyOf, ModelFileError } from '@rl-playground/engine/parts';
import { printProblem } from '@rl-playground/base/print';
import type { Headers } from './secrets.ts';

/** The milliseconds that a server has for one answer. */
const ANSWER_WITHIN = 30_000;
/** The milliseconds before the second attempt. They double for each further one, up to the longest. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/** The longest wait that a server may ask for. */
const LONGEST_ASKED = 600_000;
/** These take some nine minutes. */
const ATTEMPTS = 24;
/** The most bytes of an answer. */
const MOST_ANSWER = 4 * 2 ** 20;
/** The most characters of an answer in a message. */
const SHOWN = 300;

/** The server has refused a request, and would again. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  /** The answer; null if it was no JSON. */
  readonly answer: unknown;

  constructor(message: string, status: number, answer: unknown) {
    super(message);
    this.status = status;
    this.answer = answer;
  }
}

export interface Patience {
  /** The most attempts of one request; asked before each further one. */
  readonly attempts: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** Aborts an attempt that gets no answer; each attempt has its own. */
  readonly limit: () => AbortSignal;
  /** Receives the reason why a request is repeated. */
  readonly say: (text: string) => void;
}

export const USUAL_PATIENCE: Patience = {
  attempts: () => ATTEMPTS,
  wait: (milliseconds) => sleep(milliseconds),
  limit: () => AbortSignal.timeout(ANSWER_WITHIN),
  say: (text) => printProblem(text),
};

export interface Server {
  /** The name in messages, such as MLflow. */
  readonly label: string;
  /** The address without user, password and query, and without a slash at its end. */
  readonly base: string;
  /** Secrets for this server alone, which no message contains. */
  readonly headers: Headers;
  /** The source of its key, for a message when it is refused. */
  readonly keyFrom: string;
}

export type Method = 'GET' | 'POST';

/**
 * Makes the body of a request anew for each attempt. A `doubtful` one follows an attempt that may have been carried out, though no answer came.
 * Null says that nothing is left to ask.
 */
export type BodyOf = (doubtful: boolean) => Promise<object | null>;

/** True if a status means too many requests or a moment's trouble. */
const passes = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

/** The milliseconds for which a server asks to be left alone; 0 if it does not say. */
function retryAfter(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(LONGEST_ASKED, Math.max(0, seconds) * 1000) : 0;
}

/** The reason why an attempt failed, and how long the server asks to be left alone. */
interface Failure {
  readonly why: string;
  readonly after: number;
}

export class HttpClient {
  readonly server: Server;
  readonly #patience: Patience;

  constructor(server: Server, patience: Patience) {
    this.server = server;
    this.#patience = patience;
  }

  /** Sends a request that may be carried out twice without harm. @throws Refused; Error if no good answer came, however often it was asked for */
  send(method: Method, path: string, body?: object): Promise<unknown> {
    return this.sendAnew(method, path, () => Promise.resolve(body ?? {}));
  }

  /** @returns the answer's JSON; null if nothing was left to ask. @throws Refused; Error if no good answer came, however often it was asked for */
  async sendAnew(method: Method, path: string, bodyOf: BodyOf, doubtful = false): Promise<unknown> {
    const { attempts, wait, say } = this.#patience;
    for (let attempt = 1; ; attempt++) {
      const body = await bodyOf(doubtful || attempt > 1);
      if (body === null) return null;
      const found = await this.#attempt(method, path, method === 'GET' ? null : body);
      if ('answer' in found) return found.answer;
      const { why, after } = found;
      if (attempt >= attempts())
        throw new Error(
          `${this.server.label} gave no usable answer in ${plural(attempt, 'attempt')} (${why}). What it has acknowledged is recorded: the same command goes on from there.`,
        );
      const jitter = 0.5 + Math.random() / 2;
      const pause = Math.max(after, jitter * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)));
      say(`${this.server.label}: ${why}; trying again in ${(pause / 1000).toFixed(1)} s`);
      await wait(pause);
    }
  }

  async #attempt(
    method: Method,
    path: string,
    body: object | null,
  ): Promise<{ readonly answer: unknown } | Failure> {
    const { base, label, keyFrom } = this.server;
    let response: Response;
    let text: string;
    try {
      response = await fetch(base + path, {
        method,
        headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...this.#secretHeaders() },
        ...(body && { body: JSON.stringify(body) }),
        // A key goes to the server that it was given for, and not on from there.
        redirect: 'manual',
        signal: this.#patience.limit(),
      });
      text = new TextDecoder().decode(await bodyOf(response, label, MOST_ANSWER, {}));
    } catch (error) {
      if (error instanceof ModelFileError) throw new Refused(error.message, 0, null);
      const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
      return { why: this.#hidden(`${messageOf(error)}${cause}`), after: 0 };
    }
    const json = parsedJson(text === '' ? '{}' : text);
    const answer = 'value' in json ? json.value : null;
    const shown = this.#hidden(text.slice(0, SHOWN).replaceAll(/\s+/g, ' '));
    if (passes(response.status))
      return { why: `it answered ${response.status} ${shown}`.trim(), after: retryAfter(response) };
    if (response.ok && answer !== null) return { answer };
    const { status } = response;
    const place = `${method} ${base}${path.replace(/\?.*/s, '')}`;
    const refused = (message: string): Refused => new Refused(message, status, answer);
    if (status === 401 || status === 403)
      throw refused(
        `${label} refused the key (${status} at ${place}): ${shown}. The key comes from ${keyFrom}.`,
      );
    if (status >= 300 && status < 400)
      throw refused(
        `${place} answered ${status}: it leads to ${this.#hidden(response.headers.get('location') ?? 'nowhere')}. Give the address that it leads to, if it is one you trust.`,
      );
    throw refused(`${place} ${response.ok ? 'answered what is no JSON' : `answered ${status}`}: ${shown}`);
  }

  #secretHeaders(): Record<string, string> {
    const { base, headers } = this.server;
    return Object.fromEntries(
      Object.entries(headers).flatMap(([name, secret]) => {
        const text = secret.sentTo(base);
        return text === null ? [] : [[name, text]];
      }),
    );
  }

  #hidden(text: string): string {
    return Object.values(this.server.headers).reduce((shown, secret) => secret.hiddenIn(shown), text);
  }
}
