/** The places of a model's files, the error about files that can't be used, and the parts of a loaded model before it is put on a device. */
import type { ChatMessage } from '@rl-playground/base/conversation';
import type { ModelConfig } from '../model/config.ts';
import type { StoredWeights } from '../model/storedWeights.ts';

export interface ModelNames {
  /** The name of the folder in messages. */
  readonly label: string;
  /** The last name of the folder, where the label may be its path. */
  readonly name?: string;
  /** The origin of the files; left out for files of this machine. */
  readonly origin?: ModelOrigin;
}

/** The name of a model in everything that leaves this machine. Files of a server may lie in a cache, whose folders have names of their own. */
export const recordedName = ({ label, name, origin }: ModelNames): string =>
  origin ? label : (name ?? label);

/** A folder in Hugging Face layout: bundled, on disk, in a zip. */
export interface ModelFiles extends ModelNames {
  /** The names of all files; left out if the source can't be listed (a URL). */
  readonly names?: readonly string[];
  /** `LoadedModel.contentHash`, if the weights were checked when they arrived. */
  readonly checkedHash?: string | null;
  /** Opens one file; null if it does not exist. @throws Error if it can't be read. */
  open(name: string, options?: OpenOptions): Promise<OpenFile | null>;
}

/** The origin of a model, as runs and exports record it. */
export interface ModelOrigin {
  /** The name `org/name`, or a folder's URL. */
  readonly name: string;
  /** The revision that was asked for; null for the default branch. */
  readonly revision: string | null;
  /** The commit of that revision; null if the server has none. */
  readonly commit: string | null;
  /** The server; null for the Hugging Face Hub itself and for a folder's URL. */
  readonly hubUrl: string | null;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** Receives the bytes that have arrived, and their total, which is 0 if it is not known. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A file that is read piece by piece, because weights are not held in memory. */
export interface OpenFile {
  /** The size in bytes. */
  readonly size: number;
  /** Reads bytes `begin` … `end` − 1, which must exist. They may be a view of memory that others read, too, or that the next read overwrites. */
  read(begin: number, end: number): Promise<Uint8Array>;
  /** The files that it consists of, one behind the other, if it is a joined file. All of it can then be read without a copy. */
  readonly parts?: readonly OpenFile[];
}

/** The bytes that each token adds to a text (`tokenBytes.ts`). */
export interface TokenBytes {
  /** The bytes of all tokens, one after the other by id. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of each id's bytes. They begin at the end of the previous id's. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

export interface ChatOptions {
  /** True if the text should end where the assistant begins to speak. */
  readonly addGenerationPrompt: boolean;
  /** A variable for templates that read it. If it is left out, templates get none. */
  readonly enableThinking?: boolean;
  /** The time that templates take for the present, as `localMoment` gives it; by default the clock's. */
  readonly moment?: number;
}

/** The options with which the prompts of a run are rendered. */
export interface PromptOptions {
  /** True if the model may think before it answers, with templates that ask. */
  readonly thinking: boolean;
  /** True if a thought is scored with the answer, because the prompt asks for both. Otherwise it is left out of the text. */
  readonly scoreThoughts?: boolean;
  /** The time that templates take for the present during the whole run, as `localMoment` gives it. */
  readonly moment: number;
}

/** Converts texts to tokens and back, and conversations to texts. A folder of tokenizer files alone is enough for it. */
export interface TextCodec {
  readonly vocabSize: number;
  /** The token that begins a sequence; null if the tokenizer names none. */
  readonly bosTokenId: number | null;
  /** The token that ends a sequence; null if the tokenizer names none. */
  readonly eosTokenId: number | null;
  readonly hasChatTemplate: boolean;
  /** True if the chat template contains this text, such as the name of a variable. */
  templateMentions(text: string): boolean;
  /** Adds no special tokens. Special tokens that are written out in the text are read as tokens. */
  encode(text: string): number[];
  /** Leaves out special tokens and ids without a token, and tidies nothing. */
  decode(ids: readonly number[]): string;
  /** Decodes with special tokens written out. */
  decodeWhole(ids: readonly number[]): string;
  /**
   * The text that the chat template makes of a conversation, whose messages may have any fields.
   *
   * @throws ModelFileError if there is no template or it fails.
   */
  renderChat(messages: readonly object[], options: ChatOptions): string;
}

export interface Tokenizer extends TextCodec {
  readonly eosTokenId: number;
  readonly padTokenId: number;
  /**
   * The token ids of the rendered chat template, ending with the generation prompt. The default is the present time, without thinking if
   * the template can leave it out.
   *
   * @throws ModelFileError if there is no template or it fails.
   */
  promptIds(messages: readonly ChatMessage[], options?: PromptOptions): number[];
  /** The tokens that the chat template puts after a last assistant message; empty if they can't be found. */
  turnEnd(): number[];
  /** @throws ModelFileError if the decoder is of a kind that has no bytes for single tokens. */
  tokenBytes(): TokenBytes;
}

/** The sampling settings in generation_config.json, under its names: `temperature`, `top_p`, `top_k`, `min_p`, `repetition_penalty`. */
export type SamplingDefaults = Readonly<Record<string, number>>;

export interface LoadedModel {
  /** The `recordedName` of its files. */
  readonly name: string;
  /** The origin; left out for models of this machine. */
  readonly origin?: ModelOrigin;
  readonly config: ModelConfig;
  /** The weights in the order of `huggingFaceSpecs`, read anew at each use. */
  readonly weights: StoredWeights;
  /** The GGUF file that the weights lie in, block for block; left out for others. */
  readonly gguf?: OpenFile | undefined;
  /** The SHA-256 of the weights (`openWeights`) in hexadecimal digits; null if the browser has none, as on a page without https. */
  readonly contentHash: string | null;
  readonly tokenizer: Tokenizer;
  /** Every token that ends a completion (generation_config.json, else config.json). */
  readonly stopTokenIds: readonly number[];
  /** Texts that also end a completion (generation_config.json). */
  readonly stopStrings: readonly string[];
  /** The sampling settings of the model's makers. They are shown to the person who trains it, and never applied. */
  readonly samplingDefaults: SamplingDefaults;
  /** The files that a checkpoint carries along unchanged, by name (tokenizer, configs). */
  readonly sideFiles: ReadonlyMap<string, Uint8Array>;
  /** `compact` for models whose config says so (`rl_playground.prompt_style`), else `full`. */
  readonly promptStyle: 'full' | 'compact';
}

/** A model file that is missing, broken or not what this project can use. The message is written for the user. */
export class ModelFileError extends Error {
  override readonly name: string = 'ModelFileError';
}
