import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '@rl-playground/base/conversation';
import { tinyTokenizerConfig, tinyTokenizerJson } from '../testing/modelFolder.ts';
import {
  BYTE_LEVEL_TOKENS,
  byteLevelTokenizer,
  SENTENCE_PIECE_TOKENS,
  sentencePieceTokenizer,
} from '../testing/smallTokenizers.ts';
import { createTokenizer, type TokenizerFiles } from './tokenizer.ts';
import { createRenderer, recommendedRenderer, type Renderer, type RendererName } from './renderers.ts';

function rendererOf(name: RendererName | 'auto', files: TokenizerFiles, stops?: readonly number[]): Renderer {
  const tokenizer = createTokenizer(files);
  return createRenderer(name, { tokenizer, stopTokenIds: stops ?? [tokenizer.eosTokenId] });
}

/** Ids of tokens written with a space between them, as their vocabulary writes them. */
const idsIn =
  (vocabulary: readonly string[]) =>
  (tokens: string): number[] =>
    tokens.split(/\s+/u).map((token) => {
      const id = vocabulary.indexOf(token);
      if (id < 0) throw new Error(`${token} is not in the vocabulary.`);
      return id;
    });
const ids = idsIn(BYTE_LEVEL_TOKENS);
const pieces = idsIn(SENTENCE_PIECE_TOKENS);

const FEW_SHOT: readonly ChatMessage[] = [
  { role: 'user', content: '1+1' },
  { role: 'assistant', content: '\\boxed{2}' },
  { role: 'user', content: '4 + 5' },
];

describe('role_colon prompts', () => {
  const base = byteLevelTokenizer({ template: false });

  test('a few-shot prefix: start token, paragraphs, the header of the answer', () => {
    expect(rendererOf('role_colon', base).promptIds(FEW_SHOT)).toEqual(
      ids(
        '<|endoftext|> User : Ġ 1 + 1 ĊĊ Assistant : Ġ \\ b o x e d { 2 } ĊĊ User : Ġ 4 Ġ +Ġ 5 ĊĊ Assistant :',
      ),
    );
  });

  test('header and content are tokenized apart, though in one text the colon would take the space', () => {
    const tokenizer = createTokenizer(base);
    expect(tokenizer.encode('User: 1')).toEqual(ids('User :Ġ 1'));
    expect(rendererOf('role_colon', base).promptIds([{ role: 'user', content: '1' }])).toEqual(
      ids('<|endoftext|> User : Ġ 1 ĊĊ Assistant :'),
    );
  });

  test('a system message is a paragraph too; without a start token there is none', () => {
    const renderer = rendererOf('role_colon', byteLevelTokenizer({ template: false, bos: false }));
    expect(
      renderer.promptIds([
        { role: 'system', content: '0' },
        { role: 'user', content: '' },
      ]),
    ).toEqual(ids('S y s t e m : Ġ 0 ĊĊ User : Ġ ĊĊ Assistant :'));
  });

  test('SentencePiece: line feeds are byte tokens, and each text begins with a space of its own', () => {
    expect(rendererOf('role_colon', sentencePieceTokenizer()).promptIds(FEW_SHOT.slice(0, 1))).toEqual(
      pieces('<s> ▁User : ▁ ▁1 + 1 <0x0A> <0x0A> ▁As s i s t a n t :'),
    );
  });
});

