/** The tokenizer of a GGUF file as `tokenizer.json` and `tokenizer_config.json`. */
import { GgufError } from './ggufError.ts';
import type { Metadata } from './metadata.ts';
import { mergesOf } from './merges.ts';
import { CUTTINGS } from './preTokenizers.ts';

/** llama.cpp's types of tokens. */
const TYPES = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

/** Control tokens that end an answer, as llama.cpp takes them to. */
const ENDS: readonly string[] = [
  '<|eot_id|>',
  '<|eom_id|>',
  '<|im_end|>',
  '<|end|>',
  '<|return|>',
  '<|call|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '<|end_of_text|>',
];
/** Rows of an embedding that no token has, as converters name them. */
const PADDING = /^\[PAD\d+\]$/;
const MARK = '▁';

type Model = 'gpt2' | 'llama';

interface Vocabulary {
  readonly tokens: readonly string[];
  readonly types: ArrayLike<number>;
}

/** The parts of `tokenizer.json` that differ from kind to kind. */
interface Parts {
  readonly normalizer: object | null;
  readonly preTokenizer: object | null;
  readonly decoder: object;
  readonly model: object;
  readonly addsBos: boolean;
}

export interface TokenizerTexts {
  readonly tokenizerJson: object;
  readonly tokenizerConfig: object;
  readonly generationConfig: object;
}

/** @throws GgufError where the vocabulary is missing, broken or of a kind that is not read. */
export function tokenizerTexts(metadata: Metadata, vocabSize: number): TokenizerTexts {
  const reader = new VocabularyReader(metadata, vocabSize);
  return reader.texts();
}

class VocabularyReader {
  readonly #metadata: Metadata;
  readonly #vocabulary: Vocabulary;
  readonly #model: Model;

