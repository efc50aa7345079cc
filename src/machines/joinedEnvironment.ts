/** The environment of a run that machines may join: its own generators and theirs are one pool (`src/machines`). */
import { MachinePool, type MachineNews } from './machinePool.ts';
import type { InspectorOptions } from './inspector.ts';
import type { RunChannel } from './runChannel.ts';
import type { EngineEnvironment } from '@rl-playground/engine/parts';

export interface Joining {
  readonly channel: RunChannel;
  /** True if the run has generators of its own beside those of machines. */
  readonly local: boolean;
  readonly onNews: (news: MachineNews, pool: MachinePool) => void;
  readonly inspection?: Partial<InspectorOptions>;
  readonly lonelyAfter?: number | undefined;
}

export function joinedEnvironment(
  environment: EngineEnvironment,
  { channel, local, onNews, inspection, lonelyAfter }: Joining,
): EngineEnvironment {
  return {
    ...environment,
    showsText: true,
    createPool(model, settings) {
      const pool: MachinePool = new MachinePool({
        channel,
        model,
        precision: settings.generatorPrecision,
        local: local ? environment.createPool(model, settings) : null,
        onNews: (news) => onNews(news, pool),
        inspection,
        lonelyAfter,
      });
      return pool;
    },
  };
}
