/** Handles Ctrl-C, and the signals when a system, a terminal or a reader goes away during a run. */
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { codeOf } from '@rl-playground/run/disk';
import { printProblem } from '@rl-playground/base/print';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A signal. `SIGPIPE` means that the reader of the output has left, as in `train … | head`; Node reports it by an error of the stream. */
type Signal = (typeof SIGNALS)[number] | 'SIGPIPE';

/** The exit code that a shell expects of a program that a signal ended: 130 for Ctrl-C. */
const codeOfSignal = (signal: Signal): number => 128 + constants.signals[signal];

const STOPPING =
  'Stopping as the page’s Stop does: the current update is finished, then the weights are evaluated and kept. Ctrl-C again ends at once.';

/** Ends a run when asked once, and the program when asked twice or before there is a run. */
export class Interruption {
  readonly #exit: (code: number) => void;
  #stop: (() => Promise<void>) | null = null;
  #said: string | null = null;
  #asked: Signal | null = null;

  /** `exit` ends the program. */
  constructor(exit: (code: number) => void) {
    this.#exit = exit;
  }

  /** The exit code of the run that was asked to end; null if none was. */
  get code(): number | null {
    return this.#asked === null ? null : codeOfSignal(this.#asked);
  }

  /** Takes the signals of this process from now on. @returns a function that leaves them to Node again. */
  listen(): () => void {
    const onTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
    // Writing to a terminal or a reader that is gone is an error, which would end the program before its files are written.
    const streams = [process.stdout, process.stderr];
    let isSaid = false;
    const left = (error: Error): void => {
      if (codeOf(error) === 'EPIPE') {
        if (this.#asked === null) this.take('SIGPIPE');
      } else if (!isSaid) {
        isSaid = true;
        printProblem(`What is printed can't be written (${error.message}). The run goes on.`);
      }
    };
    for (const stream of streams) stream.on('error', left);
    const take = (signal: Signal): void => {
      if (signal === 'SIGHUP' && onTerminal) endByHangUp();
      this.take(signal);
    };
    for (const signal of SIGNALS) process.on(signal, take);
    return () => {
      for (const stream of streams) stream.off('error', left);
      for (const signal of SIGNALS) process.off(signal, take);
    };
  }

  /** Lets `stop` end the run from now on; `said` is printed then. */
  runs(stop: () => Promise<void>, said: string | null = STOPPING): void {
    this.#stop = stop;
    this.#said = said;
  }

  take(signal: Signal): void {
    const stop = this.#stop;
    if (this.#asked === 'SIGPIPE') {
      // Ctrl-C on `train | tee` ends the reader too, so the signal may come second although a person sent it first.
      this.#asked = signal;
      return;
    }
    if (stop === null || this.#asked !== null) {
      this.#exit(codeOfSignal(signal));
      return;
    }
    this.#asked = signal;
    if (this.#said !== null) printProblem(this.#said);
    stop().catch(() => this.#exit(codeOfSignal(signal)));
  }
}

/** Aborts when the program is told to end. */
export function endOfProgram(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** Ends the program by the signal itself, as a shell expects. Node would abort at its exit while it restores a terminal that is gone. */
function endByHangUp(): void {
  process.on('exit', () => {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  });
}
