/** The readers of everything that comes from outside, each with hostile inputs of its format. */
import { dataTargets } from './dataTargets.ts';
import type { ParserTarget } from './harness.ts';
import { machineTargets } from './machineTargets.ts';
import { modelTargets } from './modelTargets.ts';
import { recordTargets } from './recordTargets.ts';
import { settingsTargets } from './settingsTargets.ts';
import { runTargets } from './runTargets.ts';

/** All there are. */
export async function parserTargets(): Promise<readonly ParserTarget[]> {
  return [
    ...modelTargets(),
    ...settingsTargets(),
    ...dataTargets(),
    ...(await runTargets()),
    ...(await recordTargets()),
    ...(await machineTargets()),
  ];
}
