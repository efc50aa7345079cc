/** A machine that answers for runs. */
export { watchServer } from './connection.ts';
export type { HubAccess } from './hubBase.ts';
export { Machine, type MachineEvent } from './machine.ts';
export { MachineNews, type MachineState, type ShownAnswer } from './machineNews.ts';
