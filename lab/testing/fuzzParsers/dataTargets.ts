/** Rows: JSONL, JSON, CSV and parquet, and rows of a warm-up. */
import { pick, uniformInt } from '@rl-playground/base/random';
import { DatasetError, rowsOfSource, sourceOfFiles } from '@rl-playground/bridges/dataset';
import { openBytes } from '@rl-playground/engine/parts';
import { readSftRows, SftRowsError } from '@rl-playground/run/sft';
import { hostileText } from '@rl-playground/base/testing/hostileText';
import {
  OTHER_PARQUET,
  TEST_PARQUET,
  TRAIN_PARQUET,
  VERL_PARQUET,
  VERL_PARQUET_2,
  ZSTD_PARQUET,
} from '@rl-playground/bridges/testing/parquetFiles';
import type { ParserTarget } from './harness.ts';
import { count, mutatedBytes, mutatedJson, mutatedText, type Draw } from './mutate.ts';

const ROW = { question: 'How many?', answer: '3', hint: 'Count.' };
const LESSON = {
  messages: [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
  ],
};
const utf8 = new TextEncoder();

/** Lines of JSON: all alike, each with names of its own, or changed. */
function jsonl(draw: Draw): string {
  const kind = draw();
  const lines = count(draw, 3000);
  if (kind < 0.2)
    return Array.from({ length: lines }, (_, i) => `{"k${i % uniformInt(draw, 1, 2000)}":${i}}`).join('\n');
  if (kind < 0.3)
    return `[${Array.from({ length: lines }, () => JSON.stringify(ROW)).join(',')}${pick(draw, [']', '', ',]'])}`;
  const rows = Array.from({ length: Math.min(lines, 20) }, () =>
    draw() < 0.5 ? JSON.stringify(ROW) : mutatedJson(draw, ROW).slice(0, 100_000),
  );
  return mutatedText(draw, rows.join(pick(draw, ['\n', '\r\n', '\r', '\n\n', ' '])));
}

/** Tables with quotes that never close, rows of other lengths, many columns. */
function csv(draw: Draw): string {
  const delimiter = pick(draw, [',', '\t', ';', '|']);
  const columns = ['question', 'answer', ...Array.from({ length: count(draw, 1200) - 1 }, (_, i) => `c${i}`)];
  const cell = (): string =>
    draw() < 0.7
      ? 'x'
      : pick(draw, [
          '"a"',
          '"',
          '""',
          '"a',
          'a"b',
          '"a""b"',
          '"a\nb"',
          '',
          `"${'"'.repeat(count(draw, 500))}`,
          hostileText(draw, 'x').slice(0, 200),
        ]);
  const row = (): string => columns.map(cell).join(delimiter);
  const lines = Array.from({ length: Math.min(count(draw, 400), Math.ceil(20_000 / columns.length)) }, row);
  const text = [columns.join(delimiter), ...lines].join(pick(draw, ['\n', '\r\n', '\r']));
  return draw() < 0.3 ? mutatedText(draw, text) : text;
}

const HUGE_NUMBERS = [
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xfe, 0xff, 0xff, 0xff, 0x07],
  [0x80, 0x80, 0x80, 0x80, 0x08],
  [0xff, 0x7f],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
];

/** Parquet, in whose numbers of variable length lie counts and lengths. */
function parquet(draw: Draw): Uint8Array {
  const bytes = pick(draw, [
    TRAIN_PARQUET,
    TEST_PARQUET,
    OTHER_PARQUET,
    ZSTD_PARQUET,
    VERL_PARQUET,
    VERL_PARQUET_2,
  ]).slice();
  if (draw() < 0.4) return mutatedBytes(draw, bytes);
  for (let lies = uniformInt(draw, 1, 3); lies > 0; lies--) {
    const number = pick(draw, HUGE_NUMBERS);
    bytes.set(number, uniformInt(draw, 4, bytes.length - 8 - number.length));
  }
  return bytes;
}

async function readRowsOf(name: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await rowsOfSource(sourceOfFiles([{ name, file: openBytes(bytes) }]));
    return true;
  } catch (error) {
    if (error instanceof DatasetError) return false;
    throw error;
  }
}

export function dataTargets(): readonly ParserTarget[] {
  return [
    {
      name: 'JSONL',
      share: 40,
      make: jsonl,
      read: (text: string) => readRowsOf('a.jsonl', utf8.encode(text)),
    },
    { name: 'CSV', share: 15, make: csv, read: (text: string) => readRowsOf('a.csv', utf8.encode(text)) },
    {
      name: 'parquet',
      share: 200,
      make: parquet,
      read: (bytes: Uint8Array) => readRowsOf('a.parquet', bytes),
    },
    {
      name: 'warm-up',
      share: 20,
      make: (draw) =>
        draw() < 0.5 ? jsonl(draw) : Array.from({ length: 5 }, () => mutatedJson(draw, LESSON)).join('\n'),
      read(text: string) {
        try {
          return readSftRows(text, 'rows').length > 0;
        } catch (error) {
          if (error instanceof SftRowsError) return false;
          throw error;
        }
      },
    },
  ];
}
