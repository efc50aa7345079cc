/**
 * `npx rl-playground generator`: this machine answers for the runs at a server, under Node on wasm, or in a headless browser on its GPU. Exit codes: 0 ended, 1 failed,
 * 2 bad arguments.
 */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { filesAtPath, fetchedToDisk } from '@rl-playground/engine/parts/node';
import { HUB_URL } from '@rl-playground/engine/parts';
import { FrozenBase, createLocalPool } from '@rl-playground/engine/parts/tensors';
import type { ServerAddress } from '@rl-playground/machines';
import { computationOf } from '@rl-playground/run/environment/computation';
import { connectInNode } from '@rl-playground/machines/node';
import {
  type MachineState,
  type HubAccess,
  Machine,
  MachineNews,
  watchServer,
} from '@rl-playground/machines/joining';
import { crashOf } from './enginePage.ts';
import { openGeneratorBrowser } from './generatorPage.ts';
import { hubOptions, hubUrlOption, joinOption, type HubWords } from './hubOptions.ts';
import { endOfProgram } from './interruption.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram } from './program.ts';

interface Options extends HubWords {
  readonly join?: ServerAddress;
  readonly run?: string;
  readonly name: string;
  readonly backend: 'wasm' | 'webgpu';
  readonly fromHub?: true;
}

const line = () =>
  command(
    'npx rl-playground generator',
    'Answers for a run at a server (npx rl-playground hub) until it ends; then for the next.',
    '--join nats://TOKEN@192.168.0.5:4222',
  )
    .addOption(joinOption())
    .option(
      '--run <name>',
      'the run, where there are several: its name, or the six letters that lists show behind it',
    )
    .option(
      '--from-hub',
      'fetches the base of a LoRA run from the Hub, where it is a model of the Hub, and keeps it on this machine',
    )
    .addOption(hubUrlOption())
    .addOption(new Option('--name <text>', 'as the run lists this machine').default(hostname()))
    .addOption(
      new Option('--backend <name>', 'wasm computes under Node; webgpu on the GPU, in a headless Chrome')
        .choices(['wasm', 'webgpu'])
        .default('wasm'),
    );

/** Milliseconds between two lines about the work. */
const REPORT_EVERY = 5000;

/** The most runs of others that are named, so that a stranger who announces runs without end does not fill a terminal. */
const MOST_SAID = 1000;

/** Prints what is new of a machine's work, and how fast it goes. */
export function reporter(): (now: MachineState) => void {
  let before: MachineState | null = null;
  let printed = 0;
  /** The runs that were printed as found. */
  const said = new Set<string>();
  return (now) => {
    const { device, state, run, lastRun, problem, base, answers, tokens, seconds, question } = now;
    if (device !== null && device !== before?.device) printLine(device);
    if (lastRun !== null && lastRun !== before?.lastRun) printLine(`${answers} answers given. ${lastRun}`);
    if (state === 'waiting' && before?.state !== 'waiting') printLine('Waiting for a run.');
    for (const other of now.others) {
      if (said.has(other) || said.size >= MOST_SAID) continue;
      said.add(other);
      printLine(`There is another: ${other}.`);
    }
    if (run !== null && !before?.run) printLine(`Joined ${run.name}. ${run.about}`);
    if (base !== null && base !== before?.base) printLine(base);
    if (problem !== null && problem !== before?.problem) printProblem(problem);
    if (answers !== (before?.answers ?? 0) && performance.now() - printed > REPORT_EVERY) {
      printed = performance.now();
      const asked = question === null ? '' : `, now: ${question.split('\n').at(-1)?.slice(0, 100)}`;
      printLine(`${answers} answers, ${(tokens / Math.max(seconds, 1e-3)).toFixed(0)} tokens/s${asked}`);
    }
    before = now;
  };
}

/** Says that the server is gone, or is there again: a machine that waits hears nothing else of it. */
function sayServer(url: string): (isThere: boolean) => void {
  let before = true;
  return (isThere) => {
    if (isThere === before) return;
    before = isThere;
    printProblem(
      isThere
        ? `The server at ${url} is there again.`
        : `The server at ${url} does not answer; trying again.`,
    );
  };
}

/** The hub that this machine's owner names, and no other that a run may name; none where they do not let it ask. */
export function hubFor({ fromHub, hubUrl }: Pick<Options, 'fromHub' | 'hubUrl'>): HubAccess | undefined {
  if (!fromHub) return undefined;
  const options = hubOptions(hubUrl === undefined ? {} : { hubUrl });
  const named = (hubUrl ?? HUB_URL).replace(/\/+$/, '');
  return {
    mayAsk: (url) => url === named,
    asking: options,
    fetched: async (model, signal) =>
      filesAtPath(await fetchedToDisk(model, { ...options, signal }), model.label),
  };
}

type Joining = Options & { readonly join: ServerAddress };

async function generateInNode({ join, run, name, ...words }: Joining): Promise<void> {
  const { line: backend } = await startBackendInNode();
  const computation = computationOf(backend);
  const connection = await connectInNode(join, name);
  void watchServer(connection, sayServer(join.url));
  const news = new MachineNews();
  const report = reporter();
  news.subscribe(() => report(news.snapshot()));
  const machine = new Machine({
    connection,
    name,
    runName: run ?? null,
    engineFor: () => ({
      computation,
      createPool: ({ model, precision }) => createLocalPool(model, precision),
    }),
    placeBase: ({ config, frozen = {} }, source) => FrozenBase.copied(config, frozen, source),
    hub: hubFor(words),
    onNews: (event) => news.hear(event),
  });
  await machine.serve(endOfProgram());
  await connection.close();
}

const LOOK_EVERY = 500;

async function generateInPage({ join, run, name, backend }: Joining): Promise<void> {
  const browser = await openGeneratorBrowser(join);
  try {
    const tab = await browser.open(name, backend, run ?? null);
    const end = endOfProgram();
    const report = reporter();
    for (;;) {
      const now = await Promise.race([tab.state(), crashOf(tab.page)]);
      report(now);
      // It leaves by itself only where it can't begin.
      if (now.state === 'left') throw new Error(now.problem ?? 'The page has left.');
      if (end.aborted) return await tab.leave();
      await sleep(LOOK_EVERY, undefined, { signal: end }).catch(() => undefined);
    }
  } finally {
    await browser.close();
  }
}

export default simpleProgram<Options>(line, async ({ join, ...options }) => {
  if (join === undefined)
    throw new BadInput(
      'A generator needs the server to join: --join ADDRESS, as npx rl-playground hub prints it.',
    );
  if (options.fromHub && options.backend === 'webgpu')
    throw new BadInput(
      'A generator in a headless Chrome keeps no files: leave out --from-hub or --backend webgpu.',
    );
  await (options.backend === 'webgpu' ? generateInPage : generateInNode)({ ...options, join });
});
