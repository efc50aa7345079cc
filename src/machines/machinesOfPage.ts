/** Machines that may join the run of a page: what is seen of them, and what may be asked. */
import type { MachineRecord } from './machineList.ts';
import type { OwnShare } from './machinePool.ts';

export interface InvitedMachines {
  /** The run as machines see it, `sum_digits (7KQ2XA)`; null before one has begun. */
  readonly run: string | null;
  /** Where they meet, without the token; null where nobody is invited. */
  readonly server: string | null;
  /** Whether the server answers; true before a run has begun with it. */
  readonly connected: boolean;
  readonly machines: readonly MachineRecord[];
  /** Of this page; null where its generators don't answer. */
  readonly own: OwnShare | null;
}

export interface MachinesOfPage {
  snapshot(): InvitedMachines;
  subscribe(listener: () => void): () => void;
  /**
   * From its next start on, a run is one that machines may join at a server: `ws://TOKEN@host:port`; one that is paused, from when it goes on. `local`: whether
   * generators of this page answer too. @throws a sentence where the address is none, or nobody answers there.
   */
  invite(address: string, options: { readonly local: boolean }): Promise<void>;
  /** Nobody is invited any more; what the server kept of the run is deleted. To be called while the run rests: it can't go on without its server. */
  leave(): Promise<void>;
}
