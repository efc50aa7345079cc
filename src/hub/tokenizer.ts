/** Tokenizer and chat template through `@huggingface/transformers`. Import lazily: the library is half a megabyte. */
import { PreTrainedTokenizer } from '@huggingface/transformers';
import type { ChatMessage } from '../tasks/types.ts';
import { messageOf, ModelFileError } from './errors.ts';
import type { Tokenizer } from './types.ts';

export interface TokenizerFiles {
  /** Parsed `tokenizer.json`. */
  readonly tokenizerJson: object;
  /** Parsed `tokenizer_config.json`. */
  readonly tokenizerConfig: object;
  /** Text of `chat_template.jinja`; wins over the template in `tokenizerConfig`. */
  readonly chatTemplate?: string | null;
  /** Used where the tokenizer names no end-of-sequence token. */
  readonly eosTokenId?: number | null;
}

/**
 * Builds a tokenizer from files in memory.
 *
 * `encode` adds no special tokens. `promptIds` renders the chat template with its generation prompt; a model without
 * one gets "System: …", "User: …" and "Assistant:" paragraphs behind the tokenizer's own start token.
 * `decode` leaves out special tokens and ids that the vocabulary does not hold (padding rows of the embedding), and tidies
 * spaces only where the files ask for it, as transformers does since 4.45.
 * @throws ModelFileError where the files can't be used or no end-of-sequence token is known.
 */
export function createTokenizer(files: TokenizerFiles): Tokenizer {
  const tokenizer = build(files);
  const vocabulary = new Set(tokenizer.get_vocab().values());
  const eosTokenId: number | undefined = tokenizer.eos_token_id ?? files.eosTokenId ?? undefined;
  if (eosTokenId === undefined) {
    throw new ModelFileError(
      'The tokenizer names no end-of-sequence token and no eos_token_id was found in generation_config.json or config.json; one is needed to end completions.',
    );
  }
  const config: { clean_up_tokenization_spaces?: unknown } = files.tokenizerConfig;
  const tidySpaces = config.clean_up_tokenization_spaces === true;

  return {
    vocabSize: [...vocabulary].reduce((largest, id) => Math.max(largest, id), -1) + 1,
    eosTokenId,
    padTokenId: tokenizer.pad_token_id ?? eosTokenId,
    encode: (text) => (text === '' ? [] : tokenizer.encode(text, { add_special_tokens: false })),
    decode(ids) {
      const known = ids.filter((id) => vocabulary.has(id));
      if (known.length === 0) return '';
      return tokenizer.decode(known, { skip_special_tokens: true, clean_up_tokenization_spaces: tidySpaces });
    },
    promptIds: (messages) =>
      tokenizer.chat_template ? applyTemplate(tokenizer, messages) : plain(tokenizer, messages),
  };
}

function build(files: TokenizerFiles): PreTrainedTokenizer {
  try {
    const tokenizer = new PreTrainedTokenizer(files.tokenizerJson, files.tokenizerConfig);
    if (files.chatTemplate != null) tokenizer.chat_template = files.chatTemplate;
    return tokenizer;
  } catch (error) {
    throw new ModelFileError(`tokenizer.json and tokenizer_config.json can't be used: ${messageOf(error)}`);
  }
}

function applyTemplate(tokenizer: PreTrainedTokenizer, messages: readonly ChatMessage[]): number[] {
  try {
    return tokenizer.apply_chat_template([...messages], {
      add_generation_prompt: true,
      tokenize: true,
      return_tensor: false,
      return_dict: false,
    });
  } catch (error) {
    throw new ModelFileError(`The model's chat template could not be applied: ${messageOf(error)}`);
  }
}

function plain(tokenizer: PreTrainedTokenizer, messages: readonly ChatMessage[]): number[] {
  const names = { system: 'System', user: 'User', assistant: 'Assistant' };
  const turns = messages.map((message) => `${names[message.role]}: ${message.content}\n\n`);
  return tokenizer.encode(`${turns.join('')}Assistant:`);
}
