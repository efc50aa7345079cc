/** One plan from preparation to rows: everybody is checked against ours, then timed in turns. */
import { messageOf } from '@rl-playground/base/errors';
import type { Plan, RowSpec } from './plan.ts';
import { spreadOf, timesFaster } from './statistics.ts';
import {
  isPythonPeer,
  type BenchResult,
  type Participant,
  type ParticipantName,
  type PeerName,
  type Prepared,
  type Sample,
  type Spread,
} from './types.ts';

/** Starts a participant, or gives the one that runs already. */
export type Summon = (name: ParticipantName) => Promise<Participant>;

export interface MeasureOptions {
  readonly repeats: number;
  /** CPU seconds of the participants in the page so far; absent where nobody can tell. */
  readonly cpuSeconds?: () => Promise<number>;
  /** Milliseconds on a clock. */
  readonly now?: () => number;
}

/** A plan that takes longer than this is not repeated further once each participant has this many samples. */
const PATIENCE_SECONDS = 60;
const FEWEST_REPEATS = 3;

type Errors = Partial<Record<ParticipantName, string>>;
type Devices = Partial<Record<PeerName, string>>;

export async function measurePlan(
  plan: Plan,
  summon: Summon,
  options: MeasureOptions,
): Promise<BenchResult[]> {
  const { now = () => performance.now() } = options;
  const errors: Errors = {};
  const devices: Devices = {};
  const contestants = new Map<ParticipantName, { prepared: Prepared; samples: Sample[] }>();
  let truth: Float32Array | null = null;

  for (const name of ['ours', ...plan.peers] as const) {
    try {
      const participant = await summon(name);
      if (isPythonPeer(name)) devices[name] = participant.adapter;
      const prepared = await participant.prepare(plan.workload);
      const problem = name === 'ours' ? null : disagreement(plan, truth, prepared.check, name);
      if (name === 'ours') truth = prepared.check;
      if (problem === null) contestants.set(name, { prepared, samples: [] });
      else {
        errors[name] = `Not timed: ${problem}.`;
        await prepared.dispose();
      }
    } catch (error) {
      errors[name] = messageOf(error);
      if (name === 'ours') break;
    }
  }

  const { repeats } = options;
  const began = now();
  for (let repeat = 1; repeat <= repeats && contestants.size > 0; repeat++) {
    for (const [name, { prepared, samples }] of contestants) {
      try {
        samples.push(await sampled(prepared, options.cpuSeconds, now));
      } catch (error) {
        errors[name] = messageOf(error);
        contestants.delete(name);
      }
    }
    if (repeat >= FEWEST_REPEATS && now() - began > PATIENCE_SECONDS * 1000) break;
  }
  for (const { prepared } of contestants.values()) await prepared.dispose();
  const samples = new Map([...contestants].map(([name, contestant]) => [name, contestant.samples]));
  return plan.rows.map((row) => rowOf(row, plan.peers, samples, { errors, devices }));
}

/** One repeat, with the CPU seconds of one run where they can be told. A participant elsewhere counts its own. */
async function sampled(
  prepared: Prepared,
  cpuSeconds: MeasureOptions['cpuSeconds'],
  now: () => number,
): Promise<Sample> {
  if (!cpuSeconds) return prepared.run();
  const before = await cpuSeconds();
  const began = now();
  const sample = await prepared.run();
  const wall = (now() - began) / 1000;
  // A repeat may be several runs: cores that were busy, times the seconds of one.
  return { cpu: (((await cpuSeconds()) - before) / wall) * sample.seconds, ...sample };
}

function disagreement(
  plan: Plan,
  ours: Float32Array | null,
  theirs: Float32Array | null,
  peer: PeerName,
): string | null {
  if (ours === null || theirs === null) return null;
  return plan.agreement(ours, theirs, peer);
}

/** A sentence on a figure that can't be right; null if it can. */
function faultOf(ours: Spread | null): string | null {
  if (ours?.unit !== '%' || ours.max <= 100) return null;
  return `A part can't be more than the whole, and ${ours.max.toFixed(0)} % was measured: something else ran meanwhile. Measure again on an idle machine.`;
}

function rowOf(
  row: RowSpec,
  peers: readonly PeerName[],
  samples: ReadonlyMap<ParticipantName, readonly Sample[]>,
  { errors, devices }: { readonly errors: Errors; readonly devices: Devices },
): BenchResult {
  const spread = (name: ParticipantName): Spread | null => {
    const own = samples.get(name);
    if (!own || own.length === 0) return null;
    const values = own.map((sample) => row.value(sample));
    // A peer's samples may lack what a row of ours is about.
    return values.every(Number.isFinite) ? spreadOf(values, row.unit) : null;
  };
  const ours = spread('ours');
  const measured: Partial<Record<PeerName, Spread>> = {};
  const ratio: Partial<Record<PeerName, number>> = {};
  for (const peer of peers) {
    const theirs = spread(peer);
    if (theirs === null) continue;
    measured[peer] = theirs;
    if (ours !== null) ratio[peer] = timesFaster(ours, theirs);
  }
  const fault = faultOf(ours);
  return {
    name: row.name,
    shape: row.shape,
    ours,
    peers: measured,
    ratio,
    target: row.target ?? {},
    ...(fault === null ? {} : { fault }),
    ...(Object.keys(devices).length > 0 ? { devices: { ...devices } } : {}),
    ...(Object.keys(errors).length > 0 ? { errors: { ...errors } } : {}),
  };
}
