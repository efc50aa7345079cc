/** Lets the model before training, the one of now and earlier versions of it speak beside a run, and says how far they part. */
import type { LoadedModel } from '../hub/types.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { parameterCount } from '../model/parameters.ts';
import { widened } from '../model/storedWeights.ts';
import { ModelWeights, packArrays, type WeightArrays } from '../model/weights.ts';
import type { GeneratorModel } from '../rollout/decoding/decoder.ts';
import type { SampledCompletion } from '../rollout/decoding/types.ts';
import { paddedLength } from '../update/batch.ts';
import { divergences, type Answered } from './divergence.ts';
import type { KeptWeights, PastWeights } from './pastWeights.ts';
import { answersInTurn, type AskedVoice, type Voice, type VoiceSampling } from './voices.ts';

/** The parts of a run that speak. */
export interface Speakers {
  readonly policy: LanguageModel;
  readonly reference: LanguageModel;
  /** The weights of the reference; null if that is the base under LoRA. */
  readonly referenceArrays: WeightArrays | null;
  readonly past: PastWeights;
  readonly generator: GeneratorModel;
}

/** The models of the past that the run itself does not hold. */
export interface PastModels {
  /** The model before training, loaded again, where KL is measured against another by now. */
  readonly untrained?: LoadedModel | null;
  /** Finds versions that the engine keeps no longer. */
  readonly stored?: KeptWeights | undefined;
}

async function pooled({ policy: { weights } }: Speakers): Promise<Float32Array> {
  return weights instanceof FrozenBase
    ? packArrays(weights.config, await weights.toHuggingFace())
    : weights.pack();
}

/** The weights of a voice, packed, or under LoRA its factors: before training those add nothing. */
async function packedOf(
  voice: Voice,
  speakers: Speakers,
  { untrained = null, stored }: PastModels,
): Promise<Float32Array> {
  const { policy, referenceArrays, past } = speakers;
  const { weights, adapter } = policy;
  if (voice === 'now') return adapter?.pack() ?? pooled(speakers);
  if (voice === 'before') {
    if (adapter !== null) return new Float32Array((await adapter.pack()).length);
    const arrays = untrained ? await widened(untrained.weights) : referenceArrays;
    return arrays ? packArrays(weights.config, arrays) : pooled(speakers);
  }
  const found = past.of(voice) ?? (await stored?.(voice)) ?? null;
  if (found === null) throw new Error(`The weights of version ${voice} are not kept, so they can't answer.`);
  return found;
}

/** Writes the answers of several voices to prompts of their own, with the same draws. @throws Error for a version that nobody keeps */
export async function voicesAnswer(
  speakers: Speakers,
  asked: readonly AskedVoice[],
  sampling: VoiceSampling,
  models: PastModels,
): Promise<SampledCompletion[][]> {
  const { policy, generator } = speakers;
  const { weights, adapter } = policy;
  // The base that factors act on, where each generator holds a copy of it.
  const whole = adapter === null || weights instanceof FrozenBase ? null : await weights.pack();
  const packed = new Map<Voice, Float32Array>();
  for (const { voice } of asked) packed.set(voice, await packedOf(voice, speakers, models));
  const shared = weights instanceof FrozenBase && adapter !== null && generator.merged !== true;
  return answersInTurn(
    {
      generator,
      base: async (pool) => {
        if (adapter !== null && weights instanceof FrozenBase) await pool.setBase(0, weights);
        else if (whole !== null) await pool.setWeights(0, whole);
      },
      become: (pool, version, voice) => {
        const own = packed.get(voice) ?? new Float32Array();
        return adapter === null ? pool.setWeights(version, own) : pool.setAdapter(version, own);
      },
      // Generators share a frozen base, unless they merge the adapter into a copy of it.
      copiedBytes: shared ? 0 : 4 * parameterCount(weights.config),
    },
    asked,
    sampling,
  );
}

/** KL(now ‖ before) in nats before each token of answers. */
export async function divergencesOf(
  speakers: Speakers,
  answered: readonly Answered[],
  models: PastModels,
): Promise<number[][]> {
  const { policy, reference } = speakers;
  const { weights, adapter } = policy;
  const positions = Math.max(...answered.map(paddedLength));
  const own =
    adapter === null && models.untrained
      ? new ModelWeights(weights.config, await packedOf('before', speakers, models))
      : null;
  const earlier = adapter === null ? (own ?? reference.weights) : weights;
  // Instances of their own that share the weights, because a conversation may be longer than the sequences of the run.
  const now = new LanguageModel(weights, positions, adapter);
  const before = new LanguageModel(earlier, positions);
  try {
    const found: number[][] = [];
    for (const each of answered) found.push(await divergences(now, before, each));
    return found;
  } finally {
    now.rotations.dispose();
    before.rotations.dispose();
    own?.dispose();
  }
}
