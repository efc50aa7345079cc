/** Conversations with a run's model before training and now, and prompts that no task trains on. */
export {
  type ChatAnswer,
  type ChatAnswers,
  type ChatQuestion,
  type Listening,
  type OnText,
  referenceMoves,
  type Unanswered,
} from './chat.ts';
export type { Turn } from './turns.ts';
export {
  UNTRAINED_PROMPTS,
  type UntrainedAnswers,
  type UntrainedReport,
  untrainedSentence,
} from './untrained.ts';
