/** Conversations with a run's model before training and now, and prompts that no task trains on. */
export {
  type ChatAnswer,
  type ChatAnswers,
  type ChatQuestion,
  type Listening,
  type OnText,
  type Unanswered,
} from './chat.ts';
export { referenceMoves } from './referenceMoves.ts';
export type { Turn } from './turns.ts';
export { type UntrainedAnswers, type UntrainedReport, untrainedSentence } from './untrained.ts';
