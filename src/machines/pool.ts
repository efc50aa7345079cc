/** A run's generators on other machines. */
export { managerOf, serverError } from './connection.ts';
export type { InspectorOptions } from './inspector.ts';
export type { MachineNews, OwnShare } from './machinePool.ts';
export { getObject, hasObject, putObject, putThrough, removeObject } from './objects.ts';
export { Reconnects } from './reconnects.ts';
export { HEARD, ROUND, RunChannel } from './runChannel.ts';
