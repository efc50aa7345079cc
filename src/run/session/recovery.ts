/** After a failure: what was behind it, and where the run goes on if its weights are gone. */
import { MemoryError, DeviceError, listedFiles, type ModelFiles } from '@rl-playground/engine/parts';
import { checkBackend } from '@rl-playground/engine/parts/tensors';
import { messageOf } from '@rl-playground/base/errors';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import type { RunLog } from '../records/runLog.ts';
import type { Session } from './session.ts';
import type { RunState } from './state.ts';

/** Fetched behind the first screen and not when it is needed: by then its server may be gone. */
const reader = import('../checkpoint/readCheckpoint.ts');

/** What an error comes from: a read that a lost device broke off says nothing of the device. */
export async function causeOf(error: unknown): Promise<unknown> {
  try {
    await checkBackend();
    return error;
  } catch (trouble) {
    return error instanceof DeviceError || error instanceof MemoryError ? error : trouble;
  }
}

/** Whether the device may hold what failed calls have left: invalid buffers, and memory that nobody will free. */
export function spoilsDevice(cause: unknown): boolean {
  return cause instanceof DeviceError || cause instanceof MemoryError;
}

/** Whether the device is gone, and not just a call to it. */
export const isLoss = (cause: unknown): boolean => cause instanceof DeviceError && cause.kind === 'lost';

/** A run without a device. */
export interface Stand {
  readonly parts: CheckpointParts;
  /** What else is kept of it up to there. */
  readonly log: RunLog;
}

/** A checkpoint of a run, wherever it is kept. */
export interface KeptCheckpoint {
  readonly step: number;
  readonly files: ModelFiles;
}

/**
 * Of a session whose weights are gone: its newest checkpoint, of those that were kept on the way and `newest`, what the browser keeps of it;
 * else `begun`, what it began from.
 */
export async function standBefore(
  session: Session,
  begun: CheckpointParts,
  newest: KeptCheckpoint | null = null,
): Promise<Stand> {
  const { log } = session;
  const { readCheckpoint } = await reader;
  const onTheWay = log.checkpoints.map(({ step, files }) => ({
    step,
    files: listedFiles(`The checkpoint of step ${step}`, files),
  }));
  const candidates = [...onTheWay, ...(newest ? [newest] : [])].sort((a, b) => b.step - a.step);
  for (const { step, files } of candidates) {
    const parts = await readCheckpoint(files, begun.model).catch(() => null);
    if (parts === null) continue;
    log.forgetAfter(step);
    return { parts, log };
  }
  log.forgetAfter(begun.trainerState?.step ?? 0);
  return { parts: begun, log };
}

/** The notice of a failure: what happened, what of the run is left, and what to do. */
export function failureText(cause: unknown, step: number | null, back: Stand | null): string {
  const lines = [messageOf(cause)];
  if (back !== null) {
    const at = back.parts.trainerState?.step ?? 0;
    lines.push(
      at > 0
        ? `The weights are gone or of no step, so the run is back at step ${at}, its last checkpoint. Train goes on from there.`
        : 'The weights are gone or of no step and no checkpoint was kept, so the run is back at its beginning. Set “Save every”, and less is lost.',
    );
  } else if (step !== null && spoilsDevice(cause))
    lines.push(
      `What was under way is not counted: weights and log are those of step ${step}, and can be downloaded. Train goes on from there, on a fresh device; if it fails again, take fewer tokens a microbatch, shorter or fewer answers, or the CPU (?backend=wasm).`,
    );
  return lines.join('\n');
}

/** How often a lost GPU is opened again without being asked. */
const MOST_REOPENINGS = 2;

/** Does `work`, and does it again where the GPU is lost meanwhile: `goBack` takes the run to where it was kept, and says so. Throws all else. */
export async function againAfterLoss(
  work: () => Promise<void>,
  goBack: (cause: unknown) => Promise<string>,
  state: Pick<RunState, 'notify'>,
): Promise<void> {
  for (let reopened = 1; ; reopened++) {
    try {
      await work();
      return;
    } catch (error) {
      const cause = await causeOf(error);
      if (!isLoss(cause) || reopened > MOST_REOPENINGS) throw error;
      const text = `${await goBack(cause)}\nIt was opened again (${reopened} of ${MOST_REOPENINGS} times), and the run goes on.`;
      state.notify({ kind: 'warning', title: 'The GPU was lost', text });
    }
  }
}
