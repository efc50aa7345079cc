import { describe, expect, it } from 'vitest';
import { openBytes } from '../../hub/openFiles.ts';
import { newestModelFolder, rolloutsUpTo } from './openedDirectory.ts';

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
  });
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
});