describe('role_colon answers', () => {
  const renderer = rendererOf('role_colon', byteLevelTokenizer({ template: false }));
  const read = (tokens: string, stopReason: 'eos' | 'stop' | 'max_tokens') =>
    renderer.textOf(ids(tokens), stopReason);

  test('stop at the next turn of the user', () => {
    expect(renderer.stopStrings).toEqual(['\n\nUser:']);
  });

  test('one delimiter is a proper end; it and the space before the answer are no part of the text', () => {
    expect(read('Ġ 4 2 ĊĊ User :', 'stop')).toEqual({ text: '42', stopReason: 'stop' });
    expect(read('Ġ 4 2 Ċ Ċ Us e r :', 'stop')).toEqual({ text: '42', stopReason: 'stop' });
    expect(read('ĊĊ User :', 'stop')).toEqual({ text: '', stopReason: 'stop' });
    expect(read('4 Ġ 2 Ċ ĊĊ User :', 'stop')).toEqual({ text: '4 2', stopReason: 'stop' });
  });

  test('what the last token holds behind the delimiter is left out', () => {
    expect(read('Ġ 4 2 ĊĊ User :Ġ', 'stop')).toEqual({ text: '42', stopReason: 'stop' });
    expect(read('Ġ 4 2 ĊĊ User : Ġ 1 + 1', 'stop')).toEqual({ text: '42', stopReason: 'stop' });
  });

  test('an end token without a delimiter is a clean end, but not a proper one', () => {
    expect(read('Ġ 4 2 <|im_end|>', 'eos')).toEqual({ text: '42', stopReason: 'eos' });
    expect(read('Ġ 4 2 ĊĊ User <|im_end|>', 'eos')).toEqual({ text: '42\n\nUser', stopReason: 'eos' });
    expect(read('<|im_end|>', 'eos')).toEqual({ text: '', stopReason: 'eos' });
  });

  test('no end at all, a delimiter and an end token, and two delimiters are malformed', () => {
    expect(read('Ġ 4 2', 'max_tokens')).toEqual({ text: '42', stopReason: 'max_tokens' });
    expect(read('Ġ 4 2 ĊĊ User : <|im_end|>', 'eos')).toEqual({ text: '42', stopReason: 'max_tokens' });
    expect(read('Ġ 4 ĊĊ User : Ġ 2 ĊĊ User :', 'stop')).toEqual({ text: '4', stopReason: 'max_tokens' });
    expect(renderer.textOf([], 'max_tokens')).toEqual({ text: '', stopReason: 'max_tokens' });
  });

  test('a failed generator stays one', () => {
    expect(renderer.textOf([], 'error')).toEqual({ text: '', stopReason: 'error' });
  });

  test('characters that span tokens are put together; a torn one is U+FFFD', () => {
    expect(read('Ã © ãĢ Ĥ ĊĊ User :', 'stop').text).toBe('é。');
    expect(read('4 ãĢ ĊĊ User :', 'stop').text).toBe('4\ufffd');
  });

  test('an answer to learn from is written as in a prompt, and read back as a proper end', () => {
    expect(renderer.answerIds('4 2')).toEqual(ids('Ġ 4 Ġ 2 ĊĊ User :'));
    expect(renderer.textOf(renderer.answerIds('4 2'), 'stop')).toEqual({ text: '4 2', stopReason: 'stop' });
    const llama = rendererOf('role_colon', sentencePieceTokenizer());
    expect(llama.answerIds('42')).toEqual(pieces('▁ ▁4 2 <0x0A> <0x0A> U s e r :'));
    expect(llama.textOf(llama.answerIds('42'), 'stop')).toEqual({ text: '42', stopReason: 'stop' });
  });

  test('SentencePiece: byte tokens make the delimiter', () => {
    const answer = pieces('▁4 2 <0x0A> <0x0A> U s e r :');
    const spaced = pieces('▁4 2 <0x0A> <0x0A> ▁User :');
    const llama = rendererOf('role_colon', sentencePieceTokenizer());
    expect(llama.textOf(answer, 'stop')).toEqual({ text: '42', stopReason: 'stop' });
    expect(llama.textOf(spaced, 'max_tokens')).toEqual({ text: '42\n\n User:', stopReason: 'max_tokens' });
  });
});

describe('chat_template', () => {
  const IM_END = ids('<|im_end|>')[0] ?? -1;
  const END_OF_TEXT = ids('<|endoftext|>')[0] ?? -1;
  const renderer = rendererOf('chat_template', byteLevelTokenizer(), [IM_END, END_OF_TEXT]);

  test('a few-shot prefix, with the empty thoughts of a model that can do without', () => {
    expect(renderer.promptIds(FEW_SHOT)).toEqual(
      ids(
        '<|im_start|> u s e r Ċ 1 + 1 <|im_end|> Ċ' +
          ' <|im_start|> a s s i s t a n t Ċ \\ b o x e d { 2 } <|im_end|> Ċ' +
          ' <|im_start|> u s e r Ċ 4 Ġ +Ġ 5 <|im_end|> Ċ' +
          ' <|im_start|> a s s i s t a n t Ċ <think> ĊĊ </think> ĊĊ',
      ),
    );
  });

  test('the token that the template puts behind an answer ends it properly, another end of the sequence cleanly', () => {
    expect(renderer.stopStrings).toEqual([]);
    expect(renderer.textOf(ids('Ġ 4 2 <|im_end|>'), 'eos')).toEqual({ text: ' 42', stopReason: 'stop' });
    expect(renderer.textOf(ids('Ġ 4 2 <|endoftext|>'), 'eos')).toEqual({ text: ' 42', stopReason: 'eos' });
    expect(renderer.textOf(ids('4 2'), 'max_tokens')).toEqual({ text: '42', stopReason: 'max_tokens' });
    expect(renderer.textOf([], 'error')).toEqual({ text: '', stopReason: 'error' });
  });

  test('an answer to learn from ends with that token', () => {
    expect(renderer.answerIds('4 2')).toEqual(ids('4 Ġ 2 <|im_end|>'));
    expect(renderer.textOf(renderer.answerIds('4 2'), 'eos')).toEqual({ text: '4 2', stopReason: 'stop' });
  });

  test('a template that puts no stop token behind an answer lets any of them end it', () => {
    const tiny = rendererOf('chat_template', {
      tokenizerJson: tinyTokenizerJson,
      tokenizerConfig: tinyTokenizerConfig,
    });
    expect(tiny.textOf([7, 5, 1], 'eos')).toEqual({ text: '42', stopReason: 'stop' });
  });

  test('is refused where there is none, with what to choose', () => {
    expect(() => rendererOf('chat_template', byteLevelTokenizer({ template: false }))).toThrow(/role_colon/);
  });
});

