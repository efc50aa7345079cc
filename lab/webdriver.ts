/** WebKitGTK over WebDriver (W3C), as far as a page is opened and asked: its driver speaks no BiDi, and runs on Linux alone. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { messageOf, BadInput } from '@rl-playground/base/errors';

const DRIVER = '/usr/bin/WebKitWebDriver';

/** The variable of JavaScriptCore without which WebKitGTK 2.50 has no SharedArrayBuffer, even on an isolated page, and the page has one thread. */
const SHARED_MEMORY = { JSC_useSharedArrayBuffer: 'true' };

/** The milliseconds after which a program that was started must answer, and between two looks. */
const START = 30_000;
const LOOK = 100;

const INSTALL = 'Debian: apt-get install webkit2gtk-driver xvfb';

/** The path of MiniBrowser, which is in the library's own folder, whose name has the machine's kind. */
function miniBrowser(): string {
  const found = readdirSync('/usr/lib', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `/usr/lib/${name}/webkit2gtk-4.1/MiniBrowser`)
    .find((path) => existsSync(path));
  if (found === undefined) throw new BadInput(`There is no MiniBrowser of WebKitGTK here. ${INSTALL}.`);
  return found;
}

interface Started {
  readonly process: ChildProcess;
  /** Rejects if the program can't be started. */
  readonly failed: Promise<never>;
}

function started(program: string, words: readonly string[], environment: NodeJS.ProcessEnv): Started {
  const child = spawn(program, words, { stdio: 'ignore', env: environment });
  const failed = once(child, 'exit').then(
    () => {
      throw new Error(`${program} ended with ${child.exitCode ?? child.signalCode}.`);
    },
    (error: unknown) => {
      throw new BadInput(`${program} can’t be started (${messageOf(error)}). ${INSTALL}.`);
    },
  );
  failed.catch(() => undefined);
  return { process: child, failed };
}

async function ended({ process }: Started): Promise<void> {
  // A program that could not be started has no number.
  if (process.pid === undefined || process.exitCode !== null || process.signalCode !== null) return;
  const exit = once(process, 'exit');
  process.kill();
  await exit;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const answerSchema = z.object({ value: z.unknown() });
const errorSchema = z.object({ error: z.string(), message: z.string() });
const sessionSchema = z.object({
  sessionId: z.string(),
  capabilities: z.object({ browserVersion: z.string() }),
});
const evaluated = z.discriminatedUnion('type', [
  z.object({ type: z.literal('success'), value: z.string() }),
  z.object({ type: z.literal('exception'), text: z.string() }),
]);

/** Returns the driver's answer. @throws Error with the driver's words. */
async function asked(url: string, method: 'GET' | 'POST' | 'DELETE', body?: object): Promise<unknown> {
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = answerSchema.parse(await response.json());
  if (response.ok) return value;
  const { error, message } = errorSchema.parse(value);
  throw new Error(`${error}: ${message}`);
}

/** One browser with one tab. */
export class WebDriverBrowser {
  /** The name of the browser, with its version. */
  readonly name: string;
  readonly #driver: Started;
  readonly #session: string;

  private constructor(name: string, driver: Started, session: string) {
    this.name = name;
    this.#driver = driver;
    this.#session = session;
  }

  /**
   * WebKitGTK's MiniBrowser in a private session, as it is driven. `threads` gives it shared memory, as Safari has it and WebKitGTK has
   * not by itself. @throws BadInput if it is not installed, Error if it does not start.
   */
  static async webkit(threads: boolean): Promise<WebDriverBrowser> {
    if (!existsSync(DRIVER)) throw new BadInput(`There is no WebKitWebDriver here. ${INSTALL}.`);
    const browserOptions = { binary: miniBrowser(), args: ['--automation'] };
    if (!process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'])
      throw new BadInput('A window needs a display, and DISPLAY names none. Run it under xvfb-run.');
    const port = await freePort();
    const environment = { ...process.env, ...(threads && SHARED_MEMORY) };
    const driver = started(DRIVER, [`--port=${port}`], environment);
    try {
      const root = `http://127.0.0.1:${port}`;
      await Promise.race([driver.failed, untilReady(root)]);
      const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browserOptions } };
      const answer = await asked(`${root}/session`, 'POST', { capabilities });
      const session = sessionSchema.parse(answer);
      const name = `WebKitGTK ${session.capabilities.browserVersion}`;
      return new WebDriverBrowser(name, driver, `${root}/session/${session.sessionId}`);
    } catch (error) {
      await ended(driver);
      throw error;
    }
  }

  /** Resolves when the page has loaded. */
  async open(url: string): Promise<void> {
    await asked(`${this.#session}/url`, 'POST', { url });
  }

  /** Evaluates an expression in the page and returns its value, or that of its promise, as JSON holds it. @throws Error of the page. */
  async evaluate(expression: string): Promise<unknown> {
    const script = `const done = arguments[arguments.length - 1];
      (async () => JSON.stringify((await (${expression})) ?? null))().then(
        (value) => done({ type: 'success', value }),
        (error) => done({ type: 'exception', text: String(error) }),
      );`;
    const answer = evaluated.parse(
      await asked(`${this.#session}/execute/async`, 'POST', { script, args: [] }),
    );
    if (answer.type === 'exception') throw new Error(answer.text);
    return JSON.parse(answer.value);
  }

  async close(): Promise<void> {
    // A browser that has ended by itself has no session; its last caller was told the reason.
    await asked(this.#session, 'DELETE').catch(() => undefined);
    await ended(this.#driver);
  }
}

/** Resolves once the driver takes sessions. @throws Error if that does not happen. */
async function untilReady(root: string): Promise<void> {
  const answers = (): Promise<boolean> =>
    asked(`${root}/status`, 'GET').then(
      () => true,
      () => false,
    );
  for (const last = performance.now() + START; performance.now() < last; await setTimeout(LOOK))
    if (await answers()) return;
  throw new Error(`WebKitWebDriver takes no session within ${START / 1000} s.`);
}
