/** Every program of the command line says what it does, and refuses what it does not know in one line. */
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BadInput } from '@rl-playground/base/errors';
import { command, program, seedRange, simpleProgram, taskList, wholeNumber } from './program.ts';
import rlPlayground, { PROGRAMS } from './rlPlayground.ts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { repository } from './tools.ts';

let [out, errors] = ['', ''];
beforeEach(() => {
  [out, errors] = ['', ''];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void (out += `${text}\n`));
  vi.spyOn(console, 'error').mockImplementation((text: string) => void (errors += `${text}\n`));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe.each(Object.entries(PROGRAMS))('%s', (name, { load }) => {
  const run = async (...words: readonly string[]): Promise<number> => (await load()).default(words);

  test('says what it does, its options, and an example', async () => {
    expect(await run('--help')).toBe(0);
    expect(errors).toBe('');
    const typed = `npx rl-playground ${name}`;
    expect(out).toMatch(
      new RegExp(`^Usage: ${typed} .*\n\n[A-Z][^]*\\.\n[^]*\nOptions:\n[^]*\nExample:\n {2}${typed}`),
    );
  });

  test('refuses what it does not know in one line', async () => {
    expect(await run('--no-such-option')).toBe(2);
    expect(out).toBe('');
    expect(errors).toMatch(/^error: unknown option '--no-such-option'.*\n$/);
  });
});

test('the command line lists its programs, and names them to who asks for another', async () => {
  expect(await rlPlayground(['--help'])).toBe(0);
  for (const name of Object.keys(PROGRAMS)) expect(out).toMatch(new RegExp(`^ {2}${name} +[a-z]`, 'm'));
  expect(await rlPlayground(['nothing'])).toBe(2);
  expect(errors).toBe(`There is no program nothing; there are ${Object.keys(PROGRAMS).join(', ')}.\n`);
});

// Each process bundles the example again; what it prints is tested in minimalLoop.test.ts, and grade.test.ts has a program start as npm starts it.
describe.runIf(everyProof)('the example as a process', () => {
  const run = (word: string) =>
    spawnSync(process.execPath, ['src/cli/run.mjs', 'examples/inNode', word], {
      cwd: repository,
      encoding: 'utf8',
    });

  test('explains itself', () => {
    expect(run('--help')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Usage: node src\/cli\/run\.mjs examples\/inNode/) as string,
    });
  });

  test('refuses what it does not know in one line', () => {
    expect(run('--no-such-option')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Unknown option '--no-such-option'.*\n$/) as string,
    });
  });
});

describe('a program', () => {
  const line = () =>
    command('npm run a --', 'Does it.', '--many 3').option('--many <n>', 'how many', wholeNumber(1, 9), 2);

  test('ends with what it returns, or 0', async () => {
    expect(await simpleProgram<{ many: number }>(line, ({ many }) => many)([])).toBe(2);
    expect(await simpleProgram(line, () => {})(['--many', '3'])).toBe(0);
  });

  test('says of a bad value what is needed', async () => {
    expect(await simpleProgram(line, () => {})(['--many', '2.5'])).toBe(2);
    expect(errors).toBe(
      "error: option '--many <n>' argument '2.5' is invalid. It must be a whole number from 1 to 9.\n",
    );
  });

  test('ends with 2 where the input is bad, with 1 where it fails: by the message, and with DEBUG the stack', async () => {
    const failing = (error: Error) =>
      program(
        () => ({}),
        () => Promise.reject(error),
      )([]);
    expect(await failing(new BadInput('No such file.'))).toBe(2);
    expect(await failing(new Error('The page crashed.'))).toBe(1);
    expect(errors).toBe('No such file.\nThe page crashed.\n');
    vi.stubEnv('DEBUG', '1');
    expect(await failing(new Error('Again.'))).toBe(1);
    expect(errors).toMatch(/Error: Again\.\n +at /);
  });

  test('reads seeds and tasks', () => {
    expect(seedRange('3')).toEqual([3]);
    expect(seedRange('0-4')).toEqual([0, 1, 2, 3, 4]);
    expect(seedRange('7,0-2,40,1-3')).toEqual([7, 0, 1, 2, 40, 3]);
    for (const text of ['', '4-1', '1-', 'a', '4294967296'])
      expect(() => seedRange(text)).toThrow(/such as 0-4/);
    expect(taskList('gcd,game_of_24')).toEqual(['gcd', 'puzzle24']);
    expect(() => taskList('gcd,gdc')).toThrow(/gdc/);
  });
});
