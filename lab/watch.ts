/** `npm run lab -- watch`: makes the labelled runs that the alarms are judged on, and judges them. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { join } from 'node:path';
import { Option } from 'commander';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, seedRange, simpleProgram } from '../src/cli/program.ts';
import { repository } from '../src/cli/tools.ts';
import { judge, margins, report, shownText } from './watch/judge.ts';
import { configOf, KINDS, type LabelledKind } from './watch/kinds.ts';
import { readRun, record } from './watch/record.ts';

interface Options {
  readonly kinds: readonly LabelledKind[];
  readonly seeds: readonly number[];
  readonly folder: string;
  readonly made?: true;
  readonly verbose?: true;
  readonly lines?: true;
}

function kindsNamed(text: string): LabelledKind[] {
  return text.split(',').map((name) => {
    const kind = KINDS.find((each) => each.name === name);
    if (kind === undefined)
      throw new BadInput(`There is no kind ${name}; there are ${KINDS.map((each) => each.name).join(', ')}.`);
    return kind;
  });
}

const line = () =>
  command(
    'npm run lab -- watch',
    'Makes labelled runs, healthy and failing, keeps the metrics of each in a file, and judges the alarms on them: precision, recall, steps from onset to name. A run that is there under the same settings is not made again.',
    '--seeds 2-4 --kinds learning-rate,keyword,cured',
  )
    .addOption(
      new Option('--kinds <names>', 'kinds of runs, parted by commas')
        .argParser(kindsNamed)
        .default(KINDS, 'all of them'),
    )
    .option('--seeds <range>', 'one seed, or a range', seedRange, seedRange('0-4'))
    .option('--folder <path>', 'where the metrics lie', join(repository, 'runs/watch'))
    .option('--made', 'judge the runs that are there, and make none')
    .option('--lines', 'how far healthy and failing runs are from the lines of the rules')
    .option('--verbose', 'what was shown in each run');

export default simpleProgram<Options>(line, async ({ kinds, seeds, folder, made, lines, verbose }) => {
  const wanted = seeds.flatMap((seed) => kinds.map((kind) => ({ kind, config: configOf(kind, seed) })));
  if (!made) {
    await startBackendInNode();
    for (const { kind, config } of wanted) {
      const began = performance.now();
      if (!(await record(folder, kind, config))) continue;
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      printLine(`${kind.name} seed ${config.seed}: ${seconds} s`);
    }
  }
  const runs = wanted.flatMap(({ kind, config }) => readRun(folder, kind, config) ?? []);
  const judged = runs.map(judge);
  if (verbose)
    for (const each of judged)
      printLine(
        `${each.run.kind.name} seed ${each.run.config.seed}: onset ${each.onset ?? '–'}, shown ${shownText(each)}`,
      );
  printLine(report(judged));
  if (lines) printLine(`\n${margins(judged)}`);
});
