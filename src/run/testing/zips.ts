/** Checkpoints as zips, which tests compare, take apart and damage. */
import type { LoadedModel } from '@rl-playground/engine/parts';
import { openZip, zipBytes } from '@rl-playground/engine/testing/zips';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { readCheckpoint } from '../checkpoint/readCheckpoint.ts';

export async function writeCheckpoint(parts: CheckpointParts): Promise<Uint8Array<ArrayBuffer>> {
  return zipBytes(await checkpointFiles(parts));
}

export async function readZippedCheckpoint(
  bytes: Uint8Array,
  label = 'The checkpoint',
  loaded: LoadedModel | null = null,
): Promise<CheckpointParts> {
  return readCheckpoint(await openZip(bytes, label), loaded);
}
