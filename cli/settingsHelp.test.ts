import { expect, test } from 'vitest';
import { FIELD_KEYS } from '../src/config/schema.ts';
import { snakeName, ALIASES } from '../src/config/names.ts';
import { settingsHelp } from './settingsHelp.ts';

test('names every setting by each of its names, with what it may be', () => {
  const lines = settingsHelp().split('\n');
  expect(lines.map((line) => /^ {2}(\w+)/.exec(line)?.[1])).toEqual(FIELD_KEYS.map(snakeName));
  for (const [alias, { key }] of Object.entries(ALIASES)) {
    const line = lines.find((each) => each.startsWith(`  ${snakeName(key)}`)) ?? '';
    expect(/\((.*?)\)/.exec(line)?.[1]?.split(', ')).toContain(alias);
  }
  expect(lines).toContain('  seed: Seed [whole, 0 to 4294967295]');
  expect(lines).toContain('  kl_beta (klBeta, beta): KL in the loss β [0 to 10]');
  expect(lines).toContain('  schedule: Schedule [sync, stream, async]');
  expect(lines).toContain('  compute_post_kl (computePostKl): Measure KL of the update [true, false]');
  expect(lines).toContain('  mixture: Mixture [as in []]');
});
