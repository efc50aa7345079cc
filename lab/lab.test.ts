import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import lab, { PROGRAMS } from './lab.ts';

let [out, errors] = ['', ''];
beforeEach(() => {
  [out, errors] = ['', ''];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void (out += `${text}\n`));
  vi.spyOn(console, 'error').mockImplementation((text: string) => void (errors += `${text}\n`));
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('the lab lists its programs, and names them to who asks for another', async () => {
  expect(await lab([])).toBe(0);
  for (const name of Object.keys(PROGRAMS)) expect(out).toMatch(new RegExp(`^ {2}${name} +[a-z]`, 'm'));
  expect(await lab(['nothing'])).toBe(2);
  expect(errors).toBe(`There is no program nothing; there are ${Object.keys(PROGRAMS).join(', ')}.\n`);
});

test.each(Object.keys(PROGRAMS))(
  '%s says what it does, its options, and an example, and refuses what it does not know',
  async (name) => {
    expect(await lab([name, '--help'])).toBe(0);
    const typed = `npm run (?:--silent )?lab -- ${name}`;
    expect(out).toMatch(
      new RegExp(`^Usage: ${typed} .*\n\n[A-Z][^]*\\.\n[^]*\nOptions:\n[^]*\nExample:\n {2}${typed}`),
    );
    expect(await lab([name, '--no-such-option'])).toBe(2);
    expect(errors).toMatch(/^error: unknown option '--no-such-option'/);
  },
);
