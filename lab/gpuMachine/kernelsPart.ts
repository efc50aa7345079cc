/** The part `kernels`: the suites that compare kernels with float64 and with their twins, in Chromium’s page or, without one, in Node on Dawn. */
import { runChild } from './child.ts';
import type { Part } from './budget.ts';
import type { Row } from './rows.ts';
import { withoutGpu, type Setup } from './setup.ts';

/** The files, the most wanted first: each list is a run of Vitest’s. */
const IN_PAGE = [
  ['src/engine/kernels'],
  ['src/engine/rollout', 'src/engine/model', 'src/engine/update', 'src/engine/loss', 'src/engine/backend'],
];
/** A file of one op’s suite, which a software adapter has done in seconds. */
const REHEARSED = ['src/engine/kernels/kernels.gpu.test.ts', '-t', 'addColumnSums'];

function wordsOf({ place, rehearse }: Setup): string[][] {
  if (place.browser === null) return [['--project=wgpu', ...(rehearse ? REHEARSED : [])]];
  const pages = ['--project=kernels', '--project=kernels-alone'];
  return rehearse ? [['--project=kernels', ...REHEARSED]] : IN_PAGE.map((folders) => [...pages, ...folders]);
}

export function kernelsPart(setup: Setup): Part {
  return {
    name: 'kernels',
    purpose: 'the kernels’ suites against float64 and their twins',
    seconds: 120,
    hindrance: () => withoutGpu(setup),
    async run({ signal, emit }) {
      let [files, tests, failures] = [0, 0, 0];
      const take = (line: string): void => {
        // Vitest and Vite print lines of their own in between.
        if (!line.startsWith('{')) return;
        const row = JSON.parse(line) as Row;
        emit(row);
        if (row.value === undefined) failures++;
        else [files, tests] = [files + 1, tests + row.value];
      };
      const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=./lab/gpuMachine/testRows.ts'];
      const errors: unknown[] = [];
      for (const words of wordsOf(setup))
        await runChild([...vitest, ...words], { signal, onLine: take }).catch((error: unknown) =>
          errors.push(error),
        );
      const said = failures === 0 ? '' : `, ${failures} failed`;
      emit({ name: 'all', value: tests, unit: 'tests passed', note: `${files} files${said}` });
      // A test that fails is a row already; whatever else ends Vitest is not.
      if (failures === 0 && errors.length > 0) throw errors[0];
      if (tests === 0 && !signal.aborted) throw new Error('No test ran.');
    },
  };
}
