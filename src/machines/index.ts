/** The parts that a trainer and the machines which join it share: addresses, invitations and messages. */
export { addressWithToken, parseServerAddress, type ServerAddress } from './addresses.ts';
export { answerProblem } from './answerChecks.ts';
export { bytesOfBase, piecesOfBase } from './basePieces.ts';
export { newKey, opened } from './frames.ts';
export type { GapPoint } from './gapCourse.ts';
export { readModel, writeModel } from './generatorModel.ts';
export * from './invitation.ts';
export type { InvitedMachines, JoinedMachines } from './joinedMachines.ts';
export type { MachineRecord } from './machineList.ts';
export * from './messages.ts';
export { namesOf, runLabel, RUNS_SUBJECT, shortId } from './names.ts';
export { payoffText, workOf } from './payoff.ts';
export { sign } from './signatures.ts';
