import { describe, expect, it } from 'vitest';
import { defaultConfig, SETTINGS_VERSION, versionNote } from '@rl-playground/run/settings';
import { readAddress, writeAddress } from './address.ts';

describe('the address', () => {
  it('keeps the forced backend, the limits of its device and only what differs from the defaults', () => {
    const config = { ...defaultConfig('reverse_digits'), seed: 7 };
    const search = writeAddress(
      config,
      '?hide=runs&limits=default&gpuBytes=6000000000&backend=wasm&deadline=2&keep=off&seed=1&lock=seed',
    );
    expect(search).toBe(
      `?backend=wasm&limits=default&gpuBytes=6000000000&deadline=2&keep=off&lock=seed&hide=runs&v=${SETTINGS_VERSION}&task=reverse_digits&seed=7`,
    );
    const deadline = { first: 18_000, least: 2000, rounds: 20 };
    expect(readAddress(search)).toEqual({
      config,
      backend: 'wasm',
      limits: 'default',
      gpuBytes: 6e9,
      deadline,
      keepRuns: false,
      beginsWithPreflight: true,
      classroom: { locked: new Set(['seed']), hidden: new Set(['runs']) },
      place: 'train',
      notices: [],
    });
  });

  it('is empty for what the page opens with, and opens with it where it says no settings', () => {
    const first = defaultConfig('reverse_digits');
    expect(writeAddress(first, '')).toBe('');
    expect(readAddress('').config).toEqual(first);
    expect(writeAddress(first, '?backend=wasm')).toBe('?backend=wasm');
    expect(readAddress('?backend=wasm&keep=off').config).toEqual(first);
  });

  it('that names no task is one of sum_digits, as every link was that was written before', () => {
    expect(readAddress(`?v=${SETTINGS_VERSION}`).config).toEqual(defaultConfig('sum_digits'));
    expect(readAddress(`?v=${SETTINGS_VERSION}&seed=4`).config).toEqual({
      ...defaultConfig('sum_digits'),
      seed: 4,
    });
    expect(readAddress('?seed=4').config.task).toBe('sum_digits');
    const written = writeAddress(defaultConfig('sum_digits'), '');
    expect(written).toBe(`?v=${SETTINGS_VERSION}&task=sum_digits`);
    expect(readAddress(written).config).toEqual(defaultConfig('sum_digits'));
  });

  it('says where the link is of another version, and uses its settings', () => {
    const { config, notices } = readAddress('?v=4&task=reverse_digits&seed=7');
    expect(config).toEqual({ ...defaultConfig('reverse_digits'), seed: 7 });
    expect(notices).toEqual([
      {
        id: 'link-version',
        kind: 'info',
        title: 'The link was made by another version of this page',
        text: versionNote('The link', 4),
      },
    ]);
    expect(readAddress('?task=reverse_digits&seed=7').notices).toEqual([]);
  });

  it('names what it refuses and goes on with the defaults', () => {
    const { config, backend, keepRuns, notices } = readAddress(
      `?v=${SETTINGS_VERSION}&task=cook&numGenerators=1000000&backend=tpu&limits=all&gpuBytes=6GB&deadline=soon`,
    );
    expect(config).toEqual(defaultConfig('sum_digits'));
    expect([backend, keepRuns]).toEqual([null, true]);
    expect(notices).toHaveLength(1);
    expect(notices[0]?.text).toContain('cook');
    expect(notices[0]?.text).toContain('1000000');
    expect(notices[0]?.text).toContain('"tpu" does not exist; choose one of: webgpu, wasm.');
    expect(notices[0]?.text).toContain('"all" does not exist; choose one of: adapter, default.');
    expect(notices[0]?.text).toContain('"6GB" is not a whole number of bytes above 0.');
    expect(notices[0]?.text).toContain('"soon" is not a number of seconds above 0.');
  });
});
