/** `npm run generator`: this machine answers for the runs at a server. Exit codes: 0 ended, 1 failed, 2 bad arguments. */
import { hostname } from 'node:os';
import { Option } from 'commander';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { textOfTokens } from '../src/hub/tokenBytes.ts';
import type { ServerAddress } from '../src/machines/addresses.ts';
import { computationOf } from '../src/machines/computation.ts';
import { connectInNode } from '../src/machines/connectInNode.ts';
import { Machine, type MachineEvent } from '../src/machines/machine.ts';
import { createLocalPool } from '../src/rollout/localPool.ts';
import { joinOption } from './joinOption.ts';
import { BadInput, command, simpleProgram } from './program.ts';

interface Options {
  readonly join?: ServerAddress;
  readonly run?: string;
  readonly name: string;
}

const line = () =>
  command(
    'npm run generator --',
    'Answers for a run at a server (npm run hub), under Node on wasm, until it ends; then for the next.',
    '--join nats://TOKEN@192.168.0.5:4222',
  )
    .addOption(joinOption())
    .option('--run <name>', 'the run, where there are several: its name or its id')
    .addOption(new Option('--name <text>', 'as the run lists this machine').default(hostname()));

/** Milliseconds between two lines about the work. */
const REPORT_EVERY = 5000;

/** Prints what happens, and how fast it goes. */
function reporter(): (event: MachineEvent) => void {
  let [answers, tokens, seconds, printed] = [0, 0, 0, 0];
  let question = '';
  let waiting: string | null = null;
  return (event) => {
    if (event.kind !== 'waiting') waiting = null;
    switch (event.kind) {
      case 'waiting': {
        const text = `Waiting for a run${event.others.length > 0 ? `; there are: ${event.others.join(', ')}` : ''}.`;
        if (text !== waiting) console.log(text);
        waiting = text;
        return;
      }
      case 'joined':
        [answers, tokens, seconds] = [0, 0, 0];
        console.log(`Joined ${event.run.name}. ${event.run.about}`);
        return;
      case 'asked': {
        const { tokenBytes } = event.model.model;
        const [group] = event.request.groups;
        if (tokenBytes && group)
          question = textOfTokens(tokenBytes, group.promptIds).trim().split('\n').at(-1) ?? '';
        return;
      }
      case 'answered':
        answers += event.group.completions.length;
        tokens += event.group.completions.reduce((sum, each) => sum + each.tokens.length, 0);
        seconds = event.busySeconds;
        if (performance.now() - printed < REPORT_EVERY) return;
        printed = performance.now();
        console.log(
          `${answers} answers, ${(tokens / Math.max(seconds, 1e-3)).toFixed(0)} tokens/s${question === '' ? '' : `, now: ${question.slice(0, 100)}`}`,
        );
        return;
      case 'left':
        console.log(`${answers} answers given; left ${event.run.name}: ${event.reason}.`);
        return;
      case 'trouble':
        console.error(event.text);
    }
  };
}

export default simpleProgram<Options>(line, async ({ join, run, name }) => {
  if (join === undefined)
    throw new BadInput('A generator needs the server to join: --join ADDRESS, as npm run hub prints it.');
  const { line: backend } = await startBackendInNode();
  const connection = await connectInNode(join, name);
  const machine = new Machine({
    connection,
    name,
    runName: run ?? null,
    computation: computationOf(backend),
    createPool: ({ model, precision }) => createLocalPool(model, precision),
    onNews: reporter(),
  });
  const stop = new AbortController();
  const leave = (): void => stop.abort();
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  await machine.serve(stop.signal);
  await connection.close();
});
