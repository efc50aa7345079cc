/** `npx rl-playground sweep`: settings × seeds as runs, and a table of what they come to. Exit codes: 0 done, 1 a run failed, 2 bad arguments, 130 ended by Ctrl-C. */
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { messageOf, BadInput, orBadInput } from '@rl-playground/base/errors';
import { plural } from '@rl-playground/base/text';
import { fromCaller } from '@rl-playground/engine/parts/node';
import type { Sweep } from '@rl-playground/run/sweeps';
import { replaceFile, readText } from '@rl-playground/run/disk';
import { allowServerOption, hubUrlOption, hubWords, type HubWords } from './hubOptions.ts';
import { Interruption } from './interruption.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from './program.ts';
import { planOf, type Plan, type PlannedRun } from './sweepGrid.ts';
import { runInProcess, type RunOrder, sideBySide } from './sweepProcess.ts';
import { SweepFolder } from './sweepFolder.ts';
import { sweepMarkdown } from './sweepText.ts';

interface Options extends HubWords {
  readonly jobs?: number;
  readonly out?: string;
  readonly json?: string;
  readonly every: number;
}

const TABLE_FILE = 'table.md';

const line = () =>
  command(
    'npx rl-playground sweep',
    'Trains under Node (wasm, one thread a run) with all combinations of settings that a file names, over several seeds, and prints a table with means and 95 % intervals. The same command goes on with a sweep that was ended.',
    'grid.yaml --jobs 2 --out runs/rates',
  )
    .argument(
      '[grid]',
      'YAML or JSON: {tasks, seeds, base: {setting: value}, grid: {setting: [values]}} (docs/commandLine.md)',
    )
    .option('--jobs <number>', 'runs at a time (the cores of this machine)', wholeNumber(1, 256))
    .addOption(hubUrlOption())
    .addOption(allowServerOption())
    .option('--out <folder>', 'run directories, state and table (runs/ and the name of the grid)')
    .option('--json <file>', 'write an array of the records of train --json, after each run')
    .option('--every <number>', 'steps between two lines of a run', wholeNumber(1), 10);

function readGrid(args: readonly string[]): { readonly path: string; readonly plan: Plan } {
  const [file, ...others] = args;
  if (file === undefined) throw new BadInput('Name the file of the grid: npx rl-playground sweep grid.yaml.');
  if (others.length > 0) throw new BadInput(`One grid at a time: ${args.join(', ')} are ${args.length}.`);
  const path = fromCaller(file);
  const text = orBadInput(
    () => readText(path),
    (why) => `${file} can't be read: ${why}.`,
  );
  const plan = orBadInput(
    () => planOf(text),
    (why) => `${file}: ${why}`,
  );
  return { path, plan };
}

/** Records of runs that have ended, in the order of the grid. */
const recordsOf = ({ runs }: Sweep): unknown[] =>
  runs.flatMap(({ name, settings, record }) => (record === null ? [] : [{ name, settings, ...record }]));

/** Writes the files beside the state. */
function writeResults({ sweep, path }: SweepFolder, json: string | undefined): void {
  replaceFile(join(path, TABLE_FILE), `${sweepMarkdown(sweep)}\n`);
  if (json !== undefined) replaceFile(fromCaller(json), `${JSON.stringify(recordsOf(sweep), null, 2)}\n`);
}

/** Each in a process of its own. */
async function makeRuns(
  runs: readonly PlannedRun[],
  {
    grid,
    words,
    folder,
    jobs,
    every,
    json,
    signal,
  }: {
    /** Its file, for people. */
    readonly grid: string;
    readonly words: RunOrder['words'];
    readonly folder: SweepFolder;
    readonly jobs: number;
    readonly every: number;
    readonly json: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const say = (name: string, what: string): void => {
    const total = folder.sweep.runs.length;
    printLine(`[${total - folder.open.length} of ${total}] ${name} ${what}`);
    writeResults(folder, json);
  };
  await sideBySide(runs, jobs, async ({ name, config }) => {
    const order = { config, modelFile: grid, folder: folder.draft(name), every, words };
    try {
      await runInProcess(order, { say: (text) => printLine(`${name}  ${text}`), signal });
    } catch (error) {
      signal.throwIfAborted();
      folder.failed(name, messageOf(error));
      say(name, `failed: ${messageOf(error)}`);
      return;
    }
    folder.ended(name);
    say(name, 'done');
  });
}

export default simpleProgram<Options>(line, async (options, args) => {
  const { jobs = availableParallelism(), out, json, every } = options;
  const { path, plan } = readGrid(args);
  const words = { data: [], ...hubWords(options) };
  const folder = SweepFolder.open(
    fromCaller(out ?? join('runs', basename(path).replace(/\.(ya?ml|json)$/i, ''))),
    plan,
  );
  const abort = new AbortController();
  const interruption = new Interruption((code) => process.exit(code));
  interruption.runs(() => Promise.resolve(abort.abort(new Error('The sweep was ended.'))), null);
  const leave = interruption.listen();
  try {
    for (const note of plan.notes) printLine(note);
    const { open } = folder;
    const before = plan.runs.length - open.length;
    printLine(
      `${plural(plan.runs.length, 'run')}${before > 0 ? `, ${before} of them done before` : ''}; ${folder.path}`,
    );
    writeResults(folder, json);
    try {
      if (open.length === 0) printLine('All runs are done.');
      else await makeRuns(open, { grid: path, words, folder, jobs, every, json, signal: abort.signal });
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      printProblem(
        `${plural(plan.runs.length - folder.open.length, 'run')} of ${plan.runs.length} are done; the same command goes on.`,
      );
    }
    printLine(sweepMarkdown(folder.sweep));
    return interruption.code ?? (folder.open.length > 0 ? 1 : 0);
  } finally {
    leave();
    folder.close();
  }
});
