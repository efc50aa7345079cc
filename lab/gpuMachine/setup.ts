/** The knowledge that all parts share: the words of the command, the machine, the adapter that the first part finds, and models. */
import { tmpdir } from 'node:os';
import { statSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundledFolder } from '@rl-playground/run/models/node';
import type { AdapterReport } from './adapterReport.ts';
import type { Place } from './place.ts';
import { writeShapedModel } from '../shapedModel.ts';

export interface Words {
  /** Everything small, for a software adapter. */
  readonly rehearse: boolean;
  /** A real model of 135M parameters; null takes random weights of its shape. */
  readonly model: string | null;
  /** A Python with torch, transformers and peft; null leaves it out. */
  readonly python: string | null;
  /** Peers of `bench` that are left out, parted by commas. */
  readonly without: string | null;
}

export interface FoundAdapter extends AdapterReport {
  readonly software: boolean;
}

export interface Setup extends Words {
  readonly place: Place;
  /** The adapter; null until the part `adapter` has found one. */
  adapter: FoundAdapter | null;
}

/** Returns the reason for which there is no GPU to measure, or null. */
export function withoutGpu({ adapter, rehearse }: Setup): string | null {
  if (adapter === null) return 'no GPU adapter was found.';
  if (!adapter.software || rehearse) return null;
  return 'only a software adapter was found; --rehearse runs everything small on it.';
}

/** Returns the reason for which a page can’t measure the GPU, or null. */
export const withoutPage = (setup: Setup): string | null =>
  setup.place.browser === null ? 'there is no Chromium.' : withoutGpu(setup);

/** The bundled model that stands for every other one in a rehearsal. */
const REHEARSED = 'starter';

/** The folder of a shape’s random weights in bf16, which is written if it is not there; in a rehearsal that of the starter. */
export function shapedFolder({ rehearse }: Setup, shape: string): string {
  if (rehearse) return bundledFolder(REHEARSED);
  const folder = join(tmpdir(), `rl-playground-${shape}-bf16`);
  writeShapedModel(folder, shape, 'BF16');
  return folder;
}

/** The model of 135M parameters: the given one, else one of its shape. */
export const smallModel = (setup: Setup): string =>
  setup.rehearse || setup.model === null ? shapedFolder(setup, 'smollm2-135m') : setup.model;

/** The bytes of a model’s weights in its files. */
export function weightBytes(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  const files = readdirSync(path).filter((name) => name.endsWith('.safetensors'));
  return files.reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

/** A run with LoRA. Its first step compiles kernels and does not count. */
const LORA_RUN = { steps: 4, problems: 4, answers: 8, tokens: 32, rank: 32 };
const SMALL_RUN = { steps: 2, problems: 1, answers: 2, tokens: 8, rank: 4 };

/** The sizes of a run with LoRA. */
export const loraRun = ({ rehearse }: Setup) => (rehearse ? SMALL_RUN : LORA_RUN);

/** The words of `train` and `footprint` for such a run. */
export function loraSettings(setup: Setup): string[] {
  const { steps, problems, answers, tokens, rank } = loraRun(setup);
  const sizes = `--num-steps ${steps} problemsPerStep=${problems} rolloutsPerProblem=${answers} maxTokens=${tokens}`;
  return `${sizes} loraRank=${rank} numGenerators=1 evalSamples=1 evalEvery=0`.split(' ');
}
