/** The parts that are suites of `npm run lab -- bench`, and decoding with one row, 64 and 256. */
import { PAGE_PEERS, type BenchResult, type PeerName } from '../bench/types.ts';
import { runChild } from './child.ts';
import type { Part, PartTask } from './budget.ts';
import type { Row } from './rows.ts';
import { smallModel, withoutPage, type Setup } from './setup.ts';

/** The rows of a result of `bench`: its medians. */
export function benchRow({ name, shape, ours, peers, errors = {}, fault, devices }: BenchResult): Row {
  const { ours: failed, ...others } = errors;
  const said = [
    ...Object.entries({ ...devices, ...others }).map(([peer, text]) => `${peer}: ${text}`),
    ...(fault === undefined ? [] : [fault]),
  ];
  return {
    name,
    shape,
    ...(ours === null ? {} : { value: ours.median, unit: ours.unit, details: { ...ours } }),
    ...(Object.keys(peers).length === 0
      ? {}
      : { peers: Object.fromEntries(Object.entries(peers).map(([peer, { median }]) => [peer, median])) }),
    ...(said.length === 0 ? {} : { note: said.join('; ') }),
    ...(failed === undefined ? {} : { failed }),
  };
}

const namesIn = ({ without }: Setup): string[] =>
  (without ?? '').split(',').flatMap((name) => name.trim() || []);

/** Leaves these peers out, too. */
export const leavingOut = (setup: Setup, peers: readonly PeerName[]): Setup => ({
  ...setup,
  without: [...new Set([...namesIn(setup), ...peers])].join(','),
});

/** Runs suites in a child process. Resolves to the rows, which it has emitted by then. */
export async function bench(
  setup: Setup,
  words: readonly string[],
  { signal, emit }: PartTask,
): Promise<Row[]> {
  const { rehearse, without, python } = setup;
  const rows: Row[] = [];
  const small = '--repeats 1 --rollouts 8 --tokens 8';
  const all = [
    ...'src/cli/run.mjs lab/lab bench --json --backend webgpu'.split(' '),
    ...(without === null ? [] : ['--without', without]),
    ...(python === null ? [] : ['--python', python]),
    ...(rehearse ? small : '--repeats 3').split(' '),
    ...words,
  ];
  await runChild(all, {
    signal,
    onLine(line) {
      if (!line.startsWith('{"name"')) return;
      const row = benchRow(JSON.parse(line) as BenchResult);
      rows.push(row);
      emit(row);
    },
  });
  return rows;
}

const SUITES = [
  ['gemm', 'matrix products, square and skinny', 50],
  ['ops', 'attention, norms, SwiGLU, log-probabilities, AdamW', 30],
  ['train', 'one update', 30],
  ['rollout', 'sampling', 40],
  ['step', 'a whole default step', 30],
] as const;

export const suiteParts = (setup: Setup): Part[] =>
  SUITES.map(([name, purpose, seconds]) => ({
    name,
    purpose,
    seconds,
    hindrance: () => withoutPage(setup),
    async run(task) {
      await bench(setup, ['--suite', name, ...(setup.rehearse ? ['--quick'] : [])], task);
    },
  }));

export const rowsPart = (setup: Setup): Part => ({
  name: 'rows',
  purpose: 'decoding of 1, 64 and 256 rows side by side, 135M parameters',
  seconds: 45,
  hindrance: () => withoutPage(setup),
  async run(task) {
    const alone = { ...leavingOut(setup, PAGE_PEERS), python: null };
    const counts = setup.rehearse ? [1, 4] : [1, 64, 256];
    let first: number | undefined;
    for (const count of counts) {
      const words = ['--suite', 'rollout', '--model', smallModel(setup), '--rollouts', String(count)];
      const [row] = await bench(alone, words, task);
      if (first !== undefined && row?.value !== undefined)
        task.emit({ name: `${count} rows against one`, value: row.value / first, unit: 'times the tokens' });
      first ??= row?.value;
    }
  },
});

/** The name of a peer and of its part. */
const BESIDE = 'transformers.js';

/** Sampling of one model beside transformers.js. It sorts the vocabulary for each token of each row, so that one repeat takes long. */
export const besidePart = (setup: Setup): Part => ({
  name: BESIDE,
  purpose: `sampling of 1 and 64 rows beside ${BESIDE}, 135M parameters`,
  seconds: 100,
  hindrance: () => withoutPage(setup) ?? (namesIn(setup).includes(BESIDE) ? '--without names it.' : null),
  async run(task) {
    const others = PAGE_PEERS.filter((name) => name !== BESIDE);
    const beside = { ...leavingOut(setup, others), python: null };
    const counts = setup.rehearse ? [1] : [1, 64];
    for (const count of counts) {
      const words = ['--suite', 'rollout', '--model', smallModel(setup), '--rollouts', String(count)];
      await bench(beside, [...words, '--repeats', '1'], task);
    }
  },
});