  constructor(metadata: Metadata, vocabSize: number) {
    this.#metadata = metadata;
    const model = metadata.text('tokenizer.ggml.model');
    if (model !== 'gpt2' && model !== 'llama')
      this.#refuse(
        `tokenizer.ggml.model is ${model === undefined ? 'missing' : `"${model.slice(0, 60)}"`}; supported are gpt2 (byte-level BPE) and llama (SentencePiece’s BPE). Choose a model with one of these.`,
      );
    this.#model = model;
    this.#vocabulary = this.#read(vocabSize);
  }

  #refuse(what: string): never {
    throw new GgufError(what);
  }

  #read(vocabSize: number): Vocabulary {
    const tokens = this.#metadata.texts('tokenizer.ggml.tokens');
    if (tokens === undefined)
      this.#refuse('tokenizer.ggml.tokens is missing: the file has no vocabulary. Choose a file with one.');
    if (tokens.length > vocabSize)
      this.#refuse(
        `the vocabulary has ${tokens.length} tokens, and the embedding ${vocabSize} rows. The file is damaged; download it again.`,
      );
    const types = this.#list('tokenizer.ggml.token_type', tokens.length);
    const seen = new Map<string, number>();
    for (const [id, token] of tokens.entries()) {
      const other = seen.get(token);
      if (other !== undefined && token !== '')
        this.#refuse(
          `the tokens ${other} and ${id} are both ${JSON.stringify(token.slice(0, 40))}; tokens must differ. The file is damaged; download it again.`,
        );
      seen.set(token, id);
    }
    return { tokens, types: types ?? new Uint8Array(tokens.length).fill(TYPES.normal) };
  }

  /** A list with a number for each token. */
  #list(key: string, length: number): Float64Array | undefined {
    const list = this.#metadata.numbers(key);
    if (list !== undefined && list.length !== length)
      this.#refuse(
        `${key} has ${list.length} numbers for ${length} tokens. The file is damaged; download it again.`,
      );
    return list;
  }

  /** A special token by its key; null where there is none. @throws GgufError for an id without a token. */
  #special(name: string, otherwise: number | null = null): number | null {
    const key = `tokenizer.ggml.${name}_token_id`;
    const id = this.#metadata.number(key) ?? otherwise;
    // Some converters write −1 for none, which is 2^32 − 1 in the file.
    if (id === null || id === 2 ** 32 - 1 || id === -1) return null;
    if (this.#vocabulary.tokens[id] !== undefined) return id;
    return this.#refuse(
      `${key} is ${id}; an id from 0 to ${this.#vocabulary.tokens.length - 1} is needed. The file is damaged; download it again.`,
    );
  }

  #isOfType(id: number, ...types: readonly number[]): boolean {
    return types.includes(this.#vocabulary.types[id] ?? TYPES.normal);
  }

  /** True for a row of the embedding without a token. */
  #isEmpty(token: string, id: number): boolean {
    return token === '' || (this.#isOfType(id, TYPES.unused) && PADDING.test(token));
  }

  texts(): TokenizerTexts {
    const parts = this.#model === 'gpt2' ? this.#byteLevel() : this.#sentencePiece();
    const isSentencePiece = this.#model === 'llama';
    const bos = this.#special('bos', isSentencePiece ? 1 : null);
    const eos = this.#special('eos', isSentencePiece ? 2 : null);
    const addsBos = this.#metadata.flag('tokenizer.ggml.add_bos_token') ?? parts.addsBos;
    const addsEos = this.#metadata.flag('tokenizer.ggml.add_eos_token') ?? false;
    const around = [addsBos ? bos : null, addsEos ? eos : null] as const;
    return {
      tokenizerJson: {
        version: '1.0',
        truncation: null,
        padding: null,
        added_tokens: this.#addedTokens(),
        normalizer: parts.normalizer,
        pre_tokenizer: parts.preTokenizer,
        post_processor: this.#postProcessor(...around),
        decoder: parts.decoder,
        model: parts.model,
      },
      tokenizerConfig: this.#config(bos, eos, addsBos, addsEos),
      generationConfig: {
        bos_token_id: bos,
        eos_token_id: this.#ends(eos),
        pad_token_id: this.#special('padding'),
      },
    };
  }

  #config(bos: number | null, eos: number | null, addsBos: boolean, addsEos: boolean): object {
    const special: readonly (readonly [string, number | null])[] = [
      ['bos_token', bos],
      ['eos_token', eos],
      ['pad_token', this.#special('padding')],
      ['unk_token', this.#special('unknown', this.#model === 'llama' ? 0 : null)],
    ];
    const template = this.#metadata.text('tokenizer.chat_template');
    return {
      tokenizer_class: 'PreTrainedTokenizerFast',
      clean_up_tokenization_spaces: false,
      add_bos_token: addsBos,
      add_eos_token: addsEos,
      ...Object.fromEntries(
        special.flatMap(([name, id]) => (id === null ? [] : [[name, this.#vocabulary.tokens[id]]])),
      ),
      ...(template === undefined ? {} : { chat_template: template }),
    };
  }

  /** Tokens that end an answer: those that the file names, then those known by their text. */
  #ends(eos: number | null): number[] {
    const named = [eos, this.#special('eot'), this.#special('eom')];
    const known = ENDS.map((token) => this.#vocabulary.tokens.indexOf(token)).filter(
      (id) => id >= 0 && this.#isOfType(id, TYPES.control),
    );
    return [...new Set([...named.filter((id) => id !== null), ...known])];
  }

  #addedTokens(): object[] {
    return [...this.#vocabulary.tokens.entries()].flatMap(([id, content]) => {
      if (content === '' || !this.#isOfType(id, TYPES.control, TYPES.userDefined, TYPES.unknown)) return [];
      const special = !this.#isOfType(id, TYPES.userDefined);
      return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special };
    });
  }

  #postProcessor(first: number | null, last: number | null): object | null {
    const named = [first, last].filter((id) => id !== null);
    if (named.length === 0) return null;
    const token = (id: number | null): object[] =>
      id === null ? [] : [{ SpecialToken: { id: this.#vocabulary.tokens[id], type_id: 0 } }];
    const around = (sequence: string): object[] => [
      ...token(first),
      { Sequence: { id: sequence, type_id: 0 } },
      ...token(last),
    ];
    return {
      type: 'TemplateProcessing',
      single: around('A'),
      pair: [...around('A'), ...around('B')],
      special_tokens: Object.fromEntries(
        named.map((id) => {
          const content = this.#vocabulary.tokens[id] ?? '';
          return [content, { id: content, ids: [id], tokens: [content] }];
        }),
      ),
    };
  }

  #vocab(): Readonly<Record<string, number>> {
    const entries = [...this.#vocabulary.tokens.entries()].filter(([id, token]) => !this.#isEmpty(token, id));
    return Object.fromEntries(entries.map(([id, token]) => [token, id]));
  }

  #byteLevel(): Parts {
    const pre = this.#metadata.text('tokenizer.ggml.pre');
    const cutting = pre !== undefined && Object.hasOwn(CUTTINGS, pre) ? CUTTINGS[pre] : undefined;
    if (cutting === undefined)
      this.#refuse(
        `tokenizer.ggml.pre is ${pre === undefined ? 'missing' : `"${pre.slice(0, 60)}"`}, so how the model cuts texts is not known; known are ${Object.keys(CUTTINGS).join(', ')}. Convert the model again with llama.cpp’s convert_hf_to_gguf.py, or choose another.`,
      );
    const merges = this.#metadata.texts('tokenizer.ggml.merges');
    if (merges === undefined)
      this.#refuse('tokenizer.ggml.merges is missing, which byte-level BPE needs. Choose another file.');
    return {
      normalizer: cutting.normalizer,
      preTokenizer: cutting.preTokenizer,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: cutting.ignoresMerges,
        vocab: this.#vocab(),
        merges,
      },
      addsBos: cutting.addsBos,
    };
  }

  #sentencePiece(): Parts {
    const { tokens } = this.#vocabulary;
    const scores = this.#list('tokenizer.ggml.scores', tokens.length);
    if (scores === undefined)
      this.#refuse('tokenizer.ggml.scores is missing, which SentencePiece’s BPE needs. Choose another file.');
    const mergeable = new Map<string, number>();
    for (const [id, token] of tokens.entries())
      if (this.#isOfType(id, TYPES.normal, TYPES.unused) && !this.#isEmpty(token, id))
        mergeable.set(token, scores[id] ?? 0);
    const prefixed = this.#metadata.flag('tokenizer.ggml.add_space_prefix') ?? true;
    const unknown = this.#special('unknown', 0);
    const marks = { type: 'Replace', pattern: { String: ' ' }, content: MARK };
    return {
      normalizer: prefixed
        ? { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: MARK }, marks] }
        : marks,
      preTokenizer: null,
      decoder: {
        type: 'Sequence',
        decoders: [
          { type: 'Replace', pattern: { String: MARK }, content: ' ' },
          { type: 'ByteFallback' },
          { type: 'Fuse' },
          ...(prefixed ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
        ],
      },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: unknown === null ? null : tokens[unknown],
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: true,
        byte_fallback: true,
        ignore_merges: false,
        vocab: this.#vocab(),
        merges: mergesOf(mergeable),
      },
      addsBos: true,
    };
  }
}
