/**
 * `npm run lab -- conformance`: every dataset of the reference data beside what the tasks here make of it. Exit codes: 0 all agree, 1 some deviate,
 * 2 bad arguments or no data. The comparison itself is in conformanceData.ts.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { datasetResults, deviatesTooMuch, unbuiltDatasets, type DatasetResult } from './conformanceData.ts';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { printLine, printProblem } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram } from '../src/cli/program.ts';

/** Deviating rows that are printed of each dataset. */
const MOST_SHOWN = 5;
const LONGEST = 200;

function remark(result: DatasetResult): string {
  const parts = [
    ...(deviatesTooMuch(result) ? ['TOO MANY DEVIATE'] : []),
    ...(result.deviations.length > 0 ? [result.reason ?? 'no reason is recorded'] : []),
    ...(result.leftOut === null ? [] : [`${result.leftOut.rows} rows left out: ${result.leftOut.why}`]),
  ];
  return parts.join('; ');
}

function print(results: readonly DatasetResult[]): void {
  const width = Math.max(...results.map(({ dataset }) => dataset.length));
  const line = (name: string, rows: string, agree: string, deviate: string, note: string) =>
    `${name.padEnd(width)} ${rows.padStart(7)} ${agree.padStart(8)} ${deviate.padStart(8)}  ${note}`.trimEnd();
  printLine(line('dataset', 'rows', 'agree', 'deviate', ''));
  for (const result of results) {
    const { dataset, rows, deviations } = result;
    printLine(
      line(dataset, `${rows}`, `${rows - deviations.length}`, `${deviations.length}`, remark(result)),
    );
    for (const deviation of deviations.slice(0, MOST_SHOWN)) printLine(`  ${deviation.slice(0, LONGEST)}`);
  }
  const rows = results.reduce((sum, result) => sum + result.rows, 0);
  const deviating = results.reduce((sum, { deviations }) => sum + deviations.length, 0);
  printLine(line('all', `${rows}`, `${rows - deviating}`, `${deviating}`, ''));
}

const line = () =>
  command(
    'npm run lab -- conformance',
    'Scores every row of the reference data with the tasks here, in upstream mode, and prints for each of its datasets how many rows agree. Ends with 1 where one deviates on more than 1 % of its rows.',
    '../shared/refdata',
  ).argument('[folder]', 'of the reference data (by default beside the repository: ../shared/refdata)');

export default simpleProgram(line, (_, [given]) => {
  const folder =
    given === undefined ? fileURLToPath(new URL('../../shared/refdata', import.meta.url)) : fromCaller(given);
  if (!existsSync(folder))
    throw new BadInput(
      `There is no reference data at ${folder}, so nothing was compared. Put it there, or name its folder: npm run lab -- conformance FOLDER`,
    );
  const results = datasetResults(folder);
  print(results);
  const unbuilt = unbuiltDatasets(folder);
  if (unbuilt.length > 0) printLine(`\nNo tasks here, so not compared: ${unbuilt.join(', ')}.`);
  const bad = results.filter(deviatesTooMuch).map(({ dataset }) => dataset);
  if (bad.length === 0) return 0;
  printProblem(`\nMore than 1 % of the rows deviate, or there are none: ${bad.join(', ')}.`);
  return 1;
});
