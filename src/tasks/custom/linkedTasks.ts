/** Custom tasks as text for a link. */
import * as z from 'zod';
import { linkedJson, valueOfLinked } from '@rl-playground/base/linkedJson';
import { customTaskSchema, type CustomTask } from '../define/definition.ts';

const linkedSchema = z.array(customTaskSchema).min(1).max(16);

/** The tasks as text, or null if they are too long for a link. */
export const linkedText = (tasks: readonly CustomTask[]): Promise<string | null> => linkedJson(tasks);

/** @throws Error that says what is wrong with the text */
export async function tasksOfLinkedText(text: string): Promise<readonly CustomTask[]> {
  try {
    return linkedSchema.parse(await valueOfLinked(text));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const reason = issue === undefined ? String(error) : `${issue.path.join('.')}: ${issue.message}`;
    throw new Error(
      `The link’s own task can’t be read (${reason}). It may have been cut when it was copied: ask for it again, or for the task’s file.`,
    );
  }
}
