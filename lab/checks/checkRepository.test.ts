import { expect, test } from 'vitest';
import {
  addressesInLockfile,
  outsideOfModule,
  missingFiles,
  movableActions,
  ownLimits,
  suppressions,
  unlockedPackages,
} from './checkRepository.ts';

test('finds where a lockfile names a place to download from', () => {
  const packages = {
    'node_modules/a': { version: '1.0.0', resolved: 'somewhere/a.tgz', integrity: 'sha512-AAAA//bbbb==' },
    'node_modules/b': { version: 'git+ssh://git@host.example/b.git' },
    'node_modules/c': { dependencies: { d: 'https://registry.example/d.tgz' } },
    'node_modules/e': { version: '1.0.0', funding: ['https://sponsors.example/e'] },
  };
  expect(addressesInLockfile(JSON.stringify({ packages }))).toEqual([
    'packages node_modules/a: resolved',
    'packages node_modules/b version: git+ssh://git@host.example/b.git',
    'packages node_modules/c dependencies d: https://registry.example/d.tgz',
  ]);
});

test('finds optional packages that are named and not locked', () => {
  const packages = {
    'node_modules/tool': { optionalDependencies: { '@tool/linux': '1.0.0', '@tool/mac': '1.0.0' } },
    'node_modules/@tool/linux': { version: '1.0.0' },
  };
  expect(unlockedPackages(JSON.stringify({ packages }))).toEqual(['@tool/mac, wanted by node_modules/tool']);
});

test('finds comments that silence a check', () => {
  // Spelled in two halves, or this file would be found itself.
  const files = new Map([
    ['a.ts', 'const x = 1;\n/* eslint-' + 'disable */\ny();'],
    ['b.ts', '// @ts-' + 'ignore'],
    ['c.ts', 'const note = "disable the button";'],
  ]);
  expect(suppressions(files).map((line) => line.split(':').slice(0, 2).join(':'))).toEqual([
    'a.ts:2',
    'b.ts:1',
  ]);
});

test('finds actions that are named by what can be moved', () => {
  const commit = '11d5960a326750d5838078e36cf38b85af677262';
  const text = `steps:\n  - uses: a/b@v4\n  - uses: a/c@${commit} # v4.4.0\n  - name: d\n    uses: a/d@main\n  - uses: ./own\n`;
  expect(movableActions(new Map([['test.yml', text]]))).toEqual(['test.yml: a/b@v4', 'test.yml: a/d@main']);
});

test('files that pages name and that are not there, in code marks and in links', () => {
  const pages = new Map([
    [
      'README.md',
      'See `engine/loss.ts`, `src/engine/loss.ts`, `src/run/gone.ts`, [docs](docs/a.md#part) and [more](docs/gone.md).',
    ],
    [
      'docs/a.md',
      'A run has `checkpoint-2/config.md`; [b](b.md), [home](../README.md), [site](https://example.org/x.md).',
    ],
  ]);
  const there = new Set(['README.md', 'src/engine/loss.ts', 'docs/a.md', 'docs/b.md']);
  const missing = missingFiles(pages, new Set(['src', 'rl', 'engine', 'docs']), (path) => there.has(path));
  expect(missing).toEqual(['README.md: src/run/gone.ts', 'README.md: docs/gone.md']);
});

test('finds limits in wall time that tests have of their own, and timed sleeps', () => {
  // Written so that this file has none itself.
  const written = (text: string): string => text.replaceAll('~', '');
  const limited = written(`test('a', () => {}~, 60_000);
test('b', async () => {
  await page.waitFor~Timeout(100);
  await expect(button).toBeVisible({ time~out: 1000 });
  await new Promise((resolve) => set~Timeout(resolve, 50));
}~, 60_000);
test.each(rows)(
  'c',
  () => {
    test.~slow();
  }~,
  120_000,
);`);
  const free = `expect(65504).toBe(x);
await expect(button).toBeVisible({ timeout: PATIENCE });
const list = [
  60_000,
];
setTimeout(resolve, 0);`;
  const files = new Map([
    ['src/a.test.ts', limited],
    ['src/b.test.ts', free],
    ['src/c.ts', limited],
  ]);
  expect(ownLimits(files)).toEqual(
    [
      'src/a.test.ts:3: waitFor~Timeout(',
      'src/a.test.ts:4: time~out: 1',
      'src/a.test.ts:5: set~Timeout(resolve, 50)',
      'src/a.test.ts:6: }~, 60_000)',
      'src/a.test.ts:10: test.~slow(',
      'src/a.test.ts:11: }~, 120_000, )',
    ].map(written),
  );
});

test('finds what reads a secret, asks a server or writes to the terminal past the module that bounds it', () => {
  const reads = [
    "process.env['HF_TOKEN']",
    'process.env.WANDB_API_KEY',
    "variable(environment, 'TRACKIO_WRITE_TOKEN')",
  ];
  const asks = 'await fetch(url)';
  const files = new Map([
    ['src/cli/a.ts', [...reads, "say('HF_TOKEN holds it')", "process.env['WANDB_BASE_URL']"].join('\n')],
    ['src/cli/b.ts', 'const { HF_TOKEN: token } = process.env;'],
    ['src/bridges/trackers/secrets.ts', reads.join('\n')],
    ['src/cli/a.test.ts', reads.join('\n')],
    ['src/engine/hub/a.ts', `${asks}; queue.fetch(url); await fetch(); prefetch(url); async fetch(url) {}`],
    ['src/engine/hub/b.ts', 'globalThis.fetch(url); new XMLHttpRequest(); https.get(url);'],
    ['src/page/a.tsx', 'const { token } = useHub();'],
    ['src/page/run/model/a.tsx', 'const { token } = useHub();'],
    ['src/engine/hub/sources.ts', asks],
    ['src/testing/a.ts', asks],
    ['lab/a.ts', 'process.stderr.write(text)'],
    ['src/run/disk/fileLines.ts', 'process.stdout.write(text)'],
  ]);
  expect(outsideOfModule(files).map((line) => line.replace(/ \((?:a|the) .*/, ''))).toEqual([
    "src/cli/a.ts:1: env['HF_TOKEN",
    'src/cli/a.ts:2: env.WANDB_API_KEY',
    "src/cli/a.ts:3: variable(environment, 'TRACKIO_WRITE_TOKEN'",
    'src/cli/b.ts:1: { HF_TOKEN: token } = process.env',
    'src/page/a.tsx:1: useHub',
    'src/engine/hub/a.ts:1: fetch(',
    'src/engine/hub/b.ts:1: globalThis.fetch(',
    'src/engine/hub/b.ts:1: new XMLHttpRequest',
    'src/engine/hub/b.ts:1: https.get(',
    'lab/a.ts:1: process.stderr.write(',
  ]);
});
