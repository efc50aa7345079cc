/** A machine that answers for runs. */
export type { HubAccess } from './hubBase.ts';
export { Machine, type MachineEvent } from './machine.ts';
