/** Tokenizer files for a vocabulary of whole words. */

export interface WordVocabulary {
  /** A token's text by its id; none holds a space. */
  readonly words: readonly string[];
  /** Texts of the marks among them. */
  readonly bos: string;
  readonly eos: string;
  readonly pad: string;
}

/** Messages one after the other with spaces between; an assistant's ends with the end mark. What begins a prompt is its own matter. */
const CHAT_TEMPLATE =
  "{% for message in messages %}{{ message.content }}{% if message.role == 'assistant' %} {{ eos_token }}{% endif %}" +
  '{% if not loop.last %} {% endif %}{% endfor %}';

/**
 * `tokenizer.json` and `tokenizer_config.json` in which a word's id is its place. Text is split at whitespace, and decoding puts spaces
 * between tokens, which is what both of Hugging Face's engines do without a decoder. A word that is no token becomes padding.
 */
export function wordTokenizerFiles({ words, bos, eos, pad }: WordVocabulary): {
  tokenizerJson: object;
  tokenizerConfig: object;
} {
  const marks = new Set([bos, eos, pad]);
  const addedTokens = words.flatMap((content, id) =>
    marks.has(content)
      ? [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }]
      : [],
  );
  return {
    tokenizerJson: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: addedTokens,
      normalizer: null,
      pre_tokenizer: { type: 'WhitespaceSplit' },
      post_processor: null,
      decoder: null,
      model: {
        type: 'WordLevel',
        vocab: Object.fromEntries(words.map((word, id) => [word, id])),
        unk_token: pad,
      },
    },
    tokenizerConfig: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      bos_token: bos,
      eos_token: eos,
      pad_token: pad,
      unk_token: pad,
      clean_up_tokenization_spaces: false,
      model_max_length: 2048,
      chat_template: CHAT_TEMPLATE,
    },
  };
}
