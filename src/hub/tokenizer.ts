/** Tokenizer and chat template through `@huggingface/transformers`. Import lazily: the library is half a megabyte. */
import { PreTrainedTokenizer } from '@huggingface/transformers';
import type { ChatMessage } from '../tasks/types.ts';
import { messageOf } from '../base/errors.ts';
import { ModelFileError, type TokenBytes, type Tokenizer } from './types.ts';
import { tokenBytesOf } from './tokenBytes.ts';

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
 * `encode` adds no special tokens. `promptIds` renders the chat template with its generation prompt; what a model without one
 * is asked is a renderer's business. `decode` leaves out special tokens and ids that the vocabulary does not hold (padding rows of the embedding), and tidies
 * spaces only where the files ask for it, as transformers does since 4.45.
 * @throws ModelFileError where the files can't be used or no end-of-sequence token is known.
 */
export function createTokenizer(files: TokenizerFiles): Tokenizer {
  const tokenizer = build(files);
  const tokens = tokenizer.get_vocab();
  const vocabulary = new Set(tokens.values());
  let tokenBytes: TokenBytes | null = null;
  const eosTokenId: number | undefined = tokenizer.eos_token_id ?? files.eosTokenId ?? undefined;
  if (eosTokenId === undefined)
    throw new ModelFileError(
      'The tokenizer names no end-of-sequence token and no eos_token_id was found in generation_config.json or config.json; one is needed to end completions.',
    );
  const config: { clean_up_tokenization_spaces?: unknown } = files.tokenizerConfig;
  const tidySpaces = config.clean_up_tokenization_spaces === true;

  return {
    vocabSize: [...vocabulary].reduce((largest, id) => Math.max(largest, id), -1) + 1,
    eosTokenId,
    padTokenId: tokenizer.pad_token_id ?? eosTokenId,
    bosTokenId: tokenizer.bos_token_id ?? null,
    hasChatTemplate: Boolean(tokenizer.chat_template),
    encode: (text) => (text === '' ? [] : tokenizer.encode(text, { add_special_tokens: false })),
    decode(ids) {
      const known = ids.filter((id) => vocabulary.has(id));
      if (known.length === 0) return '';
      return tokenizer.decode(known, { skip_special_tokens: true, clean_up_tokenization_spaces: tidySpaces });
    },
    promptIds: (messages) => applyTemplate(tokenizer, messages),
    turnEnd: () => turnEnd(tokenizer),
    tokenBytes: () => (tokenBytes ??= tokenBytesOf(files.tokenizerJson, tokens)),
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

/** Kept out of the prompt where a template asks: a few dozen tokens of an answer leave no room for thoughts. */
const TEMPLATE_VARIABLES = { enable_thinking: false } as const;

function applyTemplate(tokenizer: PreTrainedTokenizer, messages: readonly ChatMessage[]): number[] {
  const options = {
    ...TEMPLATE_VARIABLES,
    add_generation_prompt: true,
    tokenize: true,
    return_tensor: false,
    return_dict: false,
  } as const;
  try {
    return tokenizer.apply_chat_template([...messages], options);
  } catch (error) {
    throw new ModelFileError(`The model's chat template could not be applied: ${messageOf(error)}`);
  }
}

/** Stands for an answer; no template changes or writes it. */
const ANSWER = 'Zq7answer7qZ';

function turnEnd(tokenizer: PreTrainedTokenizer): number[] {
  const dialogue: ChatMessage[] = [
    { role: 'user', content: '1' },
    { role: 'assistant', content: ANSWER },
  ];
  const options = { ...TEMPLATE_VARIABLES, add_generation_prompt: false, tokenize: false } as const;
  try {
    const text = tokenizer.apply_chat_template(dialogue, options);
    const at = text.lastIndexOf(ANSWER);
    const rest = at < 0 ? '' : text.slice(at + ANSWER.length);
    return rest === '' ? [] : tokenizer.encode(rest, { add_special_tokens: false });
  } catch {
    return [];
  }
}
