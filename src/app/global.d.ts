import type { RunInPage } from '../bench/pageBenchmark.ts';
import type { RunController } from '../run/types.ts';

declare global {
  interface Window {
    /** Set once the engine is loaded; the command line drives the page through it. */
    rlPlayground?: {
      readonly controller: RunController;
      readonly benchmark: () => Promise<{ readonly runInPage: RunInPage }>;
    };
  }
}
