/** The table of a run's transitions, gone through in full against one that is written out here. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GeneratorModel, LoadedModel } from '@rl-playground/engine/parts';
import { createLocalPool, startBackend } from '@rl-playground/engine/parts/tensors';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { RunLog } from '../records/runLog.ts';
import { defaultConfig } from '../settings/presets/presets.ts';
import { next, RunMachine, standAt, type RunEvent, type RunState, type Stand } from './runState.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';

type Name = RunState['name'];
type Type = RunEvent['type'];

/** The state behind each event that a state allows, with a run on the device. */
const ALLOWED: Readonly<Record<Name, Partial<Record<Type, Name>>>> = {
  Idle: { begin: 'Opening' },
  Opening: {
    hold: 'Opening',
    renew: 'Opening',
    work: 'Working',
    wish: 'Opening',
    reopen: 'Opening',
    rest: 'Resting',
    lose: 'Lost',
  },
  Working: { wish: 'Working', reopen: 'Opening', rest: 'Resting', lose: 'Lost' },
  Resting: { begin: 'Opening' },
  Lost: { begin: 'Opening' },
};
const NAMES: readonly Name[] = ['Idle', 'Opening', 'Working', 'Resting', 'Lost'];
const TYPES: readonly Type[] = ['begin', 'hold', 'renew', 'work', 'wish', 'reopen', 'rest', 'lose'];

let model: LoadedModel;
let session: Session;
let stand: Stand;
let pools = 0;

const openSession = (): Promise<Session> =>
  Session.open({ ...defaultConfig('reverse_digits'), numGenerators: 1, maxTokens: 4 }, freshStart(model), {
    createPool: (generatorModel: GeneratorModel) => {
      const pool = createLocalPool(generatorModel);
      pools++;
      return {
        ...pool,
        dispose: () => {
          pools--;
          pool.dispose();
        },
      };
    },
    now: () => 0,
  });

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  model = await tinyStarter(starterInNode());
  session = await openSession();
  stand = standAt(await session.parts(), session.log);
});
afterAll(() => session.dispose());

function stateOf(name: Name): RunState {
  const busy = { wish: 'go' as const, abort: new AbortController() };
  switch (name) {
    case 'Idle':
      return { name, run: null };
    case 'Opening':
      return { name, run: stand, deviceGone: false, ...busy };
    case 'Working':
      return { name, run: session, ...busy };
    case 'Resting':
    case 'Lost':
      return { name, run: session };
  }
}

const eventOf = (type: Type): RunEvent => {
  if (type === 'wish') return { type, wish: 'stop' };
  return type === 'begin' || type === 'renew' ? { type } : { type, run: session };
};

describe.each(NAMES)('a run that is %s', (name) => {
  it.each(TYPES)('allows or refuses to %s', (type) => {
    const after = ALLOWED[name][type];
    const take = (): RunState => next(stateOf(name), eventOf(type));
    if (after === undefined)
      expect(take).toThrow(type === 'begin' ? 'The engine is busy' : `A run that is ${name} can’t ${type}.`);
    else expect(take().name).toBe(after);
  });
});

describe('a run', () => {
  it('without a run at rest is Idle', () => {
    expect(next(stateOf('Opening'), { type: 'rest', run: null })).toEqual({ name: 'Idle', run: null });
  });

  it('that rests while its device is gone is Lost until another device has come up', () => {
    const opening = next(stateOf('Lost'), { type: 'begin' });
    expect(next(opening, { type: 'rest', run: stand })).toEqual({ name: 'Lost', run: stand });
    const renewed = next(opening, { type: 'renew' });
    expect(next(renewed, { type: 'rest', run: stand })).toEqual({ name: 'Resting', run: stand });
  });

  it('keeps what a person wished while it is opened, trained and opened again', () => {
    const wished = next(stateOf('Opening'), { type: 'wish', wish: 'pause' });
    const working = next(wished, { type: 'work', run: session });
    const again = next(working, { type: 'reopen', run: stand });
    expect([working, again]).toMatchObject([
      { name: 'Working', wish: 'pause' },
      { name: 'Opening', wish: 'pause', run: stand, deviceGone: true },
    ]);
    const later = next(next(again, { type: 'rest', run: stand }), { type: 'begin' });
    expect(later).toMatchObject({ wish: 'go' });
  });

  it('off the device says of itself what its checkpoint says', async () => {
    const { config, step, sftLosses, evaluations, promptMoment } = session;
    expect(stand).toMatchObject({ config, step, sftLosses, evaluations, log: session.log });
    expect(stand.promptMoment).toBe(promptMoment);
    expect(await stand.parts()).toBe(stand.saved);
    const begun = standAt({ ...freshStart(model), runConfig: null }, new RunLog());
    expect(begun).toMatchObject({ config: null, step: 0, sftLosses: [], evaluations: [] });
  });
});

describe('the machine', () => {
  it('takes a session off the device when it lets go of it, and never before', async () => {
    const machine = new RunMachine();
    const before = pools;
    const own = await openSession();
    expect(pools).toBe(before + 1);
    machine.apply({ type: 'begin' });
    machine.apply({ type: 'work', run: own });
    machine.want('stop', { atOnce: true });
    expect([machine.isBusy, machine.wish, machine.signal.aborted]).toEqual([true, 'stop', true]);
    machine.apply({ type: 'rest', run: own });
    expect([machine.isBusy, machine.wish, machine.run]).toEqual([false, 'go', own]);
    machine.apply({ type: 'begin' });
    expect([machine.signal.aborted, pools]).toEqual([false, before + 1]);
    machine.apply({ type: 'hold', run: stand });
    expect([machine.run, pools]).toEqual([stand, before]);
  });
});
