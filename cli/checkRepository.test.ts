import { expect, test } from 'vitest';
import { addressesInLockfile, suppressions } from './checkRepository.ts';

test('finds where a lockfile names a place to download from', () => {
  const lockfile = [
    '{',
    '  "node_modules/a": {',
    '    "version": "1.0.0",',
    '    "resolved": "somewhere/a.tgz",',
    '    "b": "git+ssh://git@host.example/b.git",',
    '    "c": "https://registry.example/c.tgz",',
    '    "integrity": "sha512-AAAA//bbbb==",',
    '    "funding": {',
    '      "url": "https://sponsors.example/a"',
    '    }',
  ].join('\n');
  expect(addressesInLockfile(lockfile).map((line) => line.split(':')[1])).toEqual(['4', '5', '6']);
});

test('finds comments that silence a check', () => {
  // Spelled in two halves, or this file would be found itself.
  const files = new Map([
    ['a.ts', ['const x = 1;', '/* eslint-', 'y();'].join('\n').replace('eslint-', 'eslint-' + 'disable */')],
    ['b.ts', '// @ts-' + 'ignore'],
    ['c.ts', 'const note = "disable the button";'],
  ]);
  expect(suppressions(files).map((line) => line.split(':').slice(0, 2).join(':'))).toEqual([
    'a.ts:2',
    'b.ts:1',
  ]);
});
