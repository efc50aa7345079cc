import type { Lesson } from './content/lesson.ts';

/** Whether it came as predicted, in a sentence. */
export function verdictText({ choices }: Lesson, prediction: string, outcome: string | null): string {
  const textOf = (id: string): string => choices.find((choice) => choice.id === id)?.text ?? id;
  if (outcome === null) return `You predicted: ${textOf(prediction)}. This run does not settle the question.`;
  return outcome === prediction
    ? `As you predicted: ${textOf(prediction)}.`
    : `You predicted: ${textOf(prediction)}. The run showed: ${textOf(outcome)}.`;
}
