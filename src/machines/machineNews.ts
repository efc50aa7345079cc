/** The work of a machine as one state, which a page shows and the command line prints. */
import { Observed } from '@rl-playground/base/observed';
import { textOfTokens } from '@rl-playground/engine/parts';
import type { MachineEvent } from './machine.ts';
import { runLabel } from './names.ts';

const RECENT = 6;

export interface ShownAnswer {
  /** The number of the group among those that were answered here. */
  readonly id: number;
  readonly question: string;
  readonly answer: string;
}

export interface MachineState {
  readonly state: 'connecting' | 'waiting' | 'working' | 'left';
  /** The device in words; null until it is known. */
  readonly device: string | null;
  /** True if the answers equal the trainer's to the bit, judged by what both report about themselves; null while there is no run. */
  readonly alike: boolean | null;
  readonly run: { readonly name: string; readonly about: string } | null;
  readonly others: readonly string[];
  readonly question: string | null;
  readonly recent: readonly ShownAnswer[];
  readonly answers: number;
  readonly tokens: number;
  readonly seconds: number;
  /** The origin of the run's frozen base, in a sentence; null if only its server is asked. */
  readonly base: string | null;
  readonly problem: string | null;
  readonly lastRun: string | null;
}

const BEFORE: MachineState = {
  state: 'connecting',
  device: null,
  alike: null,
  run: null,
  others: [],
  question: null,
  recent: [],
  answers: 0,
  tokens: 0,
  seconds: 0,
  base: null,
  problem: null,
  lastRun: null,
};

export class MachineNews extends Observed<MachineState> {
  /** The seconds spent on runs that are over. */
  #earlierSeconds = 0;
  /** The groups of the present request without an answer. */
  #awaited = 0;
  #textOf: (ids: readonly number[]) => string = () => '';

  constructor() {
    super(BEFORE);
  }

  hear(event: MachineEvent): void {
    const { answers, tokens, recent, question } = this.snapshot();
    switch (event.kind) {
      case 'waiting':
        this.update({ state: 'waiting', run: null, others: event.others, question: null });
        return;
      case 'joined': {
        const { about } = event.run;
        this.update({
          state: 'working',
          run: { name: runLabel(event.run), about },
          base: null,
          problem: null,
          lastRun: null,
        });
        return;
      }
      case 'asked': {
        const { tokenBytes } = event.model.model;
        const [group] = event.request.groups;
        this.#textOf = (ids) => (tokenBytes ? textOfTokens(tokenBytes, ids).trim() : '');
        this.#awaited = event.request.groups.length;
        this.update({ question: group ? this.#textOf(group.promptIds) : question });
        return;
      }
      case 'answered': {
        const { asked, group, busySeconds } = event;
        const [first] = group.completions;
        const shown = {
          id: (recent[0]?.id ?? 0) + 1,
          question: this.#textOf(asked.promptIds),
          answer: this.#textOf(first?.tokens ?? []),
        };
        this.update({
          answers: answers + group.completions.length,
          tokens: tokens + group.completions.reduce((sum, each) => sum + each.tokens.length, 0),
          seconds: this.#earlierSeconds + busySeconds,
          recent: [shown, ...recent].slice(0, RECENT),
          question: --this.#awaited > 0 ? question : null,
          problem: null,
        });
        return;
      }
      case 'left':
        this.#earlierSeconds = this.snapshot().seconds;
        this.update({
          run: null,
          alike: null,
          question: null,
          lastRun: `Left ${runLabel(event.run)}: ${event.reason}.`,
        });
        return;
      case 'base':
        this.update({ base: event.text });
        return;
      case 'trouble':
        this.update({ problem: event.text });
    }
  }
}
