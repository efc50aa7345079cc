/**
 * A browser over WebDriver BiDi (W3C), as far as opening and asking a page goes, for browsers that Playwright can't drive here. It uses
 * the WebSocket of Node 22, which Node 20 has behind `--experimental-websocket`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** The milliseconds after which a browser that was started must listen. */
const START = 60_000;

const addressLine = /WebDriver BiDi listening on (ws:\/\/\S+)/;

const answerSchema = z.object({
  id: z.number().optional(),
  type: z.string(),
  result: z.unknown(),
  error: z.string().optional(),
  message: z.string().optional(),
});
const evaluated = z.discriminatedUnion('type', [
  z.object({ type: z.literal('success'), result: z.object({ value: z.string() }) }),
  z.object({ type: z.literal('exception'), exceptionDetails: z.object({ text: z.string() }) }),
]);

const FIREFOX = ['firefox-esr', 'firefox'].flatMap((name) => [`/usr/bin/${name}`, `/usr/local/bin/${name}`]);

/** The path `FIREFOX_PATH`, else that of an installed Firefox; null if there is none. */
export function findFirefox(environment: NodeJS.ProcessEnv = process.env): string | null {
  const chosen = environment['FIREFOX_PATH'];
  if (chosen !== undefined && chosen !== '') return existsSync(chosen) ? chosen : null;
  return FIREFOX.find((path) => existsSync(path)) ?? null;
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('The browser takes no connection.')));
  });
}

/** Resolves to the address at which the browser listens. @throws Error with its last output. */
async function addressOf(browser: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new Error(`The browser ${why}. Its last words: ${said.slice(-500)}`));
    const timer = setTimeout(() => fail(`said nothing of WebDriver BiDi for ${START / 1000} s`), START);
    browser.stderr?.on('data', (text: Buffer) => {
      said += text.toString();
      const found = addressLine.exec(said)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    browser.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code ?? 'a signal'}`);
    });
  });
}

/** One browser with one tab. */
export class BidiBrowser {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  #context = '';
  #sent = 0;

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(String(data)));
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The browser has gone.'));
    });
  }

  /** Firefox without a window, with a fresh profile. @throws Error if it does not start. */
  static async firefox(executable: string): Promise<BidiBrowser> {
    const profile = mkdtempSync(join(tmpdir(), 'rl-playground-firefox-'));
    const words = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'];
    const started = spawn(executable, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      const socket = new WebSocket(`${await addressOf(started)}/session`);
      await opened(socket);
      const browser = new BidiBrowser(started, profile, socket);
      await browser.#send('session.new', { capabilities: {} });
      const { context } = z
        .object({ context: z.string() })
        .parse(await browser.#send('browsingContext.create', { type: 'tab' }));
      browser.#context = context;
      return browser;
    } catch (error) {
      started.kill('SIGKILL');
      rmSync(profile, { recursive: true, force: true });
      throw error;
    }
  }

  #take(text: string): void {
    const { id, type, result, error, message } = answerSchema.parse(JSON.parse(text));
    const asked = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || asked === undefined) return;
    this.#waiting.delete(id);
    if (type === 'error') asked.reject(new Error(`${error}: ${message}`));
    else asked.resolve(result);
  }

  #send(method: string, params: object): Promise<unknown> {
    const id = ++this.#sent;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Resolves when the page has loaded. */
  async open(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** Evaluates an expression in the page and returns its value, or that of its promise, as JSON holds it. @throws Error of the page. */
  async evaluate(expression: string): Promise<unknown> {
    const answer = evaluated.parse(
      await this.#send('script.evaluate', {
        expression: `(async () => JSON.stringify((await (${expression})) ?? null))()`,
        target: { context: this.#context },
        awaitPromise: true,
      }),
    );
    if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text);
    return JSON.parse(answer.result.value);
  }

  async close(): Promise<void> {
    const ended = this.#process.exitCode === null ? once(this.#process, 'exit') : null;
    await this.#send('browser.close', {}).catch(() => this.#process.kill('SIGKILL'));
    await ended;
    rmSync(this.#profile, { recursive: true, force: true });
  }
}
