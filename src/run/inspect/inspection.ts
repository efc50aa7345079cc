/** A model, or the tokenizer of one, that answers rows of questions about what it is and computes: `npx rl-playground model`. */
import {
  type BaseFormat,
  ChatTemplate,
  variablesIn,
  loadParts,
  type ModelParts,
  readPeftAdapter,
  type PeftAdapter,
  ModelFileError,
  type ModelFiles,
  type TextCodec,
  parameterCount,
} from '@rl-playground/engine/parts';
import { tf, Adapter, FrozenBase, LanguageModel } from '@rl-playground/engine/parts/tensors';
import { localMoment } from '@rl-playground/base/clock';
import { messageOf } from '@rl-playground/base/errors';
import { greedy, logits, logprobs } from './modelAnswers.ts';
import { parseRow, type Row } from './rows.ts';

export interface InspectionFiles {
  readonly model: ModelFiles;
  /** An adapter in PEFT's files, used beside the model and not merged into it. */
  readonly adapter: ModelFiles | null;
}

/** Positions that a model is made for at first. */
const FEWEST_POSITIONS = 128;

export class Inspection {
  readonly #parts: ModelParts;
  readonly #base: FrozenBase | null;
  readonly #adapter: PeftAdapter | null;
  readonly #baseFormat: BaseFormat;
  #made: { readonly model: LanguageModel; readonly positions: number } | null = null;

  private constructor(
    parts: ModelParts,
    base: FrozenBase | null,
    adapter: PeftAdapter | null,
    baseFormat: BaseFormat,
  ) {
    this.#parts = parts;
    this.#base = base;
    this.#adapter = adapter;
    this.#baseFormat = baseFormat;
  }

  /**
   * Opens a model on the running backend, with the weights as a frozen base.
   * @throws ModelFileError where model or adapter can't be used.
   */
  static async open({ model, adapter }: InspectionFiles, baseFormat: BaseFormat): Promise<Inspection> {
    const parts = await loadParts(model);
    if (parts.model === null) {
      if (adapter === null) return new Inspection(parts, null, null, baseFormat);
      throw new ModelFileError(`${model.label} is a tokenizer alone, and an adapter needs its base model.`);
    }
    const { config, weights } = parts.model;
    const read = adapter && (await readPeftAdapter(adapter, config));
    return new Inspection(parts, await FrozenBase.load(config, weights, baseFormat), read, baseFormat);
  }

  /** The answer to one line of JSON as one line of JSON; what goes wrong is its field `error`. */
  async answer(line: string): Promise<string> {
    try {
      return JSON.stringify(await this.#answer(parseRow(line), line));
    } catch (error) {
      return JSON.stringify({ error: messageOf(error) });
    }
  }

  dispose(): void {
    this.#made?.model.dispose({ keepWeights: true });
    this.#base?.dispose();
  }

  async #answer(row: Row, line: string): Promise<object> {
    switch (row.op) {
      case 'encode':
        return { ids: this.#codec.encode(row.text) };
      case 'decode':
        return { text: this.#codec.decode(this.#known(row.ids)) };
      case 'chat': {
        const text = this.#codec.renderChat(row.messages, {
          addGenerationPrompt: row.add_generation_prompt,
          ...(row.enable_thinking === undefined ? {} : { enableThinking: row.enable_thinking }),
        });
        return { text, ids: this.#codec.encode(text) };
      }
      case 'template':
        // The line itself tells 1.0 from 1.
        return {
          text: new ChatTemplate(row.template).render(variablesIn(line, 'variables'), localMoment()),
        };
      case 'logits':
        return { logits: await logits(this.#model(row.ids.length), this.#known(row.ids)) };
      case 'logprobs':
        return logprobs(this.#model(row.ids.length), this.#known(row.ids), row.temperature);
      case 'greedy': {
        const modelFor = (length: number): LanguageModel => this.#model(length);
        return { ids: await greedy(modelFor, this.#known(row.ids), row.max, this.#whole.stopTokenIds) };
      }
      case 'info':
        return this.#info();
    }
  }

  get #codec(): TextCodec {
    if (this.#parts.codec) return this.#parts.codec;
    throw new Error('The folder has no tokenizer.json, so texts and tokens can’t be turned into each other.');
  }

  get #whole(): NonNullable<ModelParts['model']> {
    if (this.#parts.model) return this.#parts.model;
    throw new Error('The folder is a tokenizer alone: it has no config.json and no weights.');
  }

  /** The ids, if the model has all of them. */
  #known(ids: readonly number[]): readonly number[] {
    const size = this.#parts.model?.config.vocabSize;
    const beyond = size === undefined ? undefined : ids.find((id) => id >= size);
    if (beyond === undefined) return ids;
    throw new Error(`There is no token ${beyond}: the model's ids go from 0 to ${(size ?? 0) - 1}.`);
  }

  /** The model for sequences of so many tokens; if it was made for fewer, it is made anew on the same weights. */
  #model(length: number): LanguageModel {
    const { config } = this.#whole;
    if (this.#base === null) throw new Error('The model has no weights.');
    if (this.#made !== null && this.#made.positions >= length) return this.#made.model;
    const positions = Math.max(FEWEST_POSITIONS, 2 ** Math.ceil(Math.log2(length)));
    this.#made?.model.dispose({ keepWeights: true });
    const adapter = this.#adapter && Adapter.fromPeft(config, this.#adapter.settings, this.#adapter.arrays);
    const model = new LanguageModel(this.#base, positions, adapter);
    this.#made = { model, positions };
    return model;
  }

  #info(): object {
    const { config, stopTokenIds } = this.#whole;
    const codec = this.#parts.codec;
    return {
      ...config,
      parameters: parameterCount(config),
      stopTokenIds,
      tokenizer: codec && {
        vocabSize: codec.vocabSize,
        bosTokenId: codec.bosTokenId,
        eosTokenId: codec.eosTokenId,
        hasChatTemplate: codec.hasChatTemplate,
      },
      adapter: this.#adapter?.settings ?? null,
      baseFormat: this.#baseFormat,
      formats: [
        ...new Set(
          Object.values(this.#base?.formats ?? {}).flatMap((rows) => rows.map(({ format }) => format)),
        ),
      ],
      backend: tf.getBackend(),
    };
  }
}
