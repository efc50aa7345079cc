/** The schedules: where a step's groups come from, and when. */
import { AsyncSource } from './async.ts';
import { StreamSource } from './stream.ts';
import { SyncSource } from './sync.ts';
import type { GroupSource, SourceParts } from './types.ts';

const SCHEDULES = { sync: SyncSource, stream: StreamSource, async: AsyncSource };

export function createSource(parts: SourceParts): GroupSource {
  return new SCHEDULES[parts.schedule](parts);
}
