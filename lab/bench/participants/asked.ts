/** A participant in a process or worker of its own, which is asked for everything. */
import type { Environment, Participant, Sample, Workload } from '../types.ts';

export type ParticipantRequest =
  | { readonly kind: 'start'; readonly environment: Environment }
  | { readonly kind: 'prepare'; readonly workload: Workload }
  | { readonly kind: 'run' }
  | { readonly kind: 'dispose' };

/** The answers to each kind of request, which are sent as JSON. */
export interface ParticipantAnswers {
  readonly start: string;
  readonly prepare: readonly number[] | null;
  readonly run: Sample;
  readonly dispose: null;
}

export type ParticipantAnswer = ParticipantAnswers[ParticipantRequest['kind']];

/** Rejects with the participant's own words if it fails. */
export type Ask = (request: ParticipantRequest) => Promise<ParticipantAnswer>;

export async function askedParticipant(asked: Ask, environment: Environment): Promise<Participant> {
  const ask = <K extends ParticipantRequest['kind']>(
    request: Extract<ParticipantRequest, { kind: K }>,
  ): Promise<ParticipantAnswers[K]> => asked(request) as Promise<ParticipantAnswers[K]>;
  const adapter = await ask({ kind: 'start', environment });
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
  };
}
