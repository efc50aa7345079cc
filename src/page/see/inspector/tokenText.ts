import type { RunController } from '../../../run/types.ts';

/** A token as it is drawn: line breaks marked, and its id where it is no text by itself. */
export function tokenText(controller: Pick<RunController, 'promptText'> | null, token: number): string {
  const text = controller?.promptText([token]) ?? '';
  return text === '' ? `#${token}` : text.replaceAll('\n', '↵');
}
