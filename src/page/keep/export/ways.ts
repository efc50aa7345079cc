/** All that a run and its model can be saved as, for the Export menu and for the commands. */
import type { LoadedModel } from '@rl-playground/engine/parts';
import { checkpointBytes } from '@rl-playground/run/export';
import type { RunSnapshot } from '@rl-playground/run/session';
import { setOpen } from '../../ui/open/openStore.ts';
import { downloadCheckpoint, downloadRunDirectory } from '../kept/runFiles.ts';
import { copyPageLink } from '../share/links.ts';
import { downloadReport } from './pageReport.ts';

interface Way {
  readonly testId: string;
  readonly name: string;
  readonly what: string;
  /** The size of what is downloaded; absent where it is small, or chosen behind the item. */
  readonly bytes?: number;
  readonly usable: boolean;
  /** It can be done while a run works, too. */
  readonly always?: true;
  readonly act: () => void;
}

export function exportWays(
  { baseApart, config, metrics }: RunSnapshot,
  model: LoadedModel | null,
): readonly Way[] {
  const [begun, stepped] = [config !== null, metrics.length > 0];
  const size = (full: boolean) =>
    model === null ? {} : { bytes: checkpointBytes(model, config, { baseApart, full }) };
  const ways: readonly Way[] = [
    {
      testId: 'download-button',
      name: 'Checkpoint',
      what: 'Weights in Hugging Face layout, optimizer, settings and metrics. Opens here again.',
      ...size(false),
      usable: true,
      act: () => downloadCheckpoint({ full: false }),
    },
    {
      testId: 'full-download-button',
      name: 'Checkpoint with its base model',
      what: 'The same with the model that the adapter belongs to.',
      ...size(true),
      usable: true,
      act: () => downloadCheckpoint({ full: true }),
    },
    {
      testId: 'run-directory-button',
      name: 'Run directory',
      what: begun
        ? 'Settings, metrics, answers, evaluations and checkpoints in one zip. Opens here again.'
        : 'Can be saved as soon as a run has started.',
      usable: begun,
      act: downloadRunDirectory,
    },
    {
      testId: 'report-button',
      name: 'Report',
      what: stepped
        ? 'Result, charts and answers of this run as one HTML file.'
        : 'Can be saved after the first step.',
      usable: stepped,
      always: true,
      act: () => void downloadReport(),
    },
    {
      testId: 'link-button',
      name: 'Copy link',
      what: 'A link with these settings and their seed. It reproduces the run on another machine.',
      usable: true,
      always: true,
      act: () => void copyPageLink(),
    },
    {
      testId: 'export-button',
      name: 'Model, adapter, ONNX or GGUF…',
      what: 'For transformers, PEFT, transformers.js and llama.cpp, for the Hub, or to continue on a cluster.',
      usable: true,
      act: () => setOpen('export'),
    },
  ];
  return baseApart ? ways : ways.filter(({ testId }) => testId !== 'full-download-button');
}
