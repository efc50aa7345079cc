/** `npm run lab -- machines`: measures a run's speed-up by machines over a slow network. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { bytesText } from '@rl-playground/base/text';
import { mean } from '@rl-playground/base/statistics';
import { addressWithToken } from '@rl-playground/machines';
import type { RunConfig } from '@rl-playground/run/settings';
import type { DelayProxy, Network } from './delayProxy.ts';
import { runJoined } from '@rl-playground/machines/testing/joinTrial';
import { startLocalServer } from '../src/cli/testing/localServer.ts';
import { tableOf, tableRow } from './markdown.ts';
import { machineName } from './pacedMachines.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { settingsOf } from '../src/cli/testing/settingWords.ts';
import { repository } from '../src/cli/tools.ts';

interface Options {
  readonly machines: readonly number[];
  readonly steps: number;
  readonly seconds: readonly number[];
  readonly delay: number;
  readonly held: number;
}

/** The steps before the schedule runs evenly, which are not counted. */
const WARM_UP = 2;

const numbers = (text: string): number[] => text.split(',').map(wholeNumber(1, 512));

function speeds(text: string): number[] {
  const all = text.split(',').map(Number);
  if (all.every((seconds) => seconds > 0 && seconds < Infinity)) return all;
  throw new InvalidArgumentError('Seconds above 0, parted by commas.');
}

const line = () =>
  command(
    'npm run lab -- machines',
    'Trains asynchronously over 1, 2, 4 and 8 simulated machines of fixed speed behind a proxy that delays what passes, and prints rollouts a second, efficiency and bytes a step. The machines give real answers by the real protocol, and wait until the time that they are to take is over.',
    '--machines 1,8 --delay 50 problemsPerStep=32',
  )
    .argument('[setting=value...]', 'settings of the run by their names in the code')
    .addOption(
      new Option('--machines <numbers>', 'how many, parted by commas')
        .argParser(numbers)
        .default([1, 2, 4, 8], '1,2,4,8'),
    )
    .option('--steps <number>', `steps that are measured, after ${WARM_UP} that are not`, wholeNumber(1), 4)
    .addOption(
      new Option(
        '--seconds <numbers>',
        'that a machine takes for a group of answers; of several, parted by commas, the machines take one after the other in turn',
      )
        .argParser(speeds)
        .default([1.5], '1.5'),
    )
    .option('--delay <milliseconds>', 'each way', wholeNumber(0, 60_000), 20)
    .option('--held <percent>', 'chunks that are held 200 ms', Number, 1);

/** A row of the table: its cells by the heads of their columns. */
type Row = Readonly<Record<string, string | number>>;

/** A program of this folder in a process of its own, with a channel. */
const started = (...words: readonly (string | number)[]): ChildProcess =>
  spawn(process.execPath, [join(repository, 'src/cli/run.mjs'), ...words.map(String)], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });

const answerOf = <T>(child: ChildProcess, message: object): Promise<T> =>
  new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as T));
    child.once('exit', () => reject(new Error('A process of the simulation has ended.')));
    child.send(message);
  });

async function measure(
  machines: number,
  config: RunConfig,
  { seconds, steps }: Options,
  network: Network,
): Promise<Row> {
  const server = await startLocalServer();
  const proxy = started('lab/delayProxy');
  const { port, token, address } = server;
  const { port: proxied } = await answerOf<{ readonly port: number }>(proxy, { port, network });
  const paces = Array.from({ length: machines }, (_, i) => seconds[i % seconds.length] ?? 1);
  const slowAddress = addressWithToken({ url: `nats://127.0.0.1:${proxied}`, token });
  const child = started('lab/pacedMachines', slowAddress, ...paces);
  let late = 0;
  child.on('message', (said: { readonly late: number }) => (late = said.late));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const marks: { readonly at: number; readonly down: number; readonly up: number }[] = [];
  try {
    const joined = await runJoined({ ...config, numSteps: WARM_UP + steps }, address, {
      name: `${machines} machines`,
      async onStep() {
        const { bytes } = await answerOf<Pick<DelayProxy, 'bytes'>>(proxy, {});
        marks.push({ at: performance.now(), ...bytes });
      },
    });
    child.kill('SIGTERM');
    await ended;
    const [first, last] = [marks[WARM_UP - 1], marks.at(-1)];
    if (!first || !last) throw new Error('The run has made no step.');
    const counted = joined.steps.slice(WARM_UP);
    const stepSeconds = (last.at - first.at) / 1000 / steps;
    const rollouts = config.problemsPerStep * config.rolloutsPerProblem;
    return {
      machines,
      'rollouts/s': (rollouts / stepSeconds).toFixed(2),
      // Of what so many machines could do without a network between them and the trainer.
      efficiency: (
        rollouts /
        stepSeconds /
        paces.reduce((sum, each) => sum + config.rolloutsPerProblem / each, 0)
      ).toFixed(3),
      's/step': stepSeconds.toFixed(2),
      'trainer s/step': mean(counted.map(({ trainerBusy }) => trainerBusy ?? 0)).toFixed(2),
      'checking s/step': (joined.checkingSeconds / joined.steps.length).toFixed(2),
      'to machines/step': bytesText((last.down - first.down) / steps),
      'from machines/step': bytesText((last.up - first.up) / steps),
      age: mean(counted.map(({ policyAgeMean }) => policyAgeMean ?? 0)).toFixed(2),
      // Groups for which the simulation was late, because the processor was busy.
      'late groups': late,
      'groups of each': paces
        .map((_, i) => joined.machines.find(({ name }) => name === machineName(i))?.groups ?? 0)
        .join(', '),
    };
  } finally {
    child.kill('SIGKILL');
    proxy.kill('SIGKILL');
    await server.close();
  }
}

export default simpleProgram<Options>(line, async (options, words) => {
  const config = settingsOf('sum_digits', 1, [
    'schedule=async',
    'evalSamples=4',
    'passAtK=1',
    'evalEvery=0',
    'warmStartSteps=0',
    'curriculum=off',
    'problemsPerStep=16',
    'rolloutsPerProblem=8',
    ...words,
  ]);
  await startBackendInNode();
  const network: Network = { delay: options.delay, heldShare: options.held / 100, held: 200, seed: 1 };
  const { problemsPerStep: groups, rolloutsPerProblem: samples, generatorPrecision } = config;
  printLine(
    `Asynchronous steps of ${groups} groups of ${samples}, weights in ${generatorPrecision}; a machine takes ${options.seconds.join(' or ')} s for a group; ${options.delay} ms each way, ${options.held} % of chunks held ${network.held} ms.`,
  );
  const all: Row[] = [];
  for (const machines of options.machines) {
    all.push(await measure(machines, config, options, network));
    printLine(JSON.stringify(all.at(-1)));
  }
  printLine(
    tableOf(
      Object.keys(all[0] ?? {}),
      all.map((row) => tableRow(Object.values(row))),
    ),
  );
});
