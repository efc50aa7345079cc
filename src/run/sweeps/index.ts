/** Results of many runs as a table. */
export {
  readSweep,
  readSweepRecord,
  type Sweep,
  SWEEP_FILE,
  SWEEP_RUNS,
  type SweepRun,
  writeSweep,
} from './sweepFile.ts';
export {
  type Measure,
  type MeasureName,
  MEASURES,
  settingText,
  type Summary,
  type SweepRow,
  sweepTable,
} from './sweepTable.ts';
