import { describe, expect, test } from 'vitest';
import { measurePlan, type MeasureOptions, type Summon } from './measure.ts';
import { perSecond, valuesAgree, type Plan, type RowSpec } from './plan.ts';
import type { Participant, ParticipantName, PeerName } from './types.ts';

/** A participant that takes `seconds` for each run by its own account, and notes when it was its turn. */
function participant(name: string, seconds: readonly number[], value: number, turns: string[]): Participant {
  let runs = 0;
  return {
    adapter: name,
    prepare: () =>
      Promise.resolve({
        check: Float32Array.of(value),
        run: () => {
          turns.push(name);
          const taken = seconds[runs++];
          return taken === undefined
            ? Promise.reject(new Error(`${name} broke`))
            : Promise.resolve({ seconds: taken });
        },
        dispose: () => void turns.push(`${name} freed`),
      }),
  };
}

function plan(peers: readonly PeerName[]): Plan {
  return {
    workload: { kind: 'gemm', layout: 'nn', m: 1, n: 1, k: 1 },
    peers,
    agreement: valuesAgree(1e-3),
    rows: [
      {
        name: 'product',
        shape: '1',
        unit: 'GFLOP/s',
        value: perSecond(12),
        target: { tfjs: 4 },
      },
    ],
  };
}

const options = (repeats: number): MeasureOptions => ({
  repeats,
  now: () => 0,
});

function summoner(all: Partial<Record<ParticipantName, Participant>>): Summon {
  return (name) => {
    const found = all[name];
    return found ? Promise.resolve(found) : Promise.reject(new Error(`${name} is not here`));
  };
}

describe('measuring a plan', () => {
  test('CPU seconds are those of one run, whatever a repeat holds, and a participant that counts its own is believed', async () => {
    // By its own account one run takes a hundredth of the time in which, as the host has it, four cores were busy.
    let time = 0;
    const cpuSeconds = (): Promise<number> => Promise.resolve((4 * time) / 1000);
    const cores: RowSpec['value'] = ({ cpu = NaN, seconds }) => cpu / seconds;
    const rows: RowSpec[] = [{ name: 'cores', shape: '1', unit: 'cores', value: cores }];
    const working = (own: object): Participant => ({
      adapter: 'TRL on CUDA',
      prepare: () =>
        Promise.resolve({
          check: null,
          run: () => {
            time += 20;
            return Promise.resolve({ seconds: 0.0002, ...own });
          },
          dispose: () => {},
        }),
    });
    const measured = await measurePlan(
      { ...plan(['trl']), rows },
      summoner({ ours: working({}), trl: working({ seconds: 1, cpu: 7 }) }),
      { ...options(3), cpuSeconds, now: () => time },
    );
    const { ours, peers } = measured[0] ?? {};
    expect(ours?.median).toBeCloseTo(4, 9);
    expect(measured[0]?.devices).toEqual({ trl: 'TRL on CUDA' });
    expect(peers?.trl?.median).toBe(7);
  });

  test('everybody has a turn in every repeat, and the row holds medians and ratios', async () => {
    const turns: string[] = [];
    const summon = summoner({
      ours: participant('ours', [1, 3, 2], 5, turns),
      tfjs: participant('tfjs', [4, 12, 6], 5, turns),
    });
    const [row] = await measurePlan(plan(['tfjs']), summon, options(3));
    expect(turns).toEqual(['ours', 'tfjs', 'ours', 'tfjs', 'ours', 'tfjs', 'ours freed', 'tfjs freed']);
    expect(row).toEqual({
      name: 'product',
      shape: '1',
      ours: { median: 6, min: 4, max: 12, unit: 'GFLOP/s' },
      peers: { tfjs: { median: 2, min: 1, max: 3, unit: 'GFLOP/s' } },
      ratio: { tfjs: 3 },
      target: { tfjs: 4 },
    });
  });

  test('a share of more than the whole is remarked as a fault, even in one repeat', async () => {
    const rows: RowSpec[] = [
      { name: 'share', shape: '1', unit: '%', value: ({ seconds }) => 100 * seconds },
      { name: 'time', shape: '1', unit: 'ms', value: ({ seconds }) => 1000 * seconds },
    ];
    const faults = async (seconds: readonly number[]): Promise<unknown[]> => {
      const summon = summoner({ ours: participant('ours', seconds, 5, []) });
      return (await measurePlan({ ...plan([]), rows }, summon, options(seconds.length))).map(
        ({ fault }) => fault,
      );
    };
    expect(await faults([0.4, 1, 0.5])).toEqual([undefined, undefined]);
    expect(await faults([0.4, 2.91, 0.5])).toEqual([expect.stringMatching(/291 % was measured/), undefined]);
  });

  test('a peer with another result is not timed, and the row says so', async () => {
    const turns: string[] = [];
    const summon = summoner({
      ours: participant('ours', [1], 5, turns),
      tfjs: participant('tfjs', [1], 5.1, turns),
    });
    const [row] = await measurePlan(plan(['tfjs']), summon, options(1));
    expect(turns).toEqual(['tfjs freed', 'ours', 'ours freed']);
    expect(row?.peers).toEqual({});
    expect(row?.errors?.tfjs).toMatch(/^Not timed: .*differs from ours/);
  });

  test('a peer that is missing and one that breaks cost only their own figures', async () => {
    const summon = summoner({
      ours: participant('ours', [2, 2], 5, []),
      'jax-js': participant('jax-js', [1], 5, []),
    });
    const [row] = await measurePlan(plan(['tfjs', 'jax-js']), summon, options(2));
    expect(row?.ours?.median).toBe(6);
    expect(row?.peers).toEqual({});
    expect(row?.errors).toEqual({ tfjs: 'tfjs is not here', 'jax-js': 'jax-js broke' });
  });

  test('without ours there is a row with its error and nothing is timed', async () => {
    const turns: string[] = [];
    const summon = summoner({ tfjs: participant('tfjs', [1], 5, turns) });
    const [row] = await measurePlan(plan(['tfjs']), summon, options(1));
    expect(row).toMatchObject({ ours: null, peers: {}, errors: { ours: 'ours is not here' } });
    expect(turns).toEqual([]);
  });
});
