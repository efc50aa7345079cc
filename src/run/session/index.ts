/** The run of a page: its snapshot, its controller, and what can be said of it without a device. */
export { areModelFiles, type ChosenFile, chosenFrom, titleOf } from './chosenFiles.ts';
export type { GradientQuestion, GradientSeen } from './gradientSeen.ts';
export type { LikeliestTokens, NextToken } from './likeliest.ts';
export { modelNotes } from './modelNotes.ts';
export type { PreflightReport } from './preflight.ts';
export { ProblemWatch, type Watched, type WatchedAnswer } from './problemWatch.ts';
export { seedCurve } from './seedCurve.ts';
export { EMPTY_SNAPSHOT } from './snapshot.ts';
export type { RunController } from './controller.ts';
export type { Branch, UpdateQuestion, UpdateSeen } from './updateSeen.ts';
export type { BackendInfo, Notice, RunPhase, RunSnapshot, RunSurroundings, SaveOptions } from './types.ts';
