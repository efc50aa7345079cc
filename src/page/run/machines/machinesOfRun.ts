import type { MachinesOfPage } from '../../../machines/machinesOfPage.ts';
import type { RunController } from '../../../run/session/types.ts';

/** Generators of other machines; loaded when they are first asked for. */
export async function machinesOfRun(controller: RunController): Promise<MachinesOfPage> {
  return (await import('../../../machines/machinesOfPage.ts')).machinesOf(controller);
}
