/** One generator: its own copy of the model, replaced when a newer policy version arrives. */
import type { ModelConfig } from '../model/config.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { ModelWeights } from '../model/weights.ts';
import { DecodeEngine, type EngineOptions } from './engine.ts';
import type { GroupRequest, GroupResult, SamplingSettings } from './types.ts';

export interface GeneratorModel {
  readonly config: ModelConfig;
  readonly stopTokenIds: readonly number[];
  /** The longest padded prompt plus completion that will be asked for. */
  readonly positions: number;
}

export class Generator {
  readonly #model: GeneratorModel;
  #version = -1;
  #policy: { model: LanguageModel; engine: DecodeEngine } | null = null;

  constructor(model: GeneratorModel) {
    this.#model = model;
  }

  /** Takes a copy of `packed`. A version that is not newer is ignored, as in the Monarch system. */
  setWeights(version: number, packed: Float32Array): void {
    if (version <= this.#version) return;
    this.dispose();
    const model = new LanguageModel(
      ModelWeights.fromPacked(this.#model.config, packed),
      this.#model.positions,
    );
    this.#policy = { model, engine: new DecodeEngine(model, this.#model.stopTokenIds) };
    this.#version = version;
  }

  /** A group that fails comes back as completions with stop reason `error`; an abort is thrown. */
  async generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: EngineOptions,
  ): Promise<GroupResult[]> {
    const policy = this.#policy;
    if (!policy) throw new Error('The generator has no weights yet.');
    const policyVersion = this.#version;
    const groups = await policy.engine.generate(requests, sampling, options);
    return groups.map((completions) => ({ completions, policyVersion }));
  }

  dispose(): void {
    this.#policy?.engine.dispose();
    this.#policy?.model.dispose();
    this.#policy = null;
  }
}
