/** Pages that Vite builds here. A file in a built folder names the state of the sources that it was built from. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateOf } from './sourceState.mjs';
import { repository } from './tools.ts';

/** A build. All paths are relative to the repository. */
export interface Build {
  /** The folder that is built. */
  readonly folder: string;
  /** Vite's configuration, which writes `STATE_FILE`. */
  readonly config: string;
  /** The files and folders that it is made of. */
  readonly sources: readonly string[];
}

/** The page. */
export const PAGE_BUILD: Build = {
  folder: 'dist',
  config: 'vite.config.ts',
  sources: [
    'src',
    'docs/glossary.md',
    'public',
    'index.html',
    'vite.config.ts',
    'tsconfig.json',
    'package-lock.json',
  ],
};

/** The file in a built folder that holds the `stateOfBuild` of when it was built. */
export const STATE_FILE = 'sources.sha256';

/** The state of the sources of a build in `root` as they are now. */
export const stateOfBuild = ({ sources }: Build, root: string = repository): string => stateOf(root, sources);

/** True if the build's folder in `root` is there and was built from what its sources hold now. */
export function isBuilt(build: Build, root: string = repository): boolean {
  const file = join(root, build.folder, STATE_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === stateOfBuild(build, root);
}