test('the recommended renderer: the chat template where there is one', () => {
  expect(recommendedRenderer(createTokenizer(byteLevelTokenizer()))).toBe('chat_template');
  expect(rendererOf('auto', byteLevelTokenizer()).name).toBe('chat_template');
  expect(rendererOf('auto', byteLevelTokenizer({ template: false })).name).toBe('role_colon');
  expect(rendererOf('role_colon', byteLevelTokenizer()).name).toBe('role_colon');
});

describe('thoughts', () => {
  /** The digits, `<think>` and `</think>`, special or not, and the letters of `</`. */
  function thinker(special: boolean, template: string): Renderer {
    const words = ['<eos>', ...'0123456789\n', '<think>', '</think>'];
    const idOf = (word: string): number => words.indexOf(word);
    const tokenizerJson = {
      version: '1.0',
      added_tokens: [
        { id: 0, content: '<eos>', special: true, normalized: false },
        ...['<think>', '</think>'].map((content) => ({
          id: idOf(content),
          content,
          special,
          normalized: false,
        })),
      ],
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder: { type: 'Fuse' },
      model: { type: 'BPE', vocab: Object.fromEntries(words.map((word, id) => [word, id])), merges: [] },
    };
    const files = { tokenizerJson, tokenizerConfig: { eos_token: '<eos>', chat_template: template } };
    const tokenizer = createTokenizer(files);
    const thinking = template.includes('ON');
    return createRenderer('auto', { tokenizer, stopTokenIds: [0] }, { thinking, moment: 0 });
  }
  const [OPEN, CLOSE, FEED] = [12, 13, 11];
  const PLAIN = '{% for m in messages %}{{ m.content }}{% endfor %}{# ON #}';
  const BEGUN = '{% for m in messages %}{{ m.content }}{% endfor %}<think>\n{# ON #}';

  test.each([true, false])('are left out of what is scored, their tokens special or not: %s', (special) => {
    const renderer = thinker(special, PLAIN);
    expect(renderer.textOf([OPEN, FEED, 2, FEED, CLOSE, FEED, FEED, 3, 4, 0], 'eos').text).toBe('23');
    expect(renderer.textOf([3, 4, 0], 'eos').text).toBe('23');
    expect(renderer.textOf([OPEN, 3, 4], 'max_tokens').text).toBe('');
    expect(renderer.textOf([OPEN, 3, CLOSE, 4, CLOSE, 5], 'max_tokens').text).toBe('4');
  });

  test('that begin in the prompt are no answer until they end', () => {
    const renderer = thinker(false, BEGUN);
    expect(renderer.textOf([3, 4, 0], 'eos').text).toBe('');
    expect(renderer.textOf([3, CLOSE, FEED, 4, 0], 'eos').text).toBe('3');
  });

  test('a template that knows none leaves such words to the task', () => {
    const renderer = thinker(false, '{% for m in messages %}{{ m.content }}{% endfor %}');
    expect(renderer.textOf([OPEN, 3, CLOSE, 4, 0], 'eos').text).toBe('<think>2</think>3');
  });

  test('are asked for, or not, where the template can', () => {
    const template = '{{ 1 if enable_thinking else 0 }}{# ON #}';
    const files = byteLevelTokenizer({ template: true });
    const tokenizer = createTokenizer({ ...files, chatTemplate: template });
    const model = { tokenizer, stopTokenIds: [0] };
    for (const [thinking, text] of [
      [true, '1'],
      [false, '0'],
    ] as const)
      expect(tokenizer.decode(createRenderer('auto', model, { thinking, moment: 0 }).promptIds([]))).toBe(
        text,
      );
  });
});

describe('stop strings of the model', () => {
  test.each(['chat_template', 'role_colon'] as const)(
    'end an answer of %s, which has none of them',
    (name) => {
      const tokenizer = createTokenizer(byteLevelTokenizer({ template: true }));
      const renderer = createRenderer(name, {
        tokenizer,
        stopTokenIds: [tokenizer.eosTokenId],
        stopStrings: ['9', '+'],
      });
      expect(renderer.stopStrings).toEqual(expect.arrayContaining(['9', '+']));
      const read = renderer.textOf(tokenizer.encode('12+9'), 'stop');
      expect(read).toEqual({ text: '12', stopReason: name === 'role_colon' ? 'eos' : 'stop' });
    },
  );
});
