/**
 * Simulated machines for `npm run lab -- machines`: each joins by the real protocol and gives real answers, but takes a given time for a
 * group, so that many of them can share a processor. Words: an address, then for each machine the seconds that it takes for a group.
 */
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { parseServerAddress } from '@rl-playground/machines';
import { computationOf } from '@rl-playground/run/environment/computation';
import { connectInNode } from '@rl-playground/machines/node';
import { Machine } from '@rl-playground/machines/joining';
import type { BaseTakingPool, GroupResult } from '@rl-playground/engine/parts';
import { createLocalPool } from '@rl-playground/engine/parts/tensors';
import { printProblem } from '@rl-playground/base/print';

/** The number of groups whose answers took longer to compute than they should. */
let late = 0;

/** A pool that answers one group after the other, each when its time is over. */
function paced(pool: BaseTakingPool, seconds: number): BaseTakingPool {
  let busy = 0;
  return {
    size: 1,
    get busySeconds() {
      return busy;
    },
    handedOverBytes: 0,
    setWeights: (...words) => pool.setWeights(...words),
    setBase: (...words) => pool.setBase(...words),
    setAdapter: (...words) => pool.setAdapter(...words),
    async generate(requests, sampling, { onGroup, onProgress, signal } = {}) {
      const results: GroupResult[] = [];
      for (const [index, request] of requests.entries()) {
        const began = performance.now();
        const [result] = await pool.generate([request], sampling, { signal });
        if (result === undefined) throw new Error('A group has no answer.');
        const left = began + 1000 * seconds - performance.now();
        if (left < 0) late++;
        await new Promise((resolve) => setTimeout(resolve, left));
        signal?.throwIfAborted();
        busy += (performance.now() - began) / 1000;
        const ended = performance.now();
        const group = { ...result, began: ended - 1000 * seconds, ended };
        results.push(group);
        onGroup?.(index, group);
        onProgress?.({ tokens: 0, finished: index + 1, total: requests.length });
      }
      return results;
    },
    generateOn(_, ...words) {
      return this.generate(...words);
    },
    dispose: () => pool.dispose(),
  };
}

/** The name of a machine in a run's list. */
export const machineName = (index: number): string => `machine ${index + 1}`;

export default async ([address = '', ...paces]: readonly string[]): Promise<number> => {
  const { line } = await startBackendInNode();
  const server = parseServerAddress(address);
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  process.once('disconnect', () => process.exit(1));
  await Promise.all(
    paces.map(async (seconds, i) => {
      const name = machineName(i);
      const connection = await connectInNode(server, name);
      const machine = new Machine({
        connection,
        name,
        runName: null,
        engineFor: () => ({
          computation: computationOf(line),
          createPool: ({ model, precision }) => paced(createLocalPool(model, precision), Number(seconds)),
        }),
        onNews: (news) => news.kind === 'trouble' && printProblem(`${name}: ${news.text}`),
      });
      await machine.serve(stop.signal);
      await connection.close();
    }),
  );
  process.send?.({ late });
  process.removeAllListeners('disconnect');
  process.disconnect?.();
  return 0;
};
