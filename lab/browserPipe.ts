/** A browser with a window, driven over DevTools' pipe alone: Playwright has every tab believe that it is in front. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

interface Answer {
  readonly id?: number;
  readonly result?: object;
  readonly error?: { readonly message: string };
}

export interface PipedTab {
  /** Evaluates an expression and returns its value, awaited, as JSON holds it. @throws Error with what it threw. */
  evaluate(expression: string): Promise<unknown>;
  bringToFront(): Promise<void>;
}

export interface PipedBrowser {
  open(url: string): Promise<PipedTab>;
  close(): Promise<void>;
}

/** Messages end with a zero byte (Chromium's `devtools_pipe_handler`). */
const END = '\0';

export function launchPiped(executablePath: string, args: readonly string[]): PipedBrowser {
  const browser = spawn(executablePath, [...args, '--remote-debugging-pipe', 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = once(browser, 'exit');
  const commands = browser.stdio[3] as Writable;
  const answers = browser.stdio[4] as Readable;
  const waiting = new Map<number, (answer: Answer) => void>();
  let text = '';
  answers.setEncoding('utf8').on('data', (piece: string) => {
    const messages = (text + piece).split(END);
    text = messages.pop() ?? '';
    for (const message of messages) {
      const answer = JSON.parse(message) as Answer;
      if (answer.id === undefined) continue;
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    }
  });
  // A browser that has ended takes no command.
  commands.on('error', () => undefined);
  void ended.then(() => {
    for (const settle of waiting.values()) settle({ error: { message: 'The browser has ended.' } });
  });
  let id = 0;
  const send = (method: string, params: object, sessionId?: string): Promise<object> =>
    new Promise((resolve, reject) => {
      waiting.set(++id, ({ result = {}, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result),
      );
      commands.write(JSON.stringify({ id, method, params, sessionId }) + END);
    });
  return {
    async open(url) {
      const { targetId } = (await send('Target.createTarget', { url: 'about:blank' })) as {
        readonly targetId: string;
      };
      const attached = await send('Target.attachToTarget', { targetId, flatten: true });
      const { sessionId } = attached as { readonly sessionId: string };
      await send('Page.navigate', { url }, sessionId);
      return {
        async evaluate(expression) {
          const options = { expression, awaitPromise: true, returnByValue: true };
          const { result, exceptionDetails } = (await send('Runtime.evaluate', options, sessionId)) as {
            readonly result: { readonly value?: unknown };
            readonly exceptionDetails?: { readonly text: string };
          };
          if (exceptionDetails) throw new Error(exceptionDetails.text);
          return result.value;
        },
        async bringToFront() {
          await send('Target.activateTarget', { targetId });
        },
      };
    },
    async close() {
      await send('Browser.close', {}).catch(() => undefined);
      await ended;
    },
  };
}
