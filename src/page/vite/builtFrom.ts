/** Notes in a build what it was built from. */
import type { Plugin } from 'vite';

/** Writes the state of the sources when the build began to a file: a source that is changed meanwhile makes the build out of date. */
export function builtFrom(fileName: string, state: () => string): Plugin {
  let source = '';
  return {
    name: 'built-from',
    apply: 'build',
    applyToEnvironment: ({ config }) => config.consumer === 'client',
    buildStart() {
      source = state();
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
  };
}
