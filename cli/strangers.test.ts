/** What a stranger with the token can do to a run over a real nats-server: waste its time, and nothing else. */
import type { NatsConnection } from '@nats-io/nats-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { parseServerAddress, type ServerAddress } from '../src/machines/addresses.ts';
import { connectInNode } from '../src/machines/connectInNode.ts';
import { startHostile } from './hostileMachine.ts';
import { machineHere, runAlone, runJoined, type Outcome } from './joinTrial.ts';
import { freePort, lacksServer, newToken, startNatsServer, type NatsServer } from './natsServer.ts';
import { settingsOf } from './settingWords.ts';

const CONFIG = settingsOf('sum_digits', 5, [
  'numSteps=5',
  'problemsPerStep=16',
  'rolloutsPerProblem=2',
  'evalSamples=8',
  'passAtK=1',
  'warmStartSteps=0',
  'maxTokens=16',
]);

/** Forged answers; one in a hundred is 8 MB large. */
const FORGED = process.env['PROOFS'] === 'all' ? 1000 : 100;

describe.skipIf(lacksServer())('a stranger with the token', () => {
  let server: NatsServer;
  let address: ServerAddress;
  let alone: Outcome;
  const connections: NatsConnection[] = [];
  const connected = async (name: string): Promise<NatsConnection> => {
    const connection = await connectInNode(address, name);
    connections.push(connection);
    return connection;
  };

  beforeAll(async () => {
    await startBackendInNode();
    const [port, token] = [await freePort(), newToken()];
    server = await startNatsServer({ host: '127.0.0.1', port, webSocketPort: null, token, store: null });
    address = parseServerAddress(`nats://${token}@127.0.0.1:${port}`);
    alone = await runAlone(CONFIG);
  }, 120_000);

  afterAll(async () => {
    for (const connection of connections) await connection.close();
    await server?.close();
  });

  test('who forges answers before an honest one comes, changes nothing', async () => {
    const hostile = startHostile(await connected('hostile'), FORGED, FORGED / 100);
    const connection = await connected('honest');
    const honest = hostile.spent.then(() => machineHere(connection, 'honest'));
    const joined = await runJoined(CONFIG, address);
    await hostile.stop();
    await (await honest).stop();
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    const [sound, ...others] = joined.machines.toSorted((a, b) => b.groups - a.groups);
    expect(sound?.name).toBe('honest');
    expect(sound?.dropped).toBeNull();
    expect(others.every(({ groups }) => groups === 0)).toBe(true);
    expect(joined.refusals.wrong).toBeGreaterThan(50);
  }, 900_000);

  test('whose tokens were not drawn is found where its draws are made again, and its answers are asked again', async () => {
    // Right weights and true log-probabilities, but draws of another seed.
    const cheating = machineHere(await connected('cheat'), 'cheat', (pool) => ({
      ...pool,
      setWeights: (...words) => pool.setWeights(...words),
      generate: (requests, ...rest) =>
        pool.generate(
          requests.map((request) => ({ ...request, seed: request.seed + 1 })),
          ...rest,
        ),
      dispose: () => pool.dispose(),
    }));
    const honest = machineHere(await connected('honest'), 'honest');
    const joined = await runJoined(CONFIG, address, { inspection: { share: 1 } });
    await cheating.stop();
    await honest.stop();
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    const cheat = joined.machines.find(({ name }) => name === 'cheat');
    expect(cheat?.dropped).toContain('made again here');
    expect(joined.news).toEqual([
      { kind: 'dropped', machine: expect.objectContaining({ name: 'cheat' }) as unknown },
    ]);
  }, 240_000);
});
