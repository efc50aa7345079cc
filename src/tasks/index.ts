/** The tasks' API: what a training loop of one's own takes of them. The page docs/tasks.md describes it. */
export type { ChatMessage, StopReason } from '@rl-playground/base/conversation';
export { TASK_NAMES } from './allTasks.ts';
export { customTask, type ScoreProgram } from './custom/customTask.ts';
export type { CustomTask, GraderSettings } from './define/definition.ts';
export { defineTask } from './define/define.ts';
export { createSandbox, scoreProgram, type Sandbox } from './sandbox/sandbox.ts';
export { taskFor, type AskedModel, type AskedTask, type SampledAnswer } from './taskFor.ts';
export type { Problem, Reward, ScoringMode, Split, Task, TaskConfig } from './define/types.ts';
