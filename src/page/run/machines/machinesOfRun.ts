import type { JoinedMachines } from '@rl-playground/machines';
import type { RunController } from '@rl-playground/run/session';

/** The generators of other machines, which are loaded when they are first asked for. */
export async function machinesOfRun(controller: RunController): Promise<JoinedMachines> {
  return (await import('@rl-playground/machines/page')).machinesOf(controller);
}
