/** The cause of a failure, and the place from which the run goes on if its weights are gone. */
import { MemoryError, DeviceError, listedFiles } from '@rl-playground/engine/parts';
import { checkBackend } from '@rl-playground/engine/parts/tensors';
import { messageOf } from '@rl-playground/base/errors';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { standAt, type Stand } from './runState.ts';
import type { Session } from './session.ts';
import type { Checkpoint } from './types.ts';

/** The reader of checkpoints. It is fetched when the engine starts: when it is needed, the server may be gone. */
export const checkpointReader = () => import('../checkpoint/readCheckpoint.ts');

/** The cause of an error. Where a lost device broke off a read, the device's own error says more than that of the read. */
export async function causeOf(error: unknown): Promise<unknown> {
  try {
    await checkBackend();
    return error;
  } catch (trouble) {
    return error instanceof DeviceError || error instanceof MemoryError ? error : trouble;
  }
}

/** True if the device may hold what failed calls have left: invalid buffers, and memory that nobody will free. */
export function spoilsDevice(cause: unknown): boolean {
  return cause instanceof DeviceError || cause instanceof MemoryError;
}

/** True if the device is gone, and not just a call to it. */
export const isLoss = (cause: unknown): boolean => cause instanceof DeviceError && cause.kind === 'lost';

/**
 * The place from which a session goes on whose weights are gone: its newest checkpoint, of those in its log and `newest`, which the browser
 * keeps; else `begun`, from which it began.
 */
export async function standBefore(
  { log }: Session,
  begun: CheckpointParts,
  newest: Checkpoint | null = null,
): Promise<Stand> {
  const { readCheckpoint } = await checkpointReader();
  const onTheWay = log.checkpoints.map(({ step, files }) => ({
    step,
    files: listedFiles(`The checkpoint of step ${step}`, files),
  }));
  const candidates = [...onTheWay, ...(newest ? [newest] : [])].sort((a, b) => b.step - a.step);
  for (const { step, files } of candidates) {
    const parts = await readCheckpoint(files, begun.model).catch(() => null);
    if (parts === null) continue;
    log.forgetAfter(step);
    return standAt(parts, log);
  }
  log.forgetAfter(begun.trainerState?.step ?? 0);
  return standAt(begun, log);
}

/** The notice of a failure: what happened, what is left of the run, and what to do. */
export function failureText(cause: unknown, step: number | null, back: Stand | null): string {
  const lines = [messageOf(cause)];
  if (back !== null) {
    lines.push(
      back.step > 0
        ? `The run’s weights could not be kept, so it is back at step ${back.step}, its last checkpoint. Train continues from there.`
        : 'The run’s weights could not be kept and there is no checkpoint, so it is back at its start. Set “Save every” to lose less next time.',
    );
  } else if (step !== null && spoilsDevice(cause))
    lines.push(
      `The unfinished step is lost: weights and log are those of step ${step}, and can be downloaded. Train continues from there, on a fresh device; if it fails again, choose fewer tokens per micro-batch, shorter or fewer answers, or the CPU (?backend=wasm).`,
    );
  return lines.join('\n');
}
