/** A model for transformers.js on the Hub or in a folder of a server, before any of it is fetched. */
import { flatName, ONNX_TEXTS, onnxChoice, onnxPaths } from '../onnxChoice.ts';
import { ModelFileError, type ModelOrigin } from '../types.ts';
import { listRepository, type FindOptions } from './listing.ts';
import { addressText, type HubAddress, type ModelAddress } from './modelAddress.ts';
import type { RemoteFile } from './remoteFile.ts';
import { fileAt, modelOf, type RemoteModel } from './remoteModel.ts';

/**
 * Looks up the texts of a model and the one ONNX file of it that suits the device. They are kept in one folder, without those of the repository.
 *
 * @throws ModelFileError that says what to do, or the signal's reason.
 */
export async function findOnnxModel(
  address: ModelAddress,
  device: 'wasm' | 'webgpu',
  options: FindOptions = {},
): Promise<RemoteModel> {
  const label = addressText(address);
  const { files, origin } = await (address.kind === 'hub'
    ? onHub(address, label, options)
    : inFolder(address.url, label, device, options));
  const chosen = onnxChoice(
    files.map(({ path }) => path),
    device,
  );
  if (chosen === null)
    throw new ModelFileError(
      `${label}: a reward model needs ${ONNX_TEXTS.join(', ')} and an ONNX file such as onnx/model.onnx, and these are not all there. Choose a copy for transformers.js, such as those of Xenova and onnx-community on the Hub.`,
    );
  const ofChoice = chosen.flatMap((path) => files.find((file) => file.path === path) ?? []);
  const [graph = ''] = chosen.slice(ONNX_TEXTS.length);
  return modelOf(
    label,
    // Its folder is another than that of the same repository's weights to train.
    { ...origin, name: `${origin.name}:${graph}` },
    ofChoice.map((file) => ({ ...file, path: flatName(file.path) })),
  );
}

interface Found {
  readonly files: readonly RemoteFile[];
  readonly origin: ModelOrigin;
}

async function onHub(address: HubAddress, label: string, options: FindOptions): Promise<Found> {
  const { files, commit, hubUrl } = await listRepository('model', address, label, options, true);
  const { repo: name, revision } = address;
  return { files, origin: { name, revision, commit, hubUrl } };
}

/** A plain folder has no list: names are asked for until there is a graph. */
async function inFolder(
  folder: string,
  label: string,
  device: 'wasm' | 'webgpu',
  options: FindOptions,
): Promise<Found> {
  const origin = { name: folder, revision: null, commit: null, hubUrl: null };
  const found = async (path: string): Promise<RemoteFile[]> => {
    const file = await fileAt(`${folder}${path}`, path, label, options);
    return file === null ? [] : [file];
  };
  const texts = (await Promise.all(ONNX_TEXTS.map(found))).flat();
  for (const path of onnxPaths(device)) {
    const graph = await found(path);
    if (graph.length > 0) return { files: [...texts, ...graph, ...(await found(`${path}_data`))], origin };
  }
  return { files: texts, origin };
}
