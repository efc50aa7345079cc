/** Rows of questions and answers from files (parquet, JSONL, CSV) and from the Hub. */
export { DatasetError } from './datasetError.ts';
export { parseDatasetAddress } from './hubDataset.ts';
export {
  badLinesText,
  type DataProgress,
  datasetRows,
  type DataSource,
  MOST_BYTES,
  originOf,
  readSource,
  rowsOfSource,
  sourceOfFiles,
  sourceOnHub,
  type SourceRows,
} from './readData.ts';
