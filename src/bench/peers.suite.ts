/** Every peer computes what ours computes: without that, their times would mean nothing. All in one realm. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createParticipant } from './participants/create.ts';
import type { Environment, OpenFiles } from './participants/environment.ts';
import { tokensAgree, valuesAgree } from './plan.ts';
import { STARTER_SOURCE, type Participant, type ParticipantName, type Workload } from './types.ts';

const participants = new Map<ParticipantName, Participant>();

/** The check values of one participant, after one timed run that must have taken some time. */
async function valuesOf(name: ParticipantName, workload: Workload): Promise<Float32Array> {
  const participant = participants.get(name);
  if (!participant) throw new Error(`${name} did not start.`);
  const prepared = await participant.prepare(workload);
  const { seconds } = await prepared.run();
  expect(seconds).toBeGreaterThan(0);
  await prepared.dispose();
  const { check } = prepared;
  if (!check) throw new Error(`${name} returned nothing to compare.`);
  return check;
}

export function peersSuite(environment: Environment, openFiles: OpenFiles): void {
  describe('peers agree with ours', () => {
    beforeAll(async () => {
      for (const name of ['ours', 'tfjs', 'jax-js'] as const) {
        participants.set(name, await createParticipant(name, environment, openFiles));
      }
    });

    test.each(['nn', 'nt', 'tn'] as const)('products, %s', async (layout) => {
      const workload = { kind: 'gemm', layout, m: 33, n: 40, k: 51 } as const;
      const ours = await valuesOf('ours', workload);
      for (const peer of ['tfjs', 'jax-js'] as const) {
        const theirs = await valuesOf(peer, workload);
        expect({ peer, problem: valuesAgree(1e-5)(ours, theirs) }).toEqual({ peer, problem: null });
      }
    });

    test('a training step: loss and gradient norm before and after an update', async () => {
      const workload = { kind: 'train', model: STARTER_SOURCE, rollouts: 5, length: 12 } as const;
      const ours = await valuesOf('ours', workload);
      for (const peer of ['tfjs', 'jax-js'] as const) {
        const theirs = await valuesOf(peer, workload);
        expect({ peer, problem: valuesAgree(1e-4)(ours, theirs) }).toEqual({ peer, problem: null });
      }
    });

    test('rollouts: greedy tokens', async () => {
      const workload = {
        kind: 'rollout',
        model: STARTER_SOURCE,
        groups: 2,
        samples: 2,
        promptLength: 9,
        newTokens: 7,
      } as const;
      const ours = await valuesOf('ours', workload);
      expect(ours).toHaveLength(28);
      expect(tokensAgree(0.95)(ours, await valuesOf('tfjs', workload))).toBeNull();
    });
  });
}
