/** The highest rates of the CPU: every thread at once, each on its own core. */
import type { CeilingWorkload, Prepared } from '../types.ts';
import { copyRate, multiplyAddRate } from './core.ts';
import type { CoreQuestion } from './coreWorker.ts';

/** `seconds` of a sample are those of 10⁹ operations or bytes. @throws for what only a GPU has. */
export async function prepareCpuCeiling({ what }: CeilingWorkload, threads: number): Promise<Prepared> {
  if (what !== 'multiply-add' && what !== 'copy') throw new Error(`A CPU has no cost of one ${what}.`);
  if (typeof Worker === 'undefined') {
    const rate = what === 'copy' ? copyRate() : await multiplyAddRate();
    return { check: null, run: () => Promise.resolve({ seconds: 1 / rate() }), dispose: () => {} };
  }
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('./coreWorker.ts', import.meta.url), { type: 'module' }),
  );
  const all = async (): Promise<number> => {
    const rates = await Promise.all(workers.map((worker) => ask(worker, what)));
    return rates.reduce((sum, rate) => sum + rate, 0);
  };
  await all();
  return {
    check: null,
    run: async () => ({ seconds: 1 / (await all()) }),
    dispose: () => workers.forEach((worker) => worker.terminate()),
  };
}

function ask(worker: Worker, what: CoreQuestion): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<number>) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(what);
  });
}
