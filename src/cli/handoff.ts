/**
 * `npx rl-playground handoff`: a run as another trainer takes it up, and whether it does so faithfully. Exit codes: 0 done, 1 failed or unlike, 2 bad
 * arguments, or a run that can't be handed over.
 */
import { existsSync, readdirSync } from 'node:fs';
import { Option } from 'commander';
import { grouped, plural } from '@rl-playground/base/text';
import { fromCaller } from '@rl-playground/engine/parts/node';
import type { CheckpointParts } from '@rl-playground/run/checkpoint';
import { provideRows } from '@rl-playground/run/data';
import { handedSettings, handoffFiles, graderOf, LIBRARIES } from '@rl-playground/bridges/handoff';
import { HANDOFF_SYSTEMS, type HandoffSystem } from '@rl-playground/bridges/handoff/systems';
import { customTask, setCustomTasks, TASKS } from '@rl-playground/tasks/parts';
import { readRun } from './exportSource.ts';
import { agreements } from './handoffRewards.ts';
import { firstUpdate, TOLERANCE } from './handoffUpdate.ts';
import { allowServerOption, hubOptions, hubUrlOption, type HubWords } from './hubOptions.ts';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram, taskList, wholeNumber } from './program.ts';
import { UNFINISHED, writeWholeFolder } from './wholeFolder.ts';

interface Options extends HubWords {
  readonly to?: HandoffSystem;
  readonly out?: string;
  readonly base?: string;
  readonly numSteps?: number;
  readonly verify?: true;
  readonly verifyRewards?: true;
  readonly task?: readonly string[];
  readonly rows: number;
  readonly seed: number;
  readonly python: string;
  readonly listTasks?: true;
}

const line = () =>
  command(
    'npx rl-playground handoff',
    'Writes a run so that TRL, verl or prime-rl goes on with it: model or adapter, data, the reward in Python, configuration and commands. not_carried.md says what becomes of every setting.',
    'runs/a --to trl --out handed --verify --python /opt/venv/bin/python',
  )
    .argument('[run]', 'run directory or checkpoint')
    .addOption(new Option('--to <trainer>', 'who goes on').choices(HANDOFF_SYSTEMS))
    .option('--out <folder>', 'folder to write; it must be empty or new')
    .addOption(hubUrlOption())
    .addOption(allowServerOption())
    .option('--base <name>', 'the model that the run began from (default: as the run recorded it)')
    .option(
      '--num-steps <number>',
      'of the whole run (default: the run’s, twice as many for one that has made them)',
      wholeNumber(1),
    )
    .option(
      '--verify',
      `then makes the next update here and by the TRL script that was written, from the same answers; fails where they differ by more than ${TOLERANCE} of its length`,
    )
    .option(
      '--verify-rewards',
      'compares the rewards in Python with ours, of every task that can be handed over, without a run; fails where they should be alike and are not',
    )
    .addOption(new Option('--task <names>', 'with --verify-rewards: these tasks alone').argParser(taskList))
    .option('--rows <number>', 'with --verify-rewards: answers to each task', wholeNumber(1), 1000)
    .option('--seed <number>', 'with --verify-rewards: decides the answers', wholeNumber(0), 0)
    .option(
      '--python <path>',
      'the interpreter; --verify needs TRL in it, --verify-rewards reasoning-gym and math-verify',
      'python3',
    )
    .option('--list-tasks', 'says which tasks can be handed over, and what scores them there, and stops');

/** The tasks and rows that a run brings along. */
function takeIn({ customTasks, taskRows = [] }: CheckpointParts): void {
  setCustomTasks(customTasks.map((definition) => customTask(definition)));
  provideRows(taskRows);
}

function listTasks(): void {
  for (const task of TASKS) {
    const grader = graderOf(task);
    const by = grader?.library ? LIBRARIES[grader.library].title : 'rules of its own';
    printLine(`${task.name.padEnd(26)} ${grader === null ? 'no' : by}`);
  }
}

function verifyRewards({ task, python, rows, seed }: Options): number {
  let unlike = 0;
  const tasks = new Set<string>();
  for (const { task: name, mode, rows: count, rewarded, faults, differs } of agreements(task ?? null, {
    python,
    count: rows,
    seed,
  })) {
    const said = differs ? ', as not_carried.md says' : '';
    printLine(
      `${name.padEnd(26)} ${mode.padEnd(9)} ${count} rows, ${rewarded} above 0, ${faults.length} unlike${said}`,
    );
    for (const fault of faults.slice(0, 5)) printLine(`  ${fault}`);
    tasks.add(name);
    if (faults.length > 0 && !differs) unlike++;
  }
  printLine(
    unlike === 0
      ? `${plural(tasks.size, 'task')}: every reward alike that is to be.`
      : `${unlike} are unlike.`,
  );
  return unlike === 0 ? 0 : 1;
}

export default simpleProgram<Options>(line, async (options, [run]) => {
  if (options.listTasks === true) return listTasks();
  if (options.verifyRewards === true) return verifyRewards(options);
  const { to, out, base, numSteps, verify, python, ...words } = options;
  if (run === undefined) throw new BadInput('Name a run directory or a checkpoint.');
  if (to === undefined) throw new BadInput(`--to is missing; choose one of: ${HANDOFF_SYSTEMS.join(', ')}.`);
  if (out === undefined) throw new BadInput('--out is missing; name the folder to write.');
  if (verify === true && to !== 'trl')
    throw new BadInput(
      `--verify runs TRL’s script, and --to is ${to}: verl and prime-rl need a GPU and Ray.`,
    );
  const folder = fromCaller(out);
  if (existsSync(folder) && readdirSync(folder).some((name) => name !== UNFINISHED))
    throw new BadInput(`--out ${out} holds files already; name another folder, or empty it.`);
  const parts = await readRun(run, base ?? null, hubOptions(words));
  takeIn(parts);
  const wanted = { system: to, ...(numSteps !== undefined && { numSteps }) };
  await writeWholeFolder(folder, await handoffFiles(parts, wanted), (name, { size }) =>
    printLine(`${name}  ${grouped(size)} bytes`),
  );
  printLine(`wrote ${out}; README.md says how to start, not_carried.md what changes`);
  if (verify !== true) return 0;
  const { config } = handedSettings(parts, numSteps);
  const { difference, length, answers, said } = await firstUpdate(folder, parts, config, python);
  printLine(said);
  const verdict = difference <= TOLERANCE ? 'equal' : 'UNLIKE';
  printLine(
    `first update from ${answers} answers: ${verdict}, |theirs − ours| / |ours| = ${difference.toExponential(2)} (|ours| = ${length.toExponential(3)}, allowed ${TOLERANCE})`,
  );
  return difference <= TOLERANCE ? 0 : 1;
});
