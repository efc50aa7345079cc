/** The command line as npm installs it (`bin.mjs`). */
import { asProcess } from './asProcess.mjs';

await asProcess(async () => (await import('./rlPlayground.ts')).default, process.argv.slice(2));
