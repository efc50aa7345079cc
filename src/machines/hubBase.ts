/**
 * The frozen base of a run out of the Hub in place of the run's server. Where the files are from is the run's word, and what they say is theirs:
 * the base made of them counts where it is the one, to the bit, whose SHA-256 the run has signed.
 */
import { messageOf } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import {
  HUB_URL,
  type FindOptions,
  addressText,
  parseModelAddress,
  filesOf,
  findModel,
  type RemoteModel,
  type ModelFiles,
  openHeaders,
  OpenFolder,
  type BaseSource,
  type GeneratorModel,
} from '@rl-playground/engine/parts';
import { baseInFiles } from '@rl-playground/engine/parts/tensors';
import { bytesOfBase } from './basePieces.ts';
import type { ObjectReference } from './messages.ts';
import { LOOK_UP_WITHIN } from './patience.ts';

/** How a machine reaches hubs, if its owner lets it. */
export interface HubAccess {
  /** Whether its owner lets it ask this server. */
  readonly mayAsk: (hubUrl: string) => boolean;
  readonly asking: Pick<FindOptions, 'secret'>;
  /** A model's files, all of them on this machine. @throws where they can't be had. */
  readonly fetched: (model: RemoteModel, signal: AbortSignal) => Promise<ModelFiles>;
}

/** Bytes of files for one of the base, which may be in 4 bits and its files in 32, and beside that: what a run names is not fetched at any size. */
const MOST_TIMES = 10;
const MOST_BESIDE = 64 * 2 ** 20;

/** The digest of a base as the object store writes it, and its length. */
export async function digestOfBase(base: BaseSource): Promise<Pick<ObjectReference, 'digest' | 'bytes'>> {
  const { createSHA256 } = await import('hash-wasm');
  const hasher = await createSHA256();
  let bytes = 0;
  for await (const piece of bytesOfBase(base.pieces())) {
    hasher.update(piece);
    bytes += piece.length;
  }
  const text = btoa(String.fromCharCode(...hasher.digest('binary')));
  return { digest: `SHA-256=${text.replaceAll('+', '-').replaceAll('/', '_')}`, bytes };
}

type Origin = NonNullable<GeneratorModel['origin']>;

/** As people read it. */
export const originText = ({ name, commit, hubUrl }: Origin): string =>
  `${name} at ${commit?.slice(0, 8) ?? 'no commit'} of ${new URL(hubUrl ?? HUB_URL).host}`;

/**
 * Null where the run names no commit of a hub, or this machine may not ask it.
 * @throws a sentence where the hub can't be reached, or what it has is another base.
 */
export async function baseFromHub(
  { mayAsk, asking, fetched }: HubAccess,
  { config, frozen, origin }: GeneratorModel,
  signed: ObjectReference,
  signal: AbortSignal,
): Promise<BaseSource | null> {
  if (frozen === undefined || !origin || origin.commit === null) return null;
  const { name, commit } = origin;
  const hubUrl = origin.hubUrl ?? HUB_URL;
  if (!mayAsk(hubUrl)) return null;
  const address = parseModelAddress(`${name}@${commit}`);
  if (address?.kind !== 'hub') throw new Error('what the run names is no model of a hub');
  const lookUp = AbortSignal.any([signal, AbortSignal.timeout(LOOK_UP_WITHIN)]);
  const found = await findModel(address, { ...asking, hubUrl, signal: lookUp }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw lookUp.aborted ? new Error(`${hubUrl} said nothing for ${LOOK_UP_WITHIN / 1000} s`) : error;
  });
  if (found.origin.commit !== commit)
    throw new Error(`${hubUrl} has another commit of ${addressText(address)}`);
  if (found.bytes > MOST_TIMES * signed.bytes + MOST_BESIDE)
    throw new Error(
      `its files there are ${bytesText(found.bytes)}, for a base of ${bytesText(signed.bytes)}`,
    );
  // Names and shapes, before any weights.
  await openHeaders(filesOf(found, { ...asking, signal }), config);
  const files = await fetched(found, signal);
  const base = baseInFiles(config, await openHeaders(new OpenFolder(files, { signal }), config), frozen);
  const { digest, bytes } = await digestOfBase(base);
  if (digest !== signed.digest || bytes !== signed.bytes)
    throw new Error('what its files there make has another SHA-256 than the run has signed');
  return base;
}

/** What is said where it did not come from there. */
export const whyNotFromHub = (origin: Origin, error: unknown): string =>
  `The model’s base, ${originText(origin)}, comes from the run’s server: ${messageOf(error)}`;
