/** The interface of machines that may join the run of a page: their state, and what a page can do. */
import type { MachineRecord } from './machineList.ts';
import type { OwnShare } from './machinePool.ts';

export interface InvitedMachines {
  /** The run as machines see it, `sum_digits (7KQ2XA)`; null before one has begun. */
  readonly run: string | null;
  /** The server where they meet, without the token; null if nobody is invited. */
  readonly server: string | null;
  /** True if the server answers, and before a run has begun with it. */
  readonly connected: boolean;
  readonly machines: readonly MachineRecord[];
  /** The share of this page; null if its generators don't answer. */
  readonly own: OwnShare | null;
}

export interface MachinesOfPage {
  snapshot(): InvitedMachines;
  subscribe(listener: () => void): () => void;
  /**
   * Lets machines join the run at a server, `ws://TOKEN@host:port`, from the run's next start on; a paused run, from when it continues.
   * `local`: generators of this page answer too. @throws Error with a sentence for people if the address is none, or if no server answers
   * there.
   */
  invite(address: string, options: { readonly local: boolean }): Promise<void>;
  /**
   * Ends the invitation; the server's data of the run is deleted. It must be called while the run rests, because the run can't go on
   * without its server.
   */
  leave(): Promise<void>;
}
