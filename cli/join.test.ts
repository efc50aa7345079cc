/** Machines that join a run over a real nats-server: the run must be the one that it would have been alone, whatever happens to them. */
import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { parseServerAddress, type ServerAddress } from '../src/machines/addresses.ts';
import { freePort, runAlone, runJoined, startGenerator, type Outcome } from './joinTrial.ts';
import { findNatsServer, HOW_TO_INSTALL, newToken, startNatsServer, type NatsServer } from './natsServer.ts';
import { settingsOf } from './settingWords.ts';

const installed = findNatsServer() !== null;
// Said once, and not in place of a failure.
if (!installed) console.warn(`Left out: the tests of machines that join. ${HOW_TO_INSTALL}`);

const CONFIG = settingsOf('sum_digits', 3, [
  'numSteps=4',
  'problemsPerStep=8',
  'rolloutsPerProblem=4',
  'evalSamples=8',
  'passAtK=1',
  'warmStartSteps=0',
  'maxTokens=32',
]);

describe.skipIf(!installed)('machines that join', () => {
  let server: NatsServer;
  let address: ServerAddress;
  let alone: Outcome;
  const generators: ChildProcess[] = [];
  const join = (name: string): ChildProcess => {
    const child = startGenerator(address, name, (text) => process.env['DEBUG'] && console.log(name, text));
    generators.push(child);
    return child;
  };

  beforeAll(async () => {
    await startBackendInNode();
    const [port, token] = [await freePort(), newToken()];
    server = await startNatsServer({ host: '127.0.0.1', port, webSocketPort: null, token, store: null });
    address = parseServerAddress(`nats://${token}@127.0.0.1:${port}`);
    alone = await runAlone(CONFIG);
  }, 120_000);

  afterAll(async () => {
    for (const child of generators) child.kill('SIGKILL');
    await server?.close();
  });

  test('two give the run that it is alone, to the bit, though one is killed and the server starts again in its middle', async () => {
    const [first] = [join('one'), join('two')];
    const joined = await runJoined(CONFIG, address, {
      async onStep(step) {
        if (step === 1) {
          first.kill('SIGKILL');
          join('three');
        }
        if (step !== 2) return;
        await server.kill();
        await server.restart();
      },
    });
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    expect(joined.news).toEqual([]);
    const worked = joined.machines.filter(({ groups }) => groups > 0);
    expect(worked.length).toBeGreaterThanOrEqual(2);
  }, 120_000);
});
