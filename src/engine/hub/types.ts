/**
 * Where a model's files come from, what is said of those that can't be used, and what a loaded model is made of before it meets a
 * device.
 */
import type { ChatMessage } from '@rl-playground/base/conversation';
import type { ModelConfig } from '../model/config.ts';
import type { StoredWeights } from '../model/storedWeights.ts';

/** A folder in Hugging Face layout: bundled, on disk, in a zip. */
export interface ModelFiles {
  /** Shown in messages. */
  readonly label: string;
  /** Every file there is; absent where the source can't be listed (a URL). */
  readonly names?: readonly string[];
  /** Where they came from; absent for files of this machine. */
  readonly origin?: ModelOrigin;
  /** `LoadedModel.contentHash`, where the weights were checked when they came. */
  readonly checkedHash?: string | null;
  /** One file; null where it does not exist. Throws when it can't be had. */
  open(name: string, options?: OpenOptions): Promise<OpenFile | null>;
}

/** Where a model came from, as runs and exports record it. */
export interface ModelOrigin {
  /** `org/name`, or a folder's URL. */
  readonly name: string;
  /** As it was asked for; null for the default branch. */
  readonly revision: string | null;
  /** The commit that the revision stood for; null where the server has none. */
  readonly commit: string | null;
  /** The server, where it is not the Hugging Face Hub itself; null else, and for a folder's URL. */
  readonly hubUrl: string | null;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** Bytes that have arrived, of how many; the total is 0 where it is not known. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A file that is read piece by piece: weights are not held in memory. */
export interface OpenFile {
  /** Bytes. */
  readonly size: number;
  /** Bytes `begin` … `end` − 1, which must exist. They may be a view of what others read, too, or of memory that the next read overwrites. */
  read(begin: number, end: number): Promise<Uint8Array>;
  /** The files that it is made of, one behind the other, if it is: so all of it is read without a copy. */
  readonly parts?: readonly OpenFile[];
}

/** The bytes that each token adds to a text (`tokenBytes.ts`). */
export interface TokenBytes {
  /** Those of all tokens, one after the other by id. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the bytes of each id end; they begin where those of the id before it end. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

export interface ChatOptions {
  /** Whether the text ends where the assistant begins to speak. */
  readonly addGenerationPrompt: boolean;
  /** For templates that ask; absent, it is not passed on. */
  readonly enableThinking?: boolean;
  /** What templates take for now, as `localMoment` gives it; absent, the clock's. */
  readonly moment?: number;
}

/** How the prompts of a run are rendered. */
export interface PromptOptions {
  /** Whether templates that ask let the model think before it answers. */
  readonly thinking: boolean;
  /** Whether a thought is scored with the answer, because the prompt asks for both; else it is left out of the text. */
  readonly scoreThoughts?: boolean;
  /** What templates take for now all through the run, as `localMoment` gives it. */
  readonly moment: number;
}

/** Texts to tokens and back, and conversations to texts: what a folder of tokenizer files alone can do. */
export interface TextCodec {
  readonly vocabSize: number;
  /** Null where the tokenizer names no start token. */
  readonly bosTokenId: number | null;
  /** The token that ends a sequence; null where the tokenizer names none. */
  readonly eosTokenId: number | null;
  readonly hasChatTemplate: boolean;
  /** Whether the chat template has this text in it, such as the name of a variable. */
  templateMentions(text: string): boolean;
  /** Adds no special tokens; those written out in the text are taken as tokens. */
  encode(text: string): number[];
  /** Leaves out special tokens and ids that no token has, and tidies nothing. */
  decode(ids: readonly number[]): string;
  /** The same with special tokens written out. */
  decodeWhole(ids: readonly number[]): string;
  /**
   * The text that the chat template makes of a conversation, whose messages may have fields of any kind.
   * @throws ModelFileError where there is no template or it fails.
   */
  renderChat(messages: readonly object[], options: ChatOptions): string;
}

export interface Tokenizer extends TextCodec {
  readonly eosTokenId: number;
  readonly padTokenId: number;
  /**
   * Token ids of the rendered chat template, ending with the generation prompt; by default without thinking, where the template can, and now.
   * @throws ModelFileError where there is no template or it fails.
   */
  promptIds(messages: readonly ChatMessage[], options?: PromptOptions): number[];
  /** What the chat template puts behind the content of a last assistant message; empty where that can't be found out. */
  turnEnd(): number[];
  /** @throws ModelFileError where the decoder is of a kind that has no bytes for single tokens. */
  tokenBytes(): TokenBytes;
}

/** Of generation_config.json, under its names: `temperature`, `top_p`, `top_k`, `min_p`, `repetition_penalty`. */
export type SamplingDefaults = Readonly<Record<string, number>>;

export interface LoadedModel {
  readonly name: string;
  /** Absent for models of this machine. */
  readonly origin?: ModelOrigin;
  readonly config: ModelConfig;
  /** In the order of `huggingFaceSpecs`, read anew at each use. */
  readonly weights: StoredWeights;
  /** SHA-256 of the weights (`openWeights`), hexadecimal; null where the browser has none, as on a page without https. */
  readonly contentHash: string | null;
  readonly tokenizer: Tokenizer;
  /** Every token that ends a completion (generation_config.json, else config.json). */
  readonly stopTokenIds: readonly number[];
  /** Texts that end one, too (generation_config.json). */
  readonly stopStrings: readonly string[];
  /** How its makers sample it; said to whoever trains it, and never applied. */
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
