/** The ingredients of the next run: the form of settings, the user's tasks and rows. This module alone changes them. */
import { create } from 'zustand';
import type { RunConfig } from '@rl-playground/run/settings';
import type { SftFile } from '@rl-playground/run/sft';
import type { DownloadProgress } from '@rl-playground/engine/parts';
import type { DataProgress } from '@rl-playground/bridges/dataset';
import type { Task } from '@rl-playground/tasks/parts';
import { readAddress } from '../address/address.ts';
import type { Classroom, PagePart } from '../address/classroom.ts';
import { addNotice, beginAt, removeNotice } from '../../ui/open/openStore.ts';
import { withLocked } from './locks.ts';

interface DatasetState {
  /** The bytes that have come from the Hub; null while nothing is loading. */
  readonly progress: DataProgress | null;
  /** The outcome of the last work; empty before there was any. */
  readonly said: string;
  readonly failed: boolean;
  /** The number of times that rows were provided, so that problems are drawn anew. */
  readonly provided: number;
}

interface SftRowsState {
  readonly file: SftFile | null;
  /** The name of the file that is being read, if any. */
  readonly reading: string | null;
  /** The reason why the last file was not taken or is not kept. */
  readonly problem: string | null;
}

interface RewardState {
  readonly work: 'looking' | 'loading' | 'opening' | null;
  readonly progress: DownloadProgress | null;
  /** The model that runs are given; null before there is one. */
  readonly ready: { readonly name: string; readonly bytes: number } | null;
  /** The outcome of the last work; empty before there was any. */
  readonly said: string;
  readonly failed: string | null;
}

export interface FormState {
  readonly form: RunConfig;
  readonly classroom: Classroom;
  readonly customTasks: readonly Task[];
  readonly dataset: DatasetState;
  readonly sftRows: SftRowsState;
  readonly reward: RewardState;
}

export const useForm = create<FormState>(() => {
  const { config, classroom, place, notices } = readAddress(window.location.search);
  beginAt(place);
  for (const notice of notices) addNotice(notice);
  return {
    form: config,
    classroom,
    customTasks: [],
    dataset: { progress: null, said: '', failed: false, provided: 0 },
    sftRows: { file: null, reading: null, problem: null },
    reward: { work: null, progress: null, ready: null, said: '', failed: null },
  };
});

/** True if the address leaves out this part of the page. */
export function useHidden(part: PagePart): boolean {
  return useForm((state) => state.classroom.hidden.has(part));
}

export const FORM_NOTICE = 'form';

/** Gives the form the settings of something that was opened or made, locked ones too, and removes the notice about the old ones. */
export function takeForm(change: (form: RunConfig) => RunConfig): void {
  useForm.setState(({ form }) => ({ form: change(form) }));
  removeNotice(FORM_NOTICE);
}

/** Changes the form as far as the link that opened the page allows. */
export function changeForm(change: (form: RunConfig) => RunConfig): void {
  const { locked } = useForm.getState().classroom;
  takeForm((form) => withLocked(form, change(form), locked));
}

export const showCustomTasks = (customTasks: readonly Task[]): void => useForm.setState({ customTasks });

export const changeDataset = (changes: Partial<DatasetState>): void =>
  useForm.setState(({ dataset }) => ({ dataset: { ...dataset, ...changes } }));

export const changeSftRows = (changes: Partial<SftRowsState>): void =>
  useForm.setState(({ sftRows }) => ({ sftRows: { ...sftRows, ...changes } }));

export const changeReward = (changes: Partial<RewardState>): void =>
  useForm.setState(({ reward }) => ({ reward: { ...reward, ...changes } }));
