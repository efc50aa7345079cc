/** Ids, texts and conversations, held against Hugging Face's own libraries on tokenizers of six styles. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { messageOf } from '@rl-playground/base/errors';
import { expectedFolders, expectedText, readJson } from '../testing/huggingFaceFolders.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { createTextCodec } from './tokenizer.ts';
import type { TextCodec } from './types.ts';

function codecIn(folder: string): TextCodec {
  const template = join(folder, 'chat_template.jinja');
  return createTextCodec({
    tokenizerJson: readJson(join(folder, 'tokenizer.json')),
    tokenizerConfig: readJson(join(folder, 'tokenizer_config.json')),
    chatTemplate: existsSync(template) ? readFileSync(template, 'utf8') : null,
  });
}

function inFolders(root: string): void {
  describe.each(expectedFolders(root))('$name', ({ path }) => {
    const codec = codecIn(path);
    const { encode, decode, chat = [] } = expectedText(path);

    it('encodes, and decodes that', () => {
      const found = encode.map(({ text, ids }) => ({
        text,
        ids: codec.encode(text),
        decoded: codec.decode(ids),
      }));
      expect(found).toEqual(encode.map(({ text, ids, decoded = text }) => ({ text, ids, decoded })));
    });

    it('decodes any tokens', () => {
      const found = decode.map(({ ids }) => ({ ids, text: codec.decode(ids) }));
      expect(found).toEqual(decode.map(({ ids, text }) => ({ ids, text })));
    });

    it.runIf(chat.length > 0)('renders conversations', () => {
      const found = chat.map(({ messages, add_generation_prompt: addGenerationPrompt, enable_thinking }) => {
        const thinking = enable_thinking === undefined ? {} : { enableThinking: enable_thinking };
        try {
          const text = codec.renderChat(messages, { addGenerationPrompt, ...thinking });
          return { text, ids: codec.encode(text) };
        } catch (error) {
          return { error: messageOf(error).replace(/^.*: /, '') };
        }
      });
      expect(found).toEqual(
        chat.map(({ text, ids, error }) => (error === undefined ? { text, ids } : { error })),
      );
    });
  });
}

describeShared('tokenizers with a model', 'refdata/hf', inFolders);
describeShared('wide tokenizers', 'refdata/hf/tokenizers', inFolders);
