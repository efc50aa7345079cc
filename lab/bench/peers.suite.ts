/** Every peer computes what ours computes: without that, their times would mean nothing. All in one realm. */
import { beforeAll, describe, expect, test } from 'vitest';
import { filesInMemory } from '@rl-playground/engine/parts';
import { tinyConfigJson, tinyModelFolder } from '@rl-playground/engine/testing/modelFolder';
import { createParticipant } from './participants/create.ts';
import {
  type Environment,
  type OpenFiles,
  OP_NAMES,
  type ModelSource,
  type Participant,
  type ParticipantName,
  type Workload,
} from './types.ts';
import { tokensAgree, valuesAgree } from './plan.ts';
import { passAgreement } from './suites/lora.ts';

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

const STARTER_SOURCE = { kind: 'folder', label: 'starter', address: '' } as const;
/** Grouped queries, norms over heads, biases, an untied head: what the starter model has not. */
const GROUPED_SOURCE = { kind: 'folder', label: 'grouped', address: '' } as const;
const GROUPED_CONFIG = {
  ...tinyConfigJson,
  model_type: 'qwen3',
  hidden_size: 24,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 6,
  attention_bias: true,
  tie_word_embeddings: false,
};

const TRAINED: readonly ModelSource[] = [STARTER_SOURCE, GROUPED_SOURCE];

/**
 * The suite in one environment. Without `every`, jax-js is left out, which takes ten seconds to load, and the starter is not trained: the
 * small model has all the features that it lacks. transformers.js runs in a page alone.
 */
export function peersSuite(environment: Environment, openStarter: OpenFiles, every = true): void {
  const peers = every ? (['tfjs', 'jax-js'] as const) : (['tfjs'] as const);
  const samplers = environment.onnxPath === '' ? (['tfjs'] as const) : (['tfjs', 'transformers.js'] as const);
  const openFiles: OpenFiles = (label, address) =>
    label === GROUPED_SOURCE.label
      ? filesInMemory(label, tinyModelFolder(GROUPED_CONFIG))
      : openStarter(label, address);

  describe('peers agree with ours', () => {
    beforeAll(async () => {
      for (const name of new Set(['ours', ...peers, ...samplers] as const)) {
        participants.set(name, await createParticipant(name, environment, openFiles));
      }
    });

    test.each(['nn', 'nt', 'tn'] as const)('products, %s', async (layout) => {
      const workload = { kind: 'gemm', layout, m: 33, n: 40, k: 51 } as const;
      const ours = await valuesOf('ours', workload);
      for (const peer of peers) {
        const theirs = await valuesOf(peer, workload);
        expect({ peer, problem: valuesAgree(1e-5)(ours, theirs) }).toEqual({ peer, problem: null });
      }
    });

    test.each(OP_NAMES)('the op %s', async (op) => {
      const sizes = { batch: 3, length: 11, heads: 4, kvHeads: 2, headDim: 8 };
      const widths = { hidden: 24, mlp: 40, vocabulary: 29, parameters: 640 };
      const workload = { kind: 'op', op, sizes: { ...sizes, ...widths } } as const;
      const ours = await valuesOf('ours', workload);
      expect(valuesAgree(1e-5)(ours, await valuesOf('tfjs', workload))).toBeNull();
    });

    test.each(every ? TRAINED : [GROUPED_SOURCE])(
      'a training step of $label: loss and gradient norm before and after an update',
      async (model) => {
        const workload = { kind: 'train', model, rollouts: 5, length: 12 } as const;
        const ours = await valuesOf('ours', workload);
        for (const peer of peers) {
          const theirs = await valuesOf(peer, workload);
          expect({ peer, problem: valuesAgree(1e-4)(ours, theirs) }).toEqual({ peer, problem: null });
        }
      },
    );

    test('an update with its products alone: the same update, and the seconds of both', async () => {
      const workload = { kind: 'train', model: GROUPED_SOURCE, rollouts: 5, length: 12 } as const;
      const prepared = await participants.get('ours')?.prepare({ ...workload, products: true });
      expect(prepared?.check).toEqual(await valuesOf('ours', workload));
      const seconds = expect.toSatisfy((value: number) => value > 0 && value < Infinity) as number;
      expect(await prepared?.run()).toEqual({ seconds, products: seconds });
      await prepared?.dispose();
    });

    test.runIf(every)(
      'a pass of GRPO: two updates of an adapter, and greedy tokens behind them',
      async () => {
        const sizes = { samples: 3, promptLength: 5, newTokens: 4, rank: 2 };
        const workload = { kind: 'pass', model: GROUPED_SOURCE, ...sizes } as const;
        const ours = await valuesOf('ours', workload);
        expect(ours).toHaveLength(4 + 3 * 4);
        expect(passAgreement(1e-4)(ours, await valuesOf('jax-js', workload))).toBeNull();
      },
    );

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
      for (const peer of samplers) {
        const theirs = await valuesOf(peer, workload);
        expect({ peer, problem: tokensAgree(0.95)(ours, theirs) }).toEqual({ peer, problem: null });
      }
    });
  });
}
