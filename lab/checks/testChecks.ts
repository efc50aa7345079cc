/** The checks beside the tests: what no linter knows, oxlint with the formatting, and TypeScript. Each resolves to how many complaints there are. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addressesInLockfile,
  outsideOfModule,
  missingFiles,
  movableActions,
  ownLimits,
  suppressions,
  unlockedPackages,
} from './checkRepository.ts';
import type { Print } from './testSuites.ts';
import { repository, runTool } from '../../src/cli/tools.ts';

export type Check = (args: readonly string[], print?: Print) => Promise<number>;

function sourceFiles(): Map<string, string> {
  const paths = ['src', 'lab', 'e2e', 'examples'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  );
  // `dist` has the built files of a package.
  const texts = paths.filter((path) => /\.(ts|tsx|mjs|js|css|wgsl)$/.test(path) && !path.includes('/dist/'));
  return new Map(texts.map((path) => [path, readFileSync(join(repository, path), 'utf8')]));
}

function workflows(): Map<string, string> {
  const folder = '.github/workflows';
  const names = readdirSync(join(repository, folder)).map((name) => `${folder}/${name}`);
  return new Map(names.map((name) => [name, readFileSync(join(repository, name), 'utf8')]));
}

/** Pages that name what there is; CONTRIBUTING.md names what there could be, and has a test of its own. */
function pages(): Map<string, string> {
  const docs = readdirSync(join(repository, 'docs')).filter((name) => name.endsWith('.md'));
  const packages = ['base', 'engine', 'tasks', 'run', 'bridges', 'machines'].map(
    (name) => `src/${name}/README.md`,
  );
  const names = ['README.md', ...packages, ...docs.map((name) => `docs/${name}`)];
  return new Map(names.map((name) => [name, readFileSync(join(repository, name), 'utf8')]));
}

function foldersOf(...parents: readonly string[]): Set<string> {
  const entries = parents.flatMap((parent) => readdirSync(join(repository, parent), { withFileTypes: true }));
  return new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
}

export const checkRepository: Check = async (_args, print = (text) => void process.stderr.write(text)) => {
  const lockfile = readFileSync(join(repository, 'package-lock.json'), 'utf8');
  const sources = sourceFiles();
  const complaints = [
    ...addressesInLockfile(lockfile).map((line) => `Address in the lockfile: ${line}`),
    ...unlockedPackages(lockfile).map((line) => `Not in the lockfile, so npm ci fails: ${line}`),
    ...suppressions(sources).map((line) => `Comment that silences a check: ${line}`),
    ...ownLimits(sources).map(
      (line) => `Test with a limit of its own (src/base/testing/patience.ts has the one of all): ${line}`,
    ),
    ...outsideOfModule(sources).map((line) => `Outside of its module: ${line}`),
    ...movableActions(workflows()).map((line) => `Action that is not named by its commit: ${line}`),
    ...missingFiles(pages(), foldersOf('.', 'src'), (path) => existsSync(join(repository, path))).map(
      (line) => `File that a page names and that is not there: ${line}`,
    ),
  ];
  for (const line of complaints) print(`${line}\n`);
  return Promise.resolve(complaints.length);
};

export const lint: Check = async (args, print) => {
  const oxlint = await runTool('oxlint', args, {}, print);
  const formatting = args.length > 0 ? 0 : await runTool('oxfmt', ['--check'], {}, print);
  return oxlint + formatting;
};

export const types: Check = (args, print) =>
  runTool('tsc', ['-p', '.', '--singleThreaded', ...args], {}, print);
