/** The inspection of a model that a server beside the page lists, one at a time: for the command line, which drives the page. */
import { type BaseFormat, filesOnServer } from '@rl-playground/engine/parts';
import { Inspection } from './inspection.ts';

interface Served {
  readonly label: string;
  readonly address: string;
}

export interface ServedInspection {
  readonly model: Served;
  readonly adapter: Served | null;
  readonly baseFormat: BaseFormat;
}

let inspection: Inspection | null = null;

/** @throws ModelFileError where model or adapter can't be used. */
export async function openServed({ model, adapter, baseFormat }: ServedInspection): Promise<void> {
  const files = {
    model: await filesOnServer(model.label, model.address),
    adapter: adapter && (await filesOnServer(adapter.label, adapter.address)),
  };
  inspection?.dispose();
  inspection = await Inspection.open(files, baseFormat);
}

/** Answers like `Inspection.answer`. @throws Error before `openServed`. */
export function answerRow(row: string): Promise<string> {
  if (inspection === null) throw new Error('No model was opened to be inspected.');
  return inspection.answer(row);
}
