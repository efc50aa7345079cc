/** `npx rl-playground report`: run directories as one HTML file. Exit codes: 0 written, 1 failed, 2 bad arguments. */
import { plural } from '@rl-playground/base/text';
import { armsOf } from '@rl-playground/bridges/report/input';
import { reportHtml } from '@rl-playground/bridges/report';
import { replaceFile } from '@rl-playground/run/disk';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram } from './program.ts';
import { recordedRun } from './recordedRun.ts';

interface Options {
  readonly out?: string;
  readonly page?: string;
  readonly note?: string;
}

const line = () =>
  command(
    'npx rl-playground report',
    'Writes one HTML file about a run, or about several against each other: results with their intervals, charts, answers, settings, and how to make it again. It holds no scripts and fetches nothing. Runs that differ in their seeds alone are drawn as one, with its interval; the first that is named is what the others are held against.',
    'runs/a runs/b --out report.html',
  )
    .argument(
      '[run-directory...]',
      'folders that npx rl-playground train --out wrote, or unpacked from the page’s zip',
    )
    .option('--out <file>', 'where to write it')
    .option('--page <address>', 'address of the page, for a link that opens it with the settings of a run')
    .option('--note <text>', 'what to say of the first run');

/** The address without query and fragment. @throws BadInput */
function pageAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new BadInput(`--page: "${text}" is no address of a page; it begins with http:// or https://.`);
  return url.origin + url.pathname;
}

export default simpleProgram<Options>(line, ({ out, page, note }, folders) => {
  if (out === undefined) throw new BadInput('--out: name the file to write, such as report.html.');
  const runs = folders.map(recordedRun);
  const [first, ...others] = runs;
  if (first === undefined)
    throw new BadInput(
      'Name at least one run directory: npx rl-playground report RUN_DIR --out report.html.',
    );
  const arms = armsOf([note === undefined ? first : { ...first, note }, ...others]);
  const text = reportHtml({ arms, page: pageAddress(page), date: new Date() });
  replaceFile(out, text);
  printLine(`wrote ${out}: ${plural(runs.length, 'run')}, ${Math.ceil(Buffer.byteLength(text) / 1024)} kB`);
});
