/**
 * `npm run lab -- faults`: breaks runs on the built page at every moment and in every way that a browser can, and compares their results
 * with an undisturbed run. It prints a line for each cell, and the last line says how many are equal. Exit codes: 0 all equal, 1 some
 * differ, 2 bad arguments.
 */
import { Option } from 'commander';
import { messageOf } from '@rl-playground/base/errors';
import { launchBrowser, onServedPage } from './builtPage.ts';
import { differenceOf } from './faultsPage.ts';
import { FaultyRuns, STEPS, type Cell } from './faultyRuns.ts';
import { FAULTS, MOMENTS } from './faultyWorkers.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram } from '../src/cli/program.ts';

interface Options {
  readonly backend: 'wasm' | 'webgpu';
  readonly only?: string;
}

const line = () =>
  command(
    'npm run lab -- faults',
    `Breaks runs of ${STEPS} steps on the built page: ${FAULTS.join(', ')}; each while ${MOMENTS.join(', ')}. Compares weights, optimizer and log with a run that nothing was done to.`,
    '--backend wasm --only reload',
  )
    .addOption(new Option('--backend <name>', 'what computes').choices(['wasm', 'webgpu']).default('wasm'))
    .option('--only <word>', 'the cells alone whose names have it');

const CELLS: readonly Cell[] = [
  ...FAULTS.flatMap((fault) => MOMENTS.map((moment) => ({ fault, moment, realDeadline: false }))),
  { fault: 'generator hangs', moment: 'generating', realDeadline: true },
];

const nameOf = ({ fault, moment, realDeadline }: Cell): string =>
  `${fault} while ${moment}${realDeadline ? ', with the real deadline' : ''}`;

/** The reason why such a cell is impossible; null if it is possible. */
function impossible({ fault }: Cell, backend: Options['backend']): string | null {
  if (fault === 'GPU process killed' && backend === 'wasm') return 'nothing of the run is on the GPU';
  if (fault === 'SIMD thread hangs' && backend === 'webgpu') return 'no SIMD thread works for the GPU';
  return null;
}

async function runCells(url: string, backend: Options['backend'], only: string): Promise<number> {
  const cells = CELLS.filter((cell) => nameOf(cell).includes(only));
  const counts = { equal: 0, differ: 0, impossible: 0 };
  const began = performance.now();
  let browser = await launchBrowser('webgpu');
  try {
    const expected = await new FaultyRuns(browser, url, backend).undisturbed();
    for (const cell of cells) {
      const why = impossible(cell, backend);
      if (why !== null) {
        counts.impossible++;
        printLine(`cannot be  ${nameOf(cell)}: ${why}`);
        continue;
      }
      const cellBegan = performance.now();
      const { problem, repeated } = await new FaultyRuns(browser, url, backend).broken(cell).then(
        (found) => ({ problem: differenceOf(found.outcome, expected), repeated: found.repeated }),
        (error: unknown) => ({ problem: messageOf(error), repeated: 0 }),
      );
      counts[problem === null ? 'equal' : 'differ']++;
      const seconds = ((performance.now() - cellBegan) / 1000).toFixed(1);
      const steps = repeated > 0 ? `, ${repeated} steps repeated` : '';
      const result = problem === null ? 'equal     ' : 'DIFFERS   ';
      printLine(`${result} ${nameOf(cell)} (${seconds} s${steps})${problem === null ? '' : `: ${problem}`}`);
      // A browser whose GPU process was killed a few times computes without a GPU.
      if (cell.fault === 'GPU process killed' || !browser.isConnected()) {
        await browser.close().catch(() => undefined);
        browser = await launchBrowser('webgpu');
      }
    }
  } finally {
    await browser.close().catch(() => undefined);
  }
  printLine(
    `${counts.equal} equal, ${counts.differ} differ, ${counts.impossible} cannot be, in ${((performance.now() - began) / 60_000).toFixed(1)} minutes`,
  );
  return counts.differ === 0 ? 0 : 1;
}

export default simpleProgram<Options>(line, ({ backend, only = '' }) =>
  onServedPage((url) => runCells(url, backend, only)),
);
