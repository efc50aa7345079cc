/** A model's answers to rows, and their scores. */
export { Inspection, type InspectionFiles } from './inspection.ts';
export { ROW_FORMS } from './rows.ts';
