/** Doc comments are read by themselves. A folder that is done has a ceiling of 0, and the others may not get worse. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../../src/cli/tools.ts';
import CEILINGS from './comments.json' with { type: 'json' };
import { hangingComments, hangingSentence } from './comments.ts';

function hangingIn(folder: string): string[] {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', folder];
  const names = execFileSync('git', words, { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 });
  return names
    .split('\0')
    .filter((name) => /\.(ts|tsx|mjs)$/.test(name))
    .flatMap((name) =>
      hangingComments(readFileSync(join(repository, name), 'utf8')).map(
        ({ line, sentence }) => `${name}:${line}: ${sentence}`,
      ),
    );
}

test.each(Object.entries(CEILINGS))('%s has at most %i comments that hang from a name', (folder, most) => {
  const found = hangingIn(folder);
  expect(found.length > most ? found : []).toEqual([]);
});

test.each([
  'Of the finding, at least 1.',
  'In bytes.',
  'For templates that ask.',
  'With the same draws, by generators of their own.',
  'As `mean`, but null of nothing.',
  'Where its bytes begin.',
  'When the run began, in ms.',
  'What the step costs, in order.',
  'Whether the device is lost.',
  'How many rows there are.',
  'Null where the model has none.',
  'True where the model has one.',
  'The address of the file. Null for a file of this page.',
  'The loss of each token. Of two losses the first is taken.',
  'Called once per step.',
  'Meant for software adapters, where a load costs more.',
  '`packed`: as `pack` gives it.',
  'At most one.',
  'The weights, at hand.',
  'The row that stands in the table.',
  'The row of the list that it is at.',
])('hangs: %s', (comment) => {
  expect(hangingSentence(comment)).not.toBeNull();
});

test.each([
  'The number of tokens of the prompt.',
  'Returns the loss of each token, or null if there is none.',
  'Frees what it holds on the device.',
  'True if the device is lost.',
  'False for a folder.',
  'Frozen matrices on the running backend.',
  'Called functions are listed here.',
  'Set of names.',
  'When the device is lost, every call throws `DeviceLostError`.',
  'If a token repeats, its logit is lowered.',
  'A worker of its own. In a page it is started late.',
  'Reads a part of a file. Without a size it reads the whole.',
  'The letter B stands for the batch.',
  '`packed`: the tensors as `pack` gives them.',
  'Opens the file. @throws ModelFileError where the bytes are no JSON object.',
  '@throws MemoryError where it is too large.',
  'Understands the standard names.',
  'A machine that reports while it is at work.',
])('reads by itself: %s', (comment) => {
  expect(hangingSentence(comment)).toBeNull();
});

test('comments are found by their lines, over several lines and inside of declarations', () => {
  // In two halves, or this file would be found itself.
  const source = [
    "const paths = ['src/**/*.ts', 'src/**/Of.ts'];",
    '/**',
    ' * The policy. It is',
    ' * trained.',
    ' *',
    ' * Null where there is none.',
    ' */',
    'interface Policy {',
    '  /*' + '* Of the policy. */ readonly name: string;',
    '  // Of no concern.',
    '}',
  ].join('\n');
  expect(hangingComments(source)).toEqual([
    { line: 2, sentence: 'Null where there is none.' },
    { line: 9, sentence: 'Of the policy.' },
  ]);
});
