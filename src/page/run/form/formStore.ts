/** What the next run is made of: the settings form, the user's tasks and rows. This module alone changes it. */
import { create } from 'zustand';
import type { RunConfig } from '@rl-playground/run/settings';
import type { SftFile } from '@rl-playground/run/sft';
import type { DataProgress } from '@rl-playground/bridges/dataset';
import type { Task } from '@rl-playground/tasks/parts';
import { readAddress } from '../address/address.ts';
import type { Classroom, PagePart } from '../address/classroom.ts';
import { addNotice, removeNotice } from '../../ui/open/openStore.ts';
import { withLocked } from './locks.ts';

/** The rows of a task that is asked from a dataset: how far they are, and what happened last. */
interface DatasetState {
  /** Bytes so far while the Hub's files come in; null while nothing is loading. */
  readonly progress: DataProgress | null;
  /** What happened last, in words; empty before anything did. */
  readonly said: string;
  readonly failed: boolean;
  /** Counts the times that rows were provided, so that what shows problems draws them anew. */
  readonly provided: number;
}

/** The rows that a warm-up learns from. */
interface SftRowsState {
  readonly file: SftFile | null;
  /** Name of the file being read; null while none is. */
  readonly reading: string | null;
  /** Why the last file was not taken, or is not kept; null where all went well. */
  readonly problem: string | null;
}

export interface FormState {
  readonly form: RunConfig;
  /** What the address takes away. */
  readonly classroom: Classroom;
  /** The user's tasks, in the order of their names. */
  readonly customTasks: readonly Task[];
  readonly dataset: DatasetState;
  readonly sftRows: SftRowsState;
}

export const useForm = create<FormState>(() => {
  const { config, classroom, notices } = readAddress(window.location.search);
  for (const notice of notices) addNotice(notice);
  return {
    form: config,
    classroom,
    customTasks: [],
    dataset: { progress: null, said: '', failed: false, provided: 0 },
    sftRows: { file: null, reading: null, problem: null },
  };
});

/** Whether the address leaves a part of the page out. */
export function useHidden(part: PagePart): boolean {
  return useForm((state) => state.classroom.hidden.has(part));
}

/** The notice of what is wrong with the form. */
export const FORM_NOTICE = 'form';

/** The form takes the settings of something that was opened or made, locked ones too; what was said about the old ones no longer holds. */
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
