/** How programs ask the Hugging Face Hub for models: which server, with which token, and what they say meanwhile. */
import { Option } from 'commander';
import { bytesText } from '../src/base/text.ts';
import type { RemoteOptions } from '../src/run/models/modelsInNode.ts';

export const MODEL_NAMES =
  'bundled model, path of a folder or zip in Hugging Face layout, org/name[@revision] of the Hugging Face Hub (kept on this machine), or the URL of a folder';

export interface HubWords {
  readonly hubUrl?: string;
}

export const adapterOption = (): Option =>
  new Option(
    '--adapter <name>',
    "LoRA adapter in PEFT's files, beside the model: a folder, a zip, or a name of the Hub. One that is named as the model brings its base along",
  );

/** `HF_TOKEN` has no option: words of a command line stay in the shell's history. */
export const hubUrlOption = (): Option =>
  new Option(
    '--hub-url <url>',
    'server with the Hub\u2019s paths; a token for private and gated models comes from HF_TOKEN',
  );

/** Milliseconds between two lines about a download. */
const LINE_MILLISECONDS = 2000;

/** Progress goes to standard error, a line every two seconds. */
export function hubOptions({ hubUrl }: HubWords): RemoteOptions {
  const token = process.env['HF_TOKEN'];
  let said = -Infinity;
  return {
    ...(hubUrl === undefined ? {} : { hubUrl }),
    ...(token === undefined ? {} : { token }),
    onBytes: (done, total) => {
      const now = performance.now();
      if (done === total || now - said < LINE_MILLISECONDS) return;
      said = now;
      console.error(`fetching the model: ${bytesText(done)} of ${bytesText(total)}`);
    },
    onRetry: (why) => console.error(`fetching the model: ${why}; trying again`),
  };
}
