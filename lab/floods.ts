/**
 * `npm run lab -- floods`: counts the steps that a run with a generator of its own makes while a stranger with the server's token sends
 * signed messages of machines that do not exist: presence messages, and answers that nobody has asked for, in turns. Each rate is
 * measured between two quiet windows of the same length, with which its steps are compared.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { NatsConnection } from '@nats-io/nats-core';
import { ensureBuilt } from '../src/cli/build.ts';
import { startLocalServer } from '../src/cli/testing/localServer.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import {
  addressWithToken,
  newKey,
  readAnnouncement,
  writeAnswer,
  writePresence,
  namesOf,
  RUNS_SUBJECT,
} from '@rl-playground/machines';
import { connectInNode } from '@rl-playground/machines/node';

interface Options {
  readonly seconds: number;
  readonly rates: readonly number[];
}

const LEAST_SHARE = 0.8;
/** Machines that do not exist. */
const INVENTED = 2000;
/** Milliseconds between two handfuls of words. */
const TICK = 20;
const WORDS =
  '--task sum_digits --backend wasm --num-generators 1 --num-steps 100000 --eval-samples 2 problemsPerStep=2 rolloutsPerProblem=2 maxTokens=8 warmStartSteps=0 evalEvery=0 saveSteps=0'.split(
    ' ',
  );

const line = () =>
  command(
    'npm run lab -- floods',
    'Counts the steps of a run while a stranger sends words of invented machines. Ends with 1 where a rate leaves less than 80 % of the quiet steps.',
    '--seconds 20 --rates 70,500,2000',
  )
    .option('--seconds <n>', 'seconds of each window', wholeNumber(1), 20)
    .option(
      '--rates <list>',
      'words a second',
      (text: string) => text.split(',').map((each) => wholeNumber(1)(each)),
      [70, 500, 2000] as readonly number[],
    );

function startRun(address: string) {
  const program = fileURLToPath(new URL('../src/cli/run.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, 'train', '--join', address, ...WORDS], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let steps = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    steps += text.match(/^\[SYNC/gm)?.length ?? 0;
  });
  return { child, steps: () => steps };
}

/** The id of the run that first announces itself. */
async function announcedRun(connection: NatsConnection): Promise<string> {
  for await (const { data } of connection.subscribe(`${RUNS_SUBJECT}.*`)) {
    const run = await readAnnouncement(data);
    if (run !== null) return run.run;
  }
  throw new Error('The server is gone.');
}

/** Makes all messages before the measurement, because a key takes longer to make than a message to send. */
function invented(run: string) {
  const { machines, answers } = namesOf(run);
  return Array.from({ length: INVENTED }, () => {
    const key = newKey();
    const machine = key.getPublicKey();
    const here = { machine, name: 'invented', computation: 'wasm', leaving: false };
    const completion = { tokens: [20, 21, 22], logprobs: [-1, -2, -3], stopReason: 'max_tokens' as const };
    const answer = {
      run,
      machine,
      chunk: 1,
      nonce: '0'.repeat(32),
      group: 0,
      version: 1,
      computation: 'wasm',
      precision: 'f32' as const,
      seconds: 1,
      busySeconds: 1,
      completions: [completion, completion],
    };
    return [
      { subject: `${machines}.${machine}`, frame: writePresence(key, here) },
      { subject: answers, frame: writeAnswer(key, answer) },
    ];
  }).flat();
}

/** Sends messages for that long, and resolves to their number. */
async function flood(
  connection: NatsConnection,
  words: ReturnType<typeof invented>,
  rate: number,
  seconds: number,
): Promise<number> {
  const began = performance.now();
  let sent = 0;
  for (let passed = 0; passed < seconds; passed = (performance.now() - began) / 1000) {
    for (; sent < rate * passed; sent++) {
      const { subject, frame } = words[sent % words.length] ?? {};
      if (subject !== undefined) connection.publish(subject, frame);
    }
    await sleep(TICK);
  }
  return sent;
}

export default simpleProgram<Options>(line, async ({ seconds, rates }) => {
  await ensureBuilt();
  const server = await startLocalServer();
  const connection = await connectInNode(server.address, 'stranger');
  const announced = announcedRun(connection);
  const run = startRun(addressWithToken(server.address));
  try {
    const words = invented(await announced);
    const during = async (work: Promise<unknown>): Promise<number> => {
      const before = run.steps();
      await work;
      return run.steps() - before;
    };
    const quiet = (): Promise<number> => during(sleep(1000 * seconds));
    while (run.steps() < 5) await sleep(TICK);
    let least = 1;
    let before = await quiet();
    printLine(`words a second  sent   steps in ${seconds} s  quiet before, after  share`);
    for (const rate of rates) {
      let sent = 0;
      const steps = await during(flood(connection, words, rate, seconds).then((count) => (sent = count)));
      const after = await quiet();
      const share = (2 * steps) / (before + after);
      least = Math.min(least, share);
      printLine(
        `${String(rate).padEnd(14)}  ${String(sent).padEnd(6)} ${String(steps).padEnd(14)}  ${`${before}, ${after}`.padEnd(19)}  ${(100 * share).toFixed(0)} %`,
      );
      before = after;
    }
    return least < LEAST_SHARE ? 1 : 0;
  } finally {
    run.child.kill('SIGKILL');
    await connection.close();
    await server.close();
  }
});
