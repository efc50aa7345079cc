/** The run on the page in the forms of other systems. Their code is loaded when it is asked for. */
import type { OpenFile } from '@rl-playground/engine/parts';
import type { HandoffSystem } from '@rl-playground/bridges/handoff/systems';
import {
  type ExportFormat,
  type WeightType,
  watched,
  type WatchOptions,
  stepOf,
  zipDownload,
  type Download,
} from '@rl-playground/run/export';
import type { RunController } from '@rl-playground/run/session';

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly type: WeightType;
}

/** A zip reads each file twice: for its checksum, and to write it. */
const ZIP_READS = 2;

async function exported(controller: RunController, { format, type }: ExportRequest) {
  const { exportFiles } = await import('@rl-playground/bridges/export');
  const { parts, began } = await controller.atRest();
  return { parts, files: await exportFiles(parts, { format, type, base: began }) };
}

/** The files of a format by path, calculated when they are read, with the weights of this moment. Rejects if the run has nothing in that format. */
export async function exportedFiles(
  controller: RunController,
  request: ExportRequest,
): Promise<ReadonlyMap<string, OpenFile>> {
  return (await exported(controller, request)).files;
}

/** The files of a format as one zip. */
export async function exportZip(
  controller: RunController,
  request: ExportRequest,
  watch: WatchOptions,
): Promise<Download> {
  const { parts, files } = await exported(controller, request);
  const kind = `-${request.format}-${request.type.toLowerCase()}`;
  return zipDownload(stepOf(parts), kind, watched(files, { ...watch, times: ZIP_READS }));
}

/** A zip from which another trainer continues the run. Rejects with the reason if it can't. */
export async function handoffZip(
  controller: RunController,
  system: HandoffSystem,
  watch: WatchOptions,
): Promise<Download> {
  const { handoffFiles } = await import('@rl-playground/bridges/handoff');
  const { parts } = await controller.atRest();
  const files = await handoffFiles(parts, { system });
  return zipDownload(stepOf(parts), `-${system}`, watched(files, { ...watch, times: ZIP_READS }));
}
