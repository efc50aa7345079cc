/** The contents of a run's prompts in words, for those who are invited to answer them. */
import { findTask } from '@rl-playground/tasks/parts';

export function promptsInWords(task: string): string {
  const found = findTask(task);
  if (found === null) return `Its prompts are those of ${task}.`;
  const whose = found.dataset || found.definition ? ' The person who started the run supplied the rows.' : '';
  return `Its prompts are problems of ${found.title}: ${found.summary}${whose}`.slice(0, 2000);
}
