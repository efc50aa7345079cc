/** A pass over some positions against a pass over all of them, of which the others have no part in the loss. */
import { describe, expect, test } from 'vitest';
import { LORA_TARGETS } from './loraTargets.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { relativeError } from '../testing/accuracy.ts';
import {
  adaptedPair,
  ARCHITECTURES,
  randomAdapterPool,
  randomPool,
  randomTokens,
} from '../testing/adaptedModels.ts';
import { passOf } from '../testing/passes.ts';

const SETTINGS = { rank: 3, alpha: 5, targets: LORA_TARGETS };
export function rowSelectionSuite(): void {
  describe('some positions of a batch', () => {
    for (const [name, config] of Object.entries(ARCHITECTURES)) {
      test(`${name}: have the values and gradients that they have among all`, async () => {
        const random = freshInputs();
        const pools = {
          base: randomPool(config, random),
          adapter: randomAdapterPool(config, SETTINGS, random),
        };
        const { adapted, merged } = adaptedPair(config, SETTINGS, pools);
        const tokens = randomTokens(config, random);
        const chosen = random.ints(tokens.ids.length, 3).map((value) => (value === 0 ? 1 : 0));
        chosen[chosen.length - 1] = 1;
        const wanted = Int32Array.from(chosen.keys()).filter((position) => chosen[position] === 1);
        const only = (values: Float32Array): Float32Array =>
          values.map((value, i) => (chosen[i] === 1 ? value : 0));
        const upstream = {
          logprob: only(random.floats(chosen.length)),
          entropy: only(random.floats(chosen.length, 0.3)),
        };
        for (const model of [adapted, merged]) {
          const all = await passOf(model, tokens, upstream);
          const some = await passOf(model, { ...tokens, wanted }, upstream);
          expect({ seed: random.seed, logprob: some.logprob }).toEqual({
            seed: random.seed,
            logprob: only(all.logprob),
          });
          expect({ seed: random.seed, entropy: some.entropy }).toEqual({
            seed: random.seed,
            entropy: only(all.entropy),
          });
          // Sums over rows leave zeros out; those of scales of norms are taken in other pieces.
          expect({ seed: random.seed, close: relativeError(some.gradients, all.gradients) < 1e-6 }).toEqual({
            seed: random.seed,
            close: true,
          });
        }
        adapted.dispose();
        merged.dispose();
      });
    }
  });
}
