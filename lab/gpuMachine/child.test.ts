import { expect, test } from 'vitest';
import { runChild } from './child.ts';

const NEVER = new AbortController().signal;
/** A process that stays until it is killed. */
const STAYS = 'setInterval(() => {}, 1e6)';

test('every line of its output is heard', async () => {
  const lines: string[] = [];
  const program = 'console.log("a\\nb"); process.stdout.write("last")';
  await runChild(['-e', program], { signal: NEVER, onLine: (line) => lines.push(line) });
  expect(lines).toEqual(['a', 'b', 'last']);
});

test('one that fails by itself is reported with its last words', async () => {
  const program = 'console.error("no adapter"); process.exitCode = 3';
  const ended = runChild(['-e', program], { signal: NEVER, onLine: () => {} });
  await expect(ended).rejects.toThrow(/ended with 3: no adapter$/);
});

test.skipIf(process.platform !== 'linux')(
  'one that does not listen is ended by force, with what it has started',
  async () => {
    const over = new AbortController();
    // The second process holds the output open, so the first one’s end alone would not be seen as the end.
    const program = `
      process.on('SIGTERM', () => {});
      const options = { detached: true, stdio: ['ignore', 'inherit', 'ignore'] };
      require('node:child_process').spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); console.log(1); ${STAYS}"], options);
      ${STAYS}`;
    const onLine = (): void => over.abort();
    await expect(
      runChild(['-e', program], { signal: over.signal, onLine, grace: 1 }),
    ).resolves.toBeUndefined();
  },
);

test('whoever comes too late starts nothing', async () => {
  await expect(
    runChild(['-e', 'process.exit(3)'], { signal: AbortSignal.abort(), onLine: () => {} }),
  ).resolves.toBeUndefined();
});
