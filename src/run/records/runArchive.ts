/** The run directory as the page hands it out: one zip. And the checkpoints that `saveSteps` asks for on the way. */
import { packArchive } from '../checkpoint/archive.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { runDirectory } from './runDirectory.ts';
import type { RunLog } from './runLog.ts';
import type { Session } from '../session.ts';
import { writeSftLog } from './sftLog.ts';

/** @throws Error where no run has begun. */
export async function writeRunArchive(parts: CheckpointParts, log: RunLog): Promise<Uint8Array> {
  const { model, runConfig, trainerState, metrics, evaluations } = parts;
  if (runConfig === null)
    throw new Error('There is no run to save yet: a run directory needs at least 1 step. Train first.');
  return packArchive(
    runDirectory({
      config: runConfig,
      modelName: model.name,
      metrics,
      evaluations,
      sftLog: writeSftLog(trainerState, runConfig),
      wallSeconds: trainerState?.wallSeconds ?? 0,
      rollouts: log.rollouts,
      // Those that made room, and those made before the run was loaded.
      rolloutStepsForgotten: metrics.length - log.steps.length,
      checkpoints: log.checkpoints,
      finalModel: checkpointFiles(parts),
    }),
  );
}

/** Keeps a checkpoint of the step just made where the settings ask for one. Call between steps. */
export async function keepCheckpointWhenDue(session: Session): Promise<void> {
  const { saveSteps } = session.config;
  if (saveSteps === 0 || session.step === 0 || session.step % saveSteps !== 0) return;
  session.log.addCheckpoint(session.step, checkpointFiles(await session.parts()));
}
