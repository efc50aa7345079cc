/** Tokenizers with the options that other libraries got wrong, held against `tokenizers` 0.23.2. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { readJson } from '../../testing/huggingFaceFolders.ts';
import { createTextCodec } from '../tokenizer.ts';
import type { TextCodec } from '../types.ts';

interface Row {
  readonly op: 'encode' | 'decode';
  readonly text?: string;
  readonly ids?: readonly number[];
}

const rowsIn = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

function codecIn(folder: string): TextCodec {
  return createTextCodec({
    tokenizerJson: readJson(join(folder, 'tokenizer.json')),
    tokenizerConfig: readJson(join(folder, 'tokenizer_config.json')),
  });
}

describeShared('tokenizers of reports', 'refdata/reports/tokenizers', (root) => {
  describe.each(readdirSync(root))('%s', (name) => {
    const folder = join(root, name);

    it('gives the ids and texts of the reference', () => {
      const codec = codecIn(folder);
      const found = rowsIn<Row>(join(folder, 'rows.jsonl')).map(({ op, text = '', ids = [] }) =>
        op === 'encode' ? { ids: codec.encode(text) } : { text: codec.decode(ids) },
      );
      expect(found).toEqual(rowsIn(join(folder, 'expected.jsonl')));
    });
  });
});
