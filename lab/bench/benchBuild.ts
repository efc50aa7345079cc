/** The build of the benchmark's page. */
import type { Build } from '../../src/cli/builds.ts';

export const BENCH_BUILD: Build = {
  folder: 'node_modules/.cache/rl-playground/bench',
  config: 'lab/bench/vite.config.ts',
  sources: ['src', 'lab/bench', 'tsconfig.json', 'package-lock.json'],
};
