/** What a stranger with the token can do to a run over a real nats-server: waste its time, and nothing else. */
import type { NatsConnection } from '@nats-io/nats-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { parseServerAddress, type ServerAddress } from '../src/machines/addresses.ts';
import { connectInNode } from '../src/machines/connectInNode.ts';
import { startHostile } from './hostileMachine.ts';
import type { GroupResult } from '../src/rollout/types.ts';
import { everyProof } from '../src/testing/proofs.ts';
import { changedPool, machineHere, runAlone, runJoined, type Outcome } from './joinTrial.ts';
import { freePort, lacksServer, newToken, startNatsServer, type NatsServer } from './natsServer.ts';
import { settingsOf } from './settingWords.ts';

const CONFIG = settingsOf('sum_digits', 5, [
  'numSteps=3',
  'problemsPerStep=16',
  'rolloutsPerProblem=2',
  'evalSamples=8',
  'passAtK=1',
  'warmStartSteps=0',
  'maxTokens=16',
]);

/** Forged answers; one in a hundred is 8 MB large. */
const FORGED = everyProof ? 1000 : 100;

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

  test('who forges answers before an honest one comes, or sends an honest one again, changes nothing', async () => {
    const hostile = startHostile(await connected('hostile'), FORGED, FORGED / 100);
    // It is there from the beginning, so that its name can be abused, and begins when all forgeries are sent.
    const honest = machineHere(await connected('honest'), 'honest', {
      bend: (pool) =>
        changedPool(pool, async (requests, ...rest) => {
          await hostile.spent;
          return pool.generate(requests, ...rest);
        }),
    });
    const joined = await runJoined(CONFIG, address);
    await hostile.stop();
    await honest.stop();
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    const [sound, ...others] = joined.machines.toSorted((a, b) => b.groups - a.groups);
    expect(sound?.name).toBe('honest');
    expect(sound?.dropped).toBeNull();
    expect(others.every(({ groups }) => groups === 0)).toBe(true);
    const { sent, replays } = hostile;
    console.log(
      `${JSON.stringify(sent)}, ${replays} honest answers sent again: ${JSON.stringify(joined.refusals)}`,
    );
    expect(sent.unreadable + sent.unasked + sent.forged + sent.wrong).toBe(FORGED);
    // What the honest machine is asked twice, because forgeries came in between, nobody waits for either.
    const { unasked, ...refused } = joined.refusals;
    expect({ ...refused, unasked: sent.unasked }).toEqual(sent);
    expect(replays).toBeGreaterThanOrEqual(20);
    expect(unasked).toBeGreaterThanOrEqual(sent.unasked + replays);
  }, 900_000);

  test('whose tokens were not drawn is found at its first answer, whatever it says it computes with', async () => {
    // Right weights and true log-probabilities, but draws of another seed.
    const cheating = machineHere(await connected('cheat'), 'cheat', {
      bend: (pool) =>
        changedPool(pool, (requests, ...rest) =>
          pool.generate(
            requests.map((request) => ({ ...request, seed: request.seed + 1 })),
            ...rest,
          ),
        ),
      computation: 'webgpu, a card',
    });
    const honest = machineHere(await connected('honest'), 'honest');
    const joined = await runJoined(CONFIG, address);
    await cheating.stop();
    await honest.stop();
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    const cheat = joined.machines.find(({ name }) => name === 'cheat');
    expect(cheat?.dropped).toContain('is not the one that its draws give');
    expect(joined.news).toEqual([
      { kind: 'dropped', machine: expect.objectContaining({ name: 'cheat' }) as unknown },
    ]);
  }, 240_000);

  test('who is found out late loses its earlier answers of the call too, and they are asked again', async () => {
    // A billionth off is what only an answer that is made again here shows.
    const bent = ({ completions, ...group }: GroupResult): GroupResult => ({
      ...group,
      completions: completions.map((each) => ({
        ...each,
        logprobs: each.logprobs.map((logprob) => logprob - 1e-9),
      })),
    });
    const cheating = machineHere(await connected('cheat'), 'cheat', {
      bend: (pool) =>
        changedPool(pool, async (requests, sampling, options = {}) => {
          const { onGroup } = options;
          const groups = await pool.generate(requests, sampling, {
            ...options,
            ...(onGroup && { onGroup: (index, group) => onGroup(index, bent(group)) }),
          });
          return groups.map(bent);
        }),
    });
    const late: Promise<{ stop(): Promise<void> }>[] = [];
    const said: number[] = [];
    const joined = await runJoined(CONFIG, address, {
      inspection: { share: 0.12, seed: 1 },
      onNews(news) {
        if (news.kind !== 'dropped') return;
        said.push(news.machine.groups);
        late.push(connected('honest').then((connection) => machineHere(connection, 'honest')));
      },
    });
    await cheating.stop();
    for (const machine of late) await (await machine).stop();
    // It had given answers that counted: else this shows nothing.
    expect(said).toEqual([expect.any(Number)]);
    expect(said[0]).toBeGreaterThan(0);
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
  }, 240_000);
});
