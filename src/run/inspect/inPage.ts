/** The inspection of a model in chosen files, one at a time: for the command line, which drives the page. */
import type { BaseFormat } from '@rl-playground/engine/parts';
import { filesChosen } from '@rl-playground/engine/zip';
import { Inspection } from './inspection.ts';

/** The names of a model and of its adapter, which is null for none. */
export interface ChosenInspection {
  readonly model: string;
  readonly adapter: string | null;
  readonly baseFormat: BaseFormat;
}

let inspection: Inspection | null = null;

/** @throws ModelFileError where model or adapter can't be used. */
export async function openChosen(
  { model, adapter, baseFormat }: ChosenInspection,
  modelFiles: readonly File[],
  adapterFiles: readonly File[],
): Promise<void> {
  const files = {
    model: await filesChosen(model, modelFiles),
    adapter: adapter === null ? null : await filesChosen(adapter, adapterFiles),
  };
  inspection?.dispose();
  inspection = await Inspection.open(files, baseFormat);
}

/** Answers like `Inspection.answer`. @throws Error before `openChosen`. */
export function answerRow(row: string): Promise<string> {
  if (inspection === null) throw new Error('No model was opened to be inspected.');
  return inspection.answer(row);
}
