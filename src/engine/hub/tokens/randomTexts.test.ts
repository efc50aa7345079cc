/** Random texts of many scripts, held against the checksums of what `tokenizers` 0.23.2 makes of them (`lab/tokenizer_texts.py`). */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { readJson } from '../../testing/huggingFaceFolders.ts';
import REFERENCE from '../../testing/tokenizerTexts.json' with { type: 'json' };
import { crc32 } from '../crc32.ts';
import { Pipeline } from './pipeline.ts';

function checksumsOf(pipeline: Pipeline): number[] {
  const lines = REFERENCE.texts.map((text) => {
    const ids = pipeline.encode(text);
    return `${ids.join(',')}|${pipeline.decode(ids, true)}\n`;
  });
  const starts = lines.map((_, i) => i).filter((i) => i % REFERENCE.group === 0);
  return starts.map((i) => crc32(new TextEncoder().encode(lines.slice(i, i + REFERENCE.group).join(''))));
}

describeShared('random texts', 'refdata', (root) => {
  it.each(Object.entries(REFERENCE.expected))('%s', (folder, expected) => {
    const json = readJson(join(root, folder, 'tokenizer.json'));
    expect(checksumsOf(new Pipeline(json))).toEqual(expected);
  });
});
