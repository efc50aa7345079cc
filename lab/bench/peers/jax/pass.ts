/**
 * A pass of GRPO in plain jax-js: f32 base, LoRA beside it, the prompt once and a cache of keys and values for its answers, all
 * logits read back for each token and sampled in JavaScript; then one update. All but the head of the update is jitted.
 */
import { grad, jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import type { ModelConfig } from '@rl-playground/engine/parts';
import { advantageOf, firstAdapter, firstAnswers, promptsOf, sampleRow } from '../../participants/inputs.ts';
import type { HostModel } from '../../participants/model.ts';
import { secondsSince } from '../../participants/timing.ts';
import type { PassWorkload, Prepared } from '../../types.ts';
import { correctionsOf, initialState, updated, type Corrections, type State } from './adamw.ts';
import {
  causalMask,
  embedded,
  floats,
  hiddenOf,
  logitsOf,
  numbersOf,
  pairNames,
  parametersOf,
  rotationOf,
  type KeysAndValues,
  type Parameters,
  type Positions,
} from './model.ts';

type Tokens = readonly (readonly number[])[];
/** The keys and values of each layer, with room for prompt and answer. */
type Cache = KeysAndValues[];

const idsOf = (tokens: readonly number[]): np.Array => np.array(Int32Array.from(tokens), { dtype: np.int32 });

function adapterOf(workload: PassWorkload, config: ModelConfig): Parameters {
  const { specs, packed } = firstAdapter(workload, config);
  return Object.fromEntries(
    specs.flatMap(({ module, a, b }) => {
      const names = pairNames(module);
      return [[names.a, a] as const, [names.b, b] as const].map(([name, { offset, shape }]) => [
        name,
        floats(packed.subarray(offset, offset + shape[0] * shape[1]), shape),
      ]);
    }),
  ) as Parameters;
}

/** The prompt's positions once; its keys and values as the beginning of a cache of `samples` rows. */
function prefillOf(config: ModelConfig, { samples, promptLength, newTokens }: PassWorkload) {
  const { kvHeads, headDim } = config;
  const roomy = (part: np.Array): np.Array =>
    np.concatenate(
      [
        np.broadcastTo(part, [samples, promptLength, kvHeads, headDim]),
        np.zeros([samples, newTokens, kvHeads, headDim]),
      ],
      1,
    );
  return jit((parameters: Parameters, ids: np.Array, positions: Positions) => {
    const cache: Cache = [];
    const x = embedded(parameters, ids);
    const hidden = hiddenOf(parameters, config, x, positions, 1, (_, fresh) => {
      cache.push({ keys: roomy(fresh.keys.ref), values: roomy(fresh.values.ref) });
      return fresh;
    });
    const logits = logitsOf(parameters, config, hidden.slice([promptLength - 1, promptLength]));
    tree.dispose(parameters);
    return { logits, cache };
  });
}

/** One token of every answer, written where `here` [1, room, 1, 1] is 1. */
function stepOf(config: ModelConfig, { samples }: PassWorkload) {
  return jit((parameters: Parameters, before: Cache, ids: np.Array, positions: Positions, here: np.Array) => {
    const elsewhere = np.subtract(1, here.ref);
    const put = (known: np.Array, fresh: np.Array): np.Array =>
      known.mul(elsewhere.ref).add(fresh.mul(here.ref));
    const cache: Cache = [];
    const x = embedded(parameters, ids);
    const hidden = hiddenOf(parameters, config, x, positions, samples, (layer, fresh) => {
      const known = before[layer] as KeysAndValues;
      const keys = put(known.keys, fresh.keys);
      const values = put(known.values, fresh.values);
      cache.push({ keys: keys.ref, values: values.ref });
      return { keys, values };
    });
    const logits = logitsOf(parameters, config, hidden);
    tree.dispose([parameters, elsewhere, here]);
    return { logits, cache };
  });
}

type Inputs = { ids: np.Array; positions: Positions };
type Targets = { targets: np.Array; weights: np.Array };

/**
 * REINFORCE on the answers, which is GRPO's gradient in the first update on them, and AdamW on the factors. The head's gradient is
 * computed outside of `jit`, which would fuse it into one product that computes the softmax again for each of its terms. The blocks run
 * again within the one `jit` of their gradient, because between two of them every activation and a gradient of the base would be kept.
 */
function updateOf(config: ModelConfig, { samples, promptLength, newTokens }: PassWorkload) {
  const { hiddenSize, vocabSize } = config;
  /** The hidden states that predict tokens of answers. */
  const body = (factors: Parameters, base: Parameters, { ids, positions }: Inputs): np.Array => {
    const parameters = { ...base, ...factors };
    const hidden = hiddenOf(parameters, config, embedded(parameters, ids), positions, samples);
    tree.dispose(parameters);
    return hidden
      .reshape([samples, promptLength + newTokens - 1, hiddenSize])
      .slice([], [promptLength - 1, promptLength + newTokens - 1])
      .reshape([samples * newTokens, hiddenSize]);
  };
  const head = (hidden: np.Array, base: Parameters, { targets, weights }: Targets): np.Array => {
    const logprobs = nn.logSoftmax(logitsOf(base, config, hidden));
    tree.dispose(base);
    // Not `nn.oneHot`: it takes rows of an identity matrix, which is vocabulary by vocabulary.
    const isTarget = np.equal(targets.reshape([-1, 1]), np.arange(vocabSize));
    return logprobs.mul(isTarget.astype(np.float32)).sum(-1).mul(weights).sum().neg();
  };
  const forward = jit(body);
  const backward = jit((factors: Parameters, base: Parameters, inputs: Inputs, slope: np.Array) =>
    grad((f: Parameters, b: Parameters, i: Inputs, s: np.Array) => body(f, b, i).mul(s).sum())(
      factors,
      base,
      inputs,
      slope,
    ),
  );
  const optimize = jit(updated);
  return {
    update(state: State, base: Parameters, inputs: Inputs, targets: Targets, corrections: Corrections) {
      const hidden = forward(tree.ref(state.parameters), tree.ref(base), tree.ref(inputs));
      const [value, slope] = valueAndGrad(head)(hidden, tree.ref(base), targets);
      const gradients = backward(tree.ref(state.parameters), base, inputs, slope);
      return { ...optimize(state, gradients, corrections), value };
    },
    dispose() {
      for (const jitted of [forward, backward, optimize]) jitted.dispose();
    },
  };
}

export async function preparePass(workload: PassWorkload, host: HostModel): Promise<Prepared> {
  const { config } = host;
  const { samples, promptLength, newTokens } = workload;
  const room = promptLength + newTokens;
  const [prompt = []] = promptsOf({ groups: 1, promptLength }, config);
  const base = parametersOf(host);
  let state = initialState(adapterOf(workload, config));
  let updates = 0;
  const prefill = prefillOf(config, workload);
  const step = stepOf(config, workload);
  const training = updateOf(config, workload);
  const everything = (): Parameters => ({ ...tree.ref(base), ...tree.ref(state.parameters) });

  const rotation = rotationOf(config, room);
  const cosines = await numbersOf(rotation.cosines);
  const sines = await numbersOf(rotation.sines);
  /** The tables of `length` positions from `from` on. */
  const positionsAt = (from: number, length: number, mask: np.Array): Positions => {
    const { headDim } = config;
    const part = (table: Float32Array): np.Array =>
      floats(table.subarray(from * headDim, (from + length) * headDim), [1, length, 1, headDim]);
    return { cosines: part(cosines), sines: part(sines), mask };
  };
  const maskUpTo = (last: number): np.Array =>
    floats(
      Float32Array.from({ length: room }, (_, at) => (at > last ? -1e9 : 0)),
      [1, room],
    );
  const oneAt = (place: number): np.Array =>
    floats(
      Float32Array.from({ length: room }, (_, at) => (at === place ? 1 : 0)),
      [1, room, 1, 1],
    );

  async function sample(greedy: boolean): Promise<Tokens> {
    const answers = Array.from({ length: samples }, (): number[] => []);
    const first = positionsAt(0, promptLength, causalMask(promptLength));
    let { logits, cache } = prefill(everything(), idsOf(prompt), first);
    for (let position = promptLength; ; position++) {
      const values = await numbersOf(logits);
      const rows = values.length / config.vocabSize;
      answers.forEach((answer, row) =>
        // The prompt's logits are the same for all.
        answer.push(sampleRow(values, (row % rows) * config.vocabSize, config.vocabSize, greedy)),
      );
      if (position === room - 1) break;
      const last = idsOf(answers.map((answer) => answer.at(-1) as number));
      const positions = positionsAt(position, 1, maskUpTo(position));
      ({ logits, cache } = step(everything(), cache, last, positions, oneAt(position)));
    }
    tree.dispose(cache);
    return answers;
  }

  /** Loss and gradient norm before the update. */
  async function train(answers: Tokens): Promise<[number, number]> {
    updates++;
    const length = room - 1;
    const inputs: Inputs = {
      ids: idsOf(answers.flatMap((answer) => [...prompt, ...answer.slice(0, -1)])),
      positions: positionsAt(0, length, causalMask(length)),
    };
    const targets: Targets = {
      targets: idsOf(answers.flat()),
      weights: floats(
        Float32Array.from(answers.flatMap((answer, row) => answer.map(() => advantageOf(row)))).map(
          (advantage) => advantage / (samples * newTokens),
        ),
        [samples * newTokens],
      ),
    };
    const { next, value, norm } = training.update(
      state,
      tree.ref(base),
      inputs,
      targets,
      correctionsOf(updates),
    );
    state = next;
    const [loss = NaN] = await numbersOf(value);
    const [gradientNorm = NaN] = await numbersOf(norm);
    return [loss, gradientNorm];
  }

  const given = firstAnswers(workload, config);
  const check = [...(await train(given)), ...(await train(given)), ...(await sample(true)).flat()];
  return {
    check: Float32Array.from(check),
    async run() {
      const began = performance.now();
      const answers = await sample(false);
      const sampling = secondsSince(began);
      await train(answers);
      const seconds = secondsSince(began);
      return { seconds, sampling, training: seconds - sampling };
    },
    dispose() {
      tree.dispose([base, state]);
      for (const jitted of [prefill, step, training]) jitted.dispose();
    },
  };
}
