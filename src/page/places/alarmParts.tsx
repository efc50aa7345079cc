/** The parts of an alarm, which are fetched with the engine: there is no alarm before. */
import { lazyPart } from '../ui/draw/lazyPart.tsx';

export const AlarmBody = lazyPart(async () => (await import('../keep/alarms/AlarmBody.tsx')).AlarmBody);
export const AlarmButton = lazyPart(async () => (await import('../keep/alarms/AlarmBody.tsx')).AlarmButton);
