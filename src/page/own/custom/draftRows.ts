/** The rows of a draft from files or from the Hub. Where they can't be had it keeps those it has, and says why. */
import { messageOf } from '@rl-playground/base/errors';
import { parseDatasetAddress } from '../../../bridges/parquet/hubDataset.ts';
import { openBlob } from '@rl-playground/engine/parts';
import {
  readSource,
  sourceOfFiles,
  sourceOnHub,
  type DataProgress,
  type DataSource,
} from '../../../run/data/readData.ts';
import { hubSettings, mayAskHub } from '../../run/model/hubSettings.ts';
import { withTable, type Draft } from './draft.ts';

type Change = (draft: Draft) => Draft;

async function withSource(source: DataSource, name: string): Promise<Change> {
  const table = { ...(await readSource(source, null)), from: source };
  return (draft) => withTable(draft, table, name);
}

export async function withFiles(files: readonly File[]): Promise<Change> {
  const [first] = files;
  try {
    const source = sourceOfFiles(files.map((file) => ({ name: file.name, file: openBlob(file) })));
    return await withSource(source, first?.name ?? '');
  } catch (error) {
    return (draft) => ({ ...draft, error: messageOf(error) });
  }
}

/** Of a dataset `org/name[@revision][:path]`. */
export async function withDataset(
  name: string,
  options: { readonly signal: AbortSignal; readonly onProgress: (progress: DataProgress) => void },
): Promise<Change> {
  try {
    const address = parseDatasetAddress(name);
    if (address === null)
      throw new Error(`"${name}" names no dataset. Write org/name, org/name@revision or org/name:folder.`);
    await mayAskHub();
    const source = await sourceOnHub(address, { ...hubSettings(), ...options });
    return await withSource(source, address.repo.split('/').at(-1) ?? '');
  } catch (error) {
    const reason = options.signal.aborted
      ? 'Loading was cancelled; the rows are as they were.'
      : messageOf(error);
    return (draft) => ({ ...draft, error: reason });
  }
}
