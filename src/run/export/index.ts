/** A run's model in the layouts of transformers and PEFT. */
export { exportCard } from './exportCard.ts';
export { checkpointBytes, exportBytes } from './exportBytes.ts';
export {
  EXPORT_FORMATS,
  type ExportFormat,
  fittingType,
  ggufTypeOf,
  isNumberExport,
  type NumberExport,
  typesOf,
  WEIGHT_TYPES,
  type WeightType,
} from './exportTypes.ts';
export { mergedFolder } from './mergedFolder.ts';
export { peftFolder } from './peftFolder.ts';
export { watched, type WatchOptions } from './watched.ts';
export { type Download, stepOf, zipDownload } from './zipDownload.ts';
