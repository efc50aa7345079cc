/**
 * `npm run conformance [-- FOLDER]`: scores every row of the reference data with the tasks here, in `upstream` mode, and prints for each
 * of its datasets how many rows agree. Exit code 1 where one deviates on more than 1 % of its rows, 2 where the data is absent.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { datasetResults, deviatesTooMuch, unbuiltDatasets, type DatasetResult } from './conformanceData.ts';

/** Deviating rows that are printed of each dataset. */
const MOST_SHOWN = 5;
const LONGEST = 200;

const given = process.argv[2];
// npm runs programs in the repository's folder and says here where the person is.
const folder =
  given === undefined
    ? fileURLToPath(new URL('../../shared/refdata', import.meta.url))
    : resolve(process.env['INIT_CWD'] ?? '', given);

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
  console.log(line('dataset', 'rows', 'agree', 'deviate', ''));
  for (const result of results) {
    const { dataset, rows, deviations } = result;
    console.log(
      line(dataset, `${rows}`, `${rows - deviations.length}`, `${deviations.length}`, remark(result)),
    );
    for (const deviation of deviations.slice(0, MOST_SHOWN)) console.log(`  ${deviation.slice(0, LONGEST)}`);
  }
  const rows = results.reduce((sum, result) => sum + result.rows, 0);
  const deviating = results.reduce((sum, { deviations }) => sum + deviations.length, 0);
  console.log(line('all', `${rows}`, `${rows - deviating}`, `${deviating}`, ''));
}

if (!existsSync(folder)) {
  console.error(
    `There is no reference data at ${folder}, so nothing was compared. Put it there, or name its folder: npm run conformance -- FOLDER`,
  );
  process.exitCode = 2;
} else {
  const results = datasetResults(folder);
  print(results);
  const unbuilt = unbuiltDatasets(folder);
  if (unbuilt.length > 0) console.log(`\nNo tasks here, so not compared: ${unbuilt.join(', ')}.`);
  const bad = results.filter(deviatesTooMuch).map(({ dataset }) => dataset);
  if (bad.length > 0) {
    console.error(`\nMore than 1 % of the rows deviate, or there are none: ${bad.join(', ')}.`);
    process.exitCode = 1;
  }
}
