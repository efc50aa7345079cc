/** The options with which programs ask the Hugging Face Hub for models: the server, the token, and messages meanwhile. */
import { InvalidArgumentError, Option } from 'commander';
import { bytesText } from '@rl-playground/base/text';
import { HUB_URL, type AllowServer, ModelFileError } from '@rl-playground/engine/parts';
import type { RemoteOptions } from '@rl-playground/run/models/node';
import { parseServerAddress } from '@rl-playground/machines';
import { printProblem } from '@rl-playground/base/print';
import { readBy } from './program.ts';
import { hubSecret } from '@rl-playground/bridges/trackers';

export const MODEL_NAMES =
  'bundled model, path of a GGUF file, or of a folder or zip in Hugging Face layout, org/name[@revision] of the Hugging Face Hub (kept on this machine), or the URL of a folder';

export interface HubWords {
  readonly hubUrl?: string;
  /** The origins of servers that a file may name. */
  readonly allowServer?: readonly string[];
}

export const adapterOption = (): Option =>
  new Option(
    '--adapter <name>',
    "LoRA adapter in PEFT's files, beside the model: a folder, a zip, or a name of the Hub. One that is named as the model brings its base along",
  );

/** The options that name the servers. */
export const hubWords = ({ hubUrl, allowServer }: HubWords): HubWords => ({
  ...(hubUrl !== undefined && { hubUrl }),
  ...(allowServer && { allowServer }),
});

/** @throws InvalidArgumentError */
function addressOfHub(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError(`"${text}" is no address of a server; it begins with https:// or http://.`);
}

/** The option for the server's address. `HF_TOKEN` has no option, because words of a command line stay in the shell's history. */
export const hubUrlOption = (): Option =>
  new Option(
    '--hub-url <url>',
    'server with the Hub\u2019s paths, to which the token in HF_TOKEN then goes, for private and gated models',
  ).argParser(addressOfHub);

export const allowServerOption = (): Option =>
  new Option(
    '--allow-server <address>',
    'a server that a file names (a run, a checkpoint, an adapter, settings) may be asked, without a token; may be repeated',
  ).argParser((text: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    new URL(addressOfHub(text)).origin,
  ]);

/** The option for the server at which machines meet. */
export const joinOption = (): Option =>
  new Option(
    '--join <address>',
    'a NATS server, as npx rl-playground hub prints it: nats://TOKEN@host:4222',
  ).argParser(readBy(parseServerAddress));

/** Refuses every server that a file names and the command line does not. */
function allowed({ hubUrl, allowServer = [] }: HubWords): AllowServer {
  const known = new Set([HUB_URL, ...(hubUrl === undefined ? [] : [new URL(hubUrl).origin]), ...allowServer]);
  return async (url, namedBy) => {
    if (!URL.canParse(url))
      throw new ModelFileError(`${namedBy} names the server "${url}", which is no address of one.`);
    const { origin } = new URL(url);
    if (!known.has(origin))
      throw new ModelFileError(
        `${namedBy} names the server ${origin}, which nobody has allowed; nothing was asked of it. If you trust it, add --allow-server ${origin}; if it is your Hub, --hub-url ${origin}, which also sends it the token in HF_TOKEN.`,
      );
  };
}

/** Milliseconds between two lines about a download. */
const LINE_MILLISECONDS = 2000;

/** Options that print progress to standard error, a line every two seconds. */
export function hubOptions(words: HubWords): RemoteOptions {
  const { hubUrl } = words;
  const secret = hubSecret(hubUrl, process.env);
  let said = -Infinity;
  return {
    ...(hubUrl === undefined ? {} : { hubUrl }),
    ...(secret && { secret }),
    allow: allowed(words),
    onBytes: (done, total) => {
      const now = performance.now();
      if (done === total || now - said < LINE_MILLISECONDS) return;
      said = now;
      printProblem(`fetching the model: ${bytesText(done)} of ${bytesText(total)}`);
    },
    onRetry: (why) => printProblem(`fetching the model: ${why}; trying again`),
  };
}
