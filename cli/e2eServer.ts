/** The two hosts that the e2e tests open the built page on. */
import { ensureBuilt } from './build.ts';
import { ISOLATED_PORT, PLAIN_BASE, PLAIN_PORT } from './e2ePorts.ts';
import { serve } from './serve.ts';

await ensureBuilt();
await serve({ port: PLAIN_PORT, isolated: false, base: PLAIN_BASE });
// The tests start when this one answers, so it comes last.
await serve({ port: ISOLATED_PORT });
