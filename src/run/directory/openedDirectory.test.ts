import { describe, expect, it, test } from 'vitest';
import { openBytes, filesInMemory, type OpenFile } from '@rl-playground/engine/parts';
import { tinyCheckpointParts } from '../testing/tinyCheckpoint.ts';
import { newestModelFolder, openedDirectory, rolloutsUpTo } from './openedDirectory.ts';

const file = (text: string) => openBytes(new TextEncoder().encode(text));

describe('a run directory', () => {
  it('is known by its log and a model, the newest of which is opened', () => {
    const whole = [
      'config.json',
      'metrics.jsonl',
      'checkpoint-2/trainer_state.json',
      'final_model/config.json',
    ];
    expect(newestModelFolder(whole)).toBe('final_model');
    const broken = ['metrics.jsonl', 'checkpoint-9/trainer_state.json', 'checkpoint-10/trainer_state.json'];
    expect(newestModelFolder(broken)).toBe('checkpoint-10');
    // A checkpoint has such a log, too, and a model folder has none.
    expect(newestModelFolder(['config.json', 'metrics.jsonl', 'trainer_state.json'])).toBeNull();
    expect(newestModelFolder(['config.json', 'final_model/config.json'])).toBeNull();
    // A folder that no run has written is none of its checkpoints.
    const foreign = ['checkpoint-007', `checkpoint-${'9'.repeat(400)}`].map(
      (name) => `${name}/trainer_state.json`,
    );
    expect(newestModelFolder(['metrics.jsonl', ...foreign])).toBeNull();
  });
});

test('a name and a note are taken from a directory that has them, and what can’t be read of them keeps nothing else away', async () => {
  const parts = await tinyCheckpointParts();
  const wordsOf = async (label: string | null) => {
    const bytes = label === null ? [] : ([['label.json', new TextEncoder().encode(label)]] as const);
    const { log } = await openedDirectory(filesInMemory('run', new Map(bytes)), 'final_model', () =>
      Promise.resolve(parts),
    );
    return log.words;
  };
  expect(await wordsOf('{"name":"ten times faster","note":"too fast?"}')).toEqual({
    name: 'ten times faster',
    note: 'too fast?',
  });
  expect(await wordsOf('{"name":"kind-crane-7"}')).toEqual({ name: 'kind-crane-7' });
  const unreadable = [
    null,
    '',
    '{"name":',
    '{"name":7}',
    '{"name":""}',
    '[]',
    `{"name":"${'x'.repeat(70_000)}"}`,
  ];
  for (const label of unreadable)
    expect({ label, words: await wordsOf(label) }).toEqual({ label, words: null });
});

describe('the answers of a run directory', () => {
  const lines = ['{"step":1,"a":"é"}', '{"step":1}', '{"step":3}', '{"step":4}'];
  const text = `${lines.join('\n')}\n`;

  it('are those up to the step of the model, in whole lines', async () => {
    const bytes = (count: number) => new TextEncoder().encode(`${lines.slice(0, count).join('\n')}\n`).length;
    expect(await rolloutsUpTo(file(text), 4)).toEqual({ steps: 3, bytes: bytes(4) });
    expect(await rolloutsUpTo(file(text), 3)).toEqual({ steps: 2, bytes: bytes(3) });
    expect(await rolloutsUpTo(file(text), 0)).toEqual({ steps: 0, bytes: 0 });
    // What a crash left of a last line is no line.
    expect(await rolloutsUpTo(file(`${text}{"step":5,"qu`), 9)).toEqual({ steps: 3, bytes: bytes(4) });
  });

  it('are read across the borders of what is read at a time', async () => {
    const long = `{"step":1,"text":"${'x'.repeat(5_000_000)}"}\n{"step":2}\n`;
    expect(await rolloutsUpTo(file(long), 2)).toEqual({ steps: 2, bytes: long.length });
  });

  it('are refused where a line names no step', async () => {
    await expect(rolloutsUpTo(file('{"step":1}\nnothing\n'), 2)).rejects.toThrow('the line at byte 11');
  });

  it('are refused where a line does not end, before it fills the memory', async () => {
    let given = 0;
    const endless: OpenFile = {
      size: 2 ** 40,
      read: (begin, end) => {
        given += end - begin;
        return Promise.resolve(new Uint8Array(end - begin).fill(120));
      },
    };
    await expect(rolloutsUpTo(endless, 2)).rejects.toThrow('the line at byte 0 has more than 16 MB');
    expect(given).toBeLessThan(32e6);
  });

  it('of a directory of 20,000 checkpoints are there in a moment', async () => {
    const parts = await tinyCheckpointParts();
    const names = Array.from({ length: 20_000 }, (_, i) => `checkpoint-${i}/trainer_state.json`);
    const files = filesInMemory('run', new Map(names.map((name) => [name, new Uint8Array()])));
    const trainerState = parts.trainerState && { ...parts.trainerState, step: 1e6 };
    const before = process.cpuUsage();
    const { log } = await openedDirectory(files, 'final_model', () =>
      Promise.resolve({ ...parts, trainerState }),
    );
    const { user } = process.cpuUsage(before);
    expect(log.checkpoints).toHaveLength(20_000);
    expect(user / 1e6).toBeLessThan(2);
  });
});
