/** Real generator workers that go wrong, in the place of the first ones that are started. */
import faultyGenerator from './faultyGenerator.worker.ts?worker&url';
import { breathe } from '../backend/eventLoop.ts';

export type FaultName = 'throws' | 'closes' | 'hangs' | 'drops';
/** The message that it is about: one that it sends, or takes. */
export type FaultPlace = 'progress' | 'group' | 'weights';
export const FAULTS: readonly FaultName[] = ['throws', 'closes', 'hangs', 'drops'];

export interface FaultyWorkers {
  /** Generators that were started. */
  readonly started: number;
  /** Of them, those that have gone wrong. */
  readonly faults: number;
  restore(): void;
}

/** The next `count` generators go wrong at their second message `at`, sent or received; `onFault` is called in the page just after. */
export function breakGenerators(
  fault: FaultName,
  at: FaultPlace,
  count: number,
  onFault: () => void,
): FaultyWorkers {
  const Original = globalThis.Worker;
  let started = 0;
  let faults = 0;
  globalThis.Worker = class extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      const generator = /\/rollout\/worker\./.test(String(url));
      const faulty = generator && started < count;
      super(faulty ? faultyGenerator : url, faulty ? { ...options, name: `${fault} ${at}` } : options);
      if (generator) started++;
      this.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        if (typeof data !== 'object' || data === null || !('fault' in data)) return;
        faults++;
        // Behind whoever else hears this message.
        void breathe().then(onFault);
      });
    }
  };
  return {
    get started() {
      return started;
    },
    get faults() {
      return faults;
    },
    restore: () => (globalThis.Worker = Original),
  };
}
