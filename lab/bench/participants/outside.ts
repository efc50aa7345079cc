/** Participants outside the page, which the program that opened it starts and asks on the page's behalf. */
import type { Participant, PythonPeer, Sample, Workload } from '../types.ts';

export type OutsideRequest =
  | { readonly kind: 'start' }
  | { readonly kind: 'prepare'; readonly workload: Workload }
  | { readonly kind: 'run' }
  | { readonly kind: 'dispose' };

/** The answers to each kind of request, which are sent as JSON. */
export interface OutsideAnswers {
  readonly start: string;
  readonly prepare: readonly number[] | null;
  readonly run: Sample;
  readonly dispose: null;
}

/** The services of the program that opens the page for the benchmark in it. */
export interface Outside {
  readonly peers: readonly PythonPeer[];
  /** Rejects with the peer's own words if it fails. */
  ask(peer: PythonPeer, request: OutsideRequest): Promise<OutsideAnswers[OutsideRequest['kind']]>;
  /** CPU seconds of the browser so far. */
  cpuSeconds(): Promise<number>;
}

export async function createOutsideParticipant(outside: Outside, peer: PythonPeer): Promise<Participant> {
  const ask = <K extends OutsideRequest['kind']>(
    request: Extract<OutsideRequest, { kind: K }>,
  ): Promise<OutsideAnswers[K]> => outside.ask(peer, request) as Promise<OutsideAnswers[K]>;
  const adapter = await ask({ kind: 'start' });
  return {
    adapter,
    async prepare(workload) {
      const check = await ask({ kind: 'prepare', workload });
      return {
        check: check && Float32Array.from(check),
        run: () => ask({ kind: 'run' }),
        dispose: async () => void (await ask({ kind: 'dispose' })),
      };
    },
    dispose: () => {},
  };
}
