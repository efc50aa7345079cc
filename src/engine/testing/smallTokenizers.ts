/** Two small tokenizers of the kinds that language models have, written by hand: every id can be looked up in a list. */
import type { TokenizerFiles } from '../hub/tokenizer.ts';

/** The steps of merging letters into a word. */
const merging = (word: string): [string, string][] =>
  Array.from({ length: word.length - 1 }, (_, i) => [word.slice(0, i + 1), word.charAt(i + 1)]);

/** The tokens of lists, which are separated by spaces, in the order of their ids. */
const distinct = (...lists: readonly string[]): string[] => [...new Set(lists.join(' ').split(' '))];

const special = (content: string, id: number) => ({ id, content, special: true, normalized: false });

/**
 * Byte-level BPE without a pre-tokenizer's borders: `Ġ` is a space, `Ċ` a line feed, `Ã©` the bytes of é, `ãĢĤ` those of the ideographic
 * full stop; the other characters are those of ASCII. A colon merges with a following space if both are in one text.
 */
export const BYTE_LEVEL_TOKENS = distinct(
  '<|endoftext|> <|im_start|> <|im_end|> <think> </think>',
  'Ġ Ċ Ã ã Ģ Ĥ ©',
  Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i)).join(' '),
  ':Ġ ĊĊ ãĢ +Ġ',
  'Us Use User As Ass Assi Assis Assist Assista Assistan Assistant',
);

const MERGES: [string, string][] = [
  [':', 'Ġ'],
  ['Ċ', 'Ċ'],
  ['ã', 'Ģ'],
  ['+', 'Ġ'],
  ...merging('User'),
  ...merging('Assistant'),
];

/** A template in the manner of ChatML, with Qwen's switch for thoughts. */
const CHAT_ML =
  '{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}' +
  '{% if add_generation_prompt %}<|im_start|>assistant\n' +
  '{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}';

export function byteLevelTokenizer({ template = true, bos = true } = {}): TokenizerFiles {
  const idOf = (token: string): number => BYTE_LEVEL_TOKENS.indexOf(token);
  return {
    tokenizerJson: {
      version: '1.0',
      added_tokens: [
        ...['<|endoftext|>', '<|im_start|>', '<|im_end|>'].map((token) => special(token, idOf(token))),
        ...['<think>', '</think>'].map((token) => ({ ...special(token, idOf(token)), special: false })),
      ],
      normalizer: null,
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      post_processor: null,
      decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      model: {
        type: 'BPE',
        vocab: Object.fromEntries(BYTE_LEVEL_TOKENS.map((token, id) => [token, id])),
        merges: MERGES,
      },
    },
    tokenizerConfig: {
      ...(bos ? { bos_token: '<|endoftext|>' } : {}),
      eos_token: '<|im_end|>',
      clean_up_tokenization_spaces: false,
      ...(template ? { chat_template: CHAT_ML } : {}),
    },
  };
}

/** SentencePiece with bytes to fall back on, as in the first Llama models: a line feed is `<0x0A>`, `▁` a space. */
export const SENTENCE_PIECE_TOKENS = distinct(
  '<unk> <s> </s> <0x0A> <0xC3> <0xA9> <0xE3> <0x80> <0x82>',
  [...'▁User:Aistan12+4='].join(' '),
  '▁U ▁Us ▁Use ▁User ▁1 ▁4 ▁A ▁As',
);

export function sentencePieceTokenizer(): TokenizerFiles {
  return {
    tokenizerJson: {
      version: '1.0',
      added_tokens: ['<unk>', '<s>', '</s>'].map(special),
      normalizer: {
        type: 'Sequence',
        normalizers: [
          { type: 'Prepend', prepend: '▁' },
          { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        ],
      },
      pre_tokenizer: null,
      post_processor: null,
      decoder: {
        type: 'Sequence',
        decoders: [
          { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
          { type: 'ByteFallback' },
          { type: 'Fuse' },
          { type: 'Strip', content: ' ', start: 1, stop: 0 },
        ],
      },
      model: {
        type: 'BPE',
        unk_token: '<unk>',
        byte_fallback: true,
        fuse_unk: true,
        vocab: Object.fromEntries(SENTENCE_PIECE_TOKENS.map((token, id) => [token, id])),
        merges: [...merging('▁User'), ['▁', '1'], ['▁', '4'], ...merging('▁As')],
      },
    },
    tokenizerConfig: {
      bos_token: '<s>',
      eos_token: '</s>',
      unk_token: '<unk>',
      clean_up_tokenization_spaces: false,
    },
  };
}
