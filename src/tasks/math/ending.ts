/** What the Tinker cookbook's environments ask of the form of a completion. */
import { flag, real, type ConfigOf } from '../fields.ts';
import type { StopReason } from '../types.ts';

export const FORMAT_FIELDS = {
  format_weight: real(
    'Weight of the format',
    'What an answer in the wrong form loses, whether right or wrong.',
    0,
    10,
    0.1,
  ),
  require_stop_string: flag(
    'Only a stop string ends an answer',
    'With a chat template the end-of-sequence token ends the turn: leave this off. With the form "User: … Assistant: …" for base models, the cookbook counts an answer as ended only by the stop string before the next "User:".',
    false,
  ),
};

/** Whether a completion came to an end that the format counts. */
export function endedProperly(stopReason: StopReason, config: ConfigOf<typeof FORMAT_FIELDS>): boolean {
  return stopReason === 'stop' || (stopReason === 'eos' && !config.require_stop_string);
}
