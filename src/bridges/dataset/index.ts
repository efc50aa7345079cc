/** Rows of questions and answers from files (parquet, JSONL, CSV) and from the Hub. */
export { DatasetError } from './datasetError.ts';
export { type DataProgress, parseDatasetAddress, sourceOnHub } from './hubDataset.ts';
export type { DataSource } from './parts.ts';
export {
  datasetRows,
  MOST_BYTES,
  originOf,
  readSource,
  rowsOfSource,
  sourceOfFiles,
  type SourceRows,
} from './readData.ts';
