/** Rows that tasks ask. */
export { promptsInWords } from './promptsInWords.ts';
export {
  askedTasks,
  customTasksOf,
  provideRows,
  rowsProblem,
  type RunProblem,
  taskRowsOf,
  tasksOfRows,
} from './taskRows.ts';
