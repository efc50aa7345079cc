/** A pass that computes prompts once against a pass that computes them in every row. */
import { describe, expect, test } from 'vitest';
import { LORA_TARGETS } from './loraTargets.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { relativeError } from '../testing/accuracy.ts';
import { adaptedPair, ARCHITECTURES, randomAdapterPool, randomPool } from '../testing/adaptedModels.ts';
import { groupedTokens } from '../testing/groupedTokens.ts';
import { passOf } from '../testing/passes.ts';

const SETTINGS = { rank: 3, alpha: 5, targets: LORA_TARGETS };
export function sharedPromptsSuite(architectures: readonly string[] = Object.keys(ARCHITECTURES)): void {
  describe('prompts that are computed once', () => {
    for (const name of architectures) {
      test(`${name}: the same values to the bit, and the same gradient of weights and adapter`, async () => {
        const config = ARCHITECTURES[name as keyof typeof ARCHITECTURES];
        const random = freshInputs();
        const pools = {
          base: randomPool(config, random),
          adapter: randomAdapterPool(config, SETTINGS, random),
        };
        const { adapted, merged } = adaptedPair(config, SETTINGS, pools);
        const tokens = groupedTokens(config.vocabSize, random);
        const only = (values: Float32Array): Float32Array =>
          values.map((value, i) => (tokens.wanted.includes(i) ? value : 0));
        const upstream = {
          logprob: only(random.floats(tokens.ids.length)),
          entropy: only(random.floats(tokens.ids.length, 0.3)),
        };
        for (const model of [adapted, merged]) {
          const apart = await passOf(model, { ...tokens, shared: null }, upstream);
          const once = await passOf(model, tokens, upstream);
          const { seed } = random;
          expect({ seed, logprob: once.logprob }).toEqual({ seed, logprob: apart.logprob });
          expect({ seed, entropy: once.entropy }).toEqual({ seed, entropy: apart.entropy });
          const error = relativeError(once.gradients, apart.gradients);
          expect({ seed, error, close: error < 1e-6 }).toEqual({ seed, error, close: true });
          expect(error).toBeGreaterThan(0);
        }
        adapted.dispose();
        merged.dispose();
      });
    }
  });
}
