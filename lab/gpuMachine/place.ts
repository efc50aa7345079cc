/** A machine as `npm run lab -- gpu` finds it: the things that are there, and sentences on those that are missing. Nothing is installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from '../../src/cli/browser.ts';
import { isBuilt, PAGE_BUILD } from '../../src/cli/builds.ts';
import { repository } from '../../src/cli/tools.ts';
import { BENCH_BUILD } from '../bench/benchBuild.ts';

export interface Place {
  /** The executable of a Chromium; null if there is none. */
  readonly browser: string | null;
  /** Dawn for Node, npm’s package `webgpu`, can be loaded. */
  readonly hasDawn: boolean;
  readonly isBuilt: boolean;
  /** The reason for which Python is no peer; null if it is one. */
  readonly pythonLacks: string | null;
}

/** The pages that parts open. */
export const PAGES = [PAGE_BUILD, BENCH_BUILD];

/** The modules that the peer in Python imports. */
const MODULES = ['torch', 'transformers', 'peft'];

/** Returns what a Python lacks to be a peer, in words; null if it lacks nothing. Modules are looked for and not loaded. */
function lackOf(python: string | null): string | null {
  if (python === null) return 'no --python was given.';
  const names = MODULES.map((name) => `'${name}'`).join(', ');
  const program = `import importlib.util as u; print(' '.join(n for n in (${names},) if u.find_spec(n) is None))`;
  const { status, stdout, error } = spawnSync(python, ['-c', program], { encoding: 'utf8' });
  if (status !== 0) return `${python} does not run: ${error?.message ?? `it ended with ${status}`}.`;
  return stdout.trim() === '' ? null : `${python} lacks ${stdout.trim().replaceAll(' ', ', ')}.`;
}

export function lookAround(python: string | null): Place {
  return {
    browser: findBrowser(),
    hasDawn: existsSync(join(repository, 'node_modules/webgpu/package.json')),
    isBuilt: PAGES.every((build) => isBuilt(build)),
    pythonLacks: lackOf(python),
  };
}

/** One sentence for each thing that is missing, with what it costs and what to do. */
export function lacking({ browser, hasDawn, isBuilt: built, pythonLacks }: Place): string[] {
  return [
    ...(browser === null
      ? [
          `There is no Chromium: ${hasDawn ? 'only the adapter and the kernels are looked at, in Node by Dawn' : 'without npm’s package webgpu, which would do for the kernels, nothing can run'}. Bring one along, and set CHROME_PATH to its executable.`,
        ]
      : []),
    ...(built
      ? []
      : ['The pages are not built from these sources: they are built now, outside of the budget.']),
    ...(pythonLacks === null ? [] : [`There is no peer in Python: ${pythonLacks}`]),
  ];
}
