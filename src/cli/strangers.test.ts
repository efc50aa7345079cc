/** A stranger with the token can waste a run's time over a real nats-server, and do nothing else. */
import type { NatsConnection } from '@nats-io/nats-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { connectInNode } from '@rl-playground/machines/node';
import type { InspectorOptions } from '@rl-playground/machines/pool';
import type { MachineRecord } from '@rl-playground/machines';
import { REPLAYS, startHostile } from '@rl-playground/machines/testing/hostileMachine';
import type { GroupResult } from '@rl-playground/engine/parts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import {
  changedPool,
  machineHere,
  runAlone,
  runJoined,
  type JoinedOutcome,
  type MachineHereOptions,
  type Outcome,
} from '@rl-playground/machines/testing/joinTrial';
import { lacksServer, startLocalServer, type LocalServer } from './testing/localServer.ts';
import { settingsOf } from './testing/settingWords.ts';

const CONFIG = settingsOf('sum_digits', 5, [
  'numSteps=2',
  'problemsPerStep=8',
  'rolloutsPerProblem=2',
  'evalSamples=8',
  'passAtK=1',
  'warmStartSteps=0',
  'maxTokens=16',
]);

/** Forged answers; one in a hundred is 8 MB large. */
const FORGED = everyProof ? 1000 : 100;

describe.skipIf(lacksServer())('a stranger with the token', () => {
  let server: LocalServer;
  let alone: Outcome;
  const connections: NatsConnection[] = [];
  const connected = async (name: string): Promise<NatsConnection> => {
    const connection = await connectInNode(server.address, name);
    connections.push(connection);
    return connection;
  };
  /** A run of a machine that cheats, which an honest one joins when it is found out. What was said of the cheat then. */
  const cheatedRun = async (
    cheat: MachineHereOptions,
    inspection?: Partial<InspectorOptions>,
  ): Promise<{ readonly joined: JoinedOutcome; readonly found: readonly MachineRecord[] }> => {
    const machines = [Promise.resolve(machineHere(await connected('cheat'), 'cheat', cheat))];
    const found: MachineRecord[] = [];
    const joined = await runJoined(CONFIG, server.address, {
      ...(inspection && { inspection }),
      onNews(news) {
        if (news.kind !== 'dropped') return;
        found.push(news.machine);
        machines.push(connected('honest').then((connection) => machineHere(connection, 'honest')));
      },
    });
    for (const machine of machines) await (await machine).stop();
    return { joined, found };
  };

  beforeAll(async () => {
    await startBackendInNode();
    server = await startLocalServer();
    alone = await runAlone(CONFIG);
  });

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
    const joined = await runJoined(CONFIG, server.address, {
      // All that is sent again lies before the answers of the last evaluation, and so has been taken at the end.
      onStep: (step) => (step === CONFIG.numSteps ? hostile.replayed : undefined),
    });
    await hostile.stop();
    await honest.stop();
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    const [sound, ...others] = joined.machines.toSorted((a, b) => b.groups - a.groups);
    expect(sound?.name).toBe('honest');
    expect(sound?.dropped).toBeNull();
    expect(others.every(({ groups }) => groups === 0)).toBe(true);
    const { sent } = hostile;
    expect(sent.unreadable + sent.unasked + sent.forged + sent.wrong).toBe(FORGED);
    // What the honest machine is asked twice, because forgeries came in between, nobody waits for either.
    const { unasked, wrong, ...refused } = joined.refusals;
    expect(refused).toEqual({ unreadable: sent.unreadable, forged: sent.forged });
    // A forgery that overtook the word of its machine comes from nobody.
    expect(wrong).toBeGreaterThan(0);
    expect(wrong).toBeLessThanOrEqual(sent.wrong);
    expect(unasked + wrong).toBeGreaterThanOrEqual(sent.unasked + sent.wrong + REPLAYS);
  });

  test('whose tokens were not drawn is found at its first answer, whatever it says it computes with', async () => {
    // Right weights and true log-probabilities, but draws of another seed.
    const { joined, found } = await cheatedRun({
      bend: (pool) =>
        changedPool(pool, (requests, ...rest) =>
          pool.generate(
            requests.map((request) => ({ ...request, seed: request.seed + 1 })),
            ...rest,
          ),
        ),
      computation: 'webgpu, a card',
    });
    expect(found).toEqual([
      expect.objectContaining({
        name: 'cheat',
        dropped: expect.stringContaining('is not the one that its draws give') as unknown,
      }),
    ]);
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
  });

  test('who is found out late loses its earlier answers of the call too, and they are asked again', async () => {
    // A billionth off is what only an answer that is made again here shows.
    const bent = ({ completions, ...group }: GroupResult): GroupResult => ({
      ...group,
      completions: completions.map((each) => ({
        ...each,
        logprobs: each.logprobs.map((logprob) => logprob - 1e-9),
      })),
    });
    const { joined, found } = await cheatedRun(
      {
        bend: (pool) =>
          changedPool(pool, async (requests, sampling, options = {}) => {
            const { onGroup } = options;
            const groups = await pool.generate(requests, sampling, {
              ...options,
              ...(onGroup && { onGroup: (index, group) => onGroup(index, bent(group)) }),
            });
            return groups.map(bent);
          }),
      },
      { share: 0.25, seed: 1 },
    );
    expect(found).toHaveLength(1);
    // It had given answers to the step that counted, behind those to the evaluation, sampled and greedy: else this shows nothing.
    expect(found[0]?.groups).toBeGreaterThan(2 * CONFIG.evalSamples);
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
  });
});
