/**
 * A starter model's tokenizer: single characters plus a few multi-character pieces of the answer format, so that one
 * step of a worked answer is a handful of tokens.
 */
const SPECIAL_TOKENS = ['<pad>', '<bos>', '<eos>', '<unk>'] as const;

/** The contents of a tokenizer, without repetitions. */
export interface Vocabulary {
  /** Single characters. */
  readonly characters: readonly string[];
  /** Longer pieces, each of which is one token at any place. */
  readonly pieces: readonly string[];
}

/** Each user turn ends with a newline, which is the generation prompt too; an assistant turn ends with `<eos>`. */
const CHAT_TEMPLATE =
  '{{ bos_token }}{% for message in messages %}{{ message.content }}' +
  "{% if message.role == 'assistant' %}{{ eos_token }}{% else %}{{ '\\n' }}{% endif %}{% endfor %}";

export interface StarterTokenizer {
  readonly tokenizerJson: object;
  readonly tokenizerConfig: object;
  readonly vocabSize: number;
}

/**
 * `tokenizer.json` and `tokenizer_config.json`: ids are specials (0-3), then characters, then pieces.
 *
 * A BPE model without merges splits text into characters; pieces are added tokens, which both Hugging Face's engines match first,
 * leftmost and longest. They carry spaces, hence no stripping and `normalized: false`; the `Fuse` decoder joins
 * tokens with nothing in between, where no decoder at all would join them with spaces.
 */
export function buildStarterTokenizer({ characters, pieces }: Vocabulary): StarterTokenizer {
  const inModel = [...SPECIAL_TOKENS, ...characters];
  const addedToken = (content: string, id: number, special: boolean) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special,
  });
  const tokenizerJson = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      ...SPECIAL_TOKENS.map((token, index) => addedToken(token, index, true)),
      ...pieces.map((token, index) => addedToken(token, inModel.length + index, false)),
    ],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'Fuse' },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: '<unk>',
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(inModel.map((token, id) => [token, id])),
      merges: [],
    },
  };
  const tokenizerConfig = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: '<pad>',
    bos_token: '<bos>',
    eos_token: '<eos>',
    unk_token: '<unk>',
    clean_up_tokenization_spaces: false,
    model_max_length: 2048,
    chat_template: CHAT_TEMPLATE,
  };
  return { tokenizerJson, tokenizerConfig, vocabSize: inModel.length + pieces.length };
}
