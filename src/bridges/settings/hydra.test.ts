import { describe, expect, it } from 'vitest';
import { compose, type GroupFile } from './hydra.ts';
import { Interpolation, Unresolved } from './interpolate.ts';

const FILES: Readonly<Record<string, GroupFile>> = {
  'paint/red': { tree: { colour: 'red', coat: { layers: 1, matt: true } } },
  'paint/blue': { tree: { colour: 'blue', coat: { layers: 2 } } },
  'paint/mixed': { tree: { defaults: ['red', { brush: 'wide' }, '_self_'], colour: 'purple' } },
  'paint/brush/wide': { tree: { width: 9 } },
  '/common': { tree: { shared: 1, colour: 'none' } },
  'site/roof': { tree: { height: 5 }, package: '_global_' },
  'loop/a': { tree: { defaults: ['a'] } },
};

function run(primary: Readonly<Record<string, unknown>>, ...overrides: (readonly [string, unknown])[]) {
  return compose(
    primary,
    (group, option) => FILES[`${group}/${option}`] ?? null,
    overrides.map(([path, value]) => ({ path, value })),
  );
}

// Expected values follow Hydra's documentation of the defaults list, composition order and packages.
describe('compose', () => {
  it('puts a group under its own name, and under the package behind @', () => {
    expect(run({ defaults: [{ paint: 'red' }, { 'paint@door.outside': 'blue' }] }).tree).toEqual({
      paint: { colour: 'red', coat: { layers: 1, matt: true } },
      door: { outside: { colour: 'blue', coat: { layers: 2 } } },
    });
  });

  it('lets later entries win, with _self_ where it stands and last where it is missing', () => {
    const own = { paint: { colour: 'white' } };
    expect(run({ defaults: ['_self_', { paint: 'red' }], ...own }).tree).toMatchObject({
      paint: { colour: 'red' },
    });
    expect(run({ defaults: [{ paint: 'red' }, '_self_'], ...own }).tree).toEqual({
      paint: { colour: 'white', coat: { layers: 1, matt: true } },
    });
    expect(run({ defaults: [{ paint: 'red' }], ...own }).tree).toMatchObject({ paint: { colour: 'white' } });
  });

  it('follows the defaults of a group’s file, in its own folder', () => {
    expect(run({ defaults: [{ 'paint@wall': 'mixed' }] }).tree).toEqual({
      wall: { colour: 'purple', coat: { layers: 1, matt: true }, brush: { width: 9 } },
    });
  });

  it('puts global packages and files beside the primary one at the root', () => {
    expect(run({ defaults: ['common', { site: 'roof' }, { 'paint@_global_': 'blue' }] }).tree).toEqual({
      shared: 1,
      colour: 'blue',
      coat: { layers: 2 },
      height: 5,
    });
  });

  it('chooses another option by an override entry, and by the command line', () => {
    expect(run({ defaults: [{ paint: 'red' }, { 'override paint': 'blue' }] }).tree).toMatchObject({
      paint: { colour: 'blue' },
    });
    expect(run({ defaults: [{ 'paint@wall': 'red' }] }, ['paint@wall', 'blue']).tree).toMatchObject({
      wall: { colour: 'blue' },
    });
    expect(run({ defaults: [{ 'paint@wall': 'red' }] }, ['paint', 'blue']).tree).toEqual({
      wall: { colour: 'blue', coat: { layers: 2 } },
    });
    expect(run({ defaults: [{ paint: 'red' }] }, ['paint.coat.layers', 7]).tree).toMatchObject({
      paint: { colour: 'red', coat: { layers: 7, matt: true } },
    });
  });

  it('chooses no other option for a file that an option names itself', () => {
    expect(run({ defaults: [{ 'paint@wall': 'red' }] }, ['paint', 'mixed']).tree).toEqual({
      wall: { colour: 'purple', coat: { layers: 1, matt: true }, brush: { width: 9 } },
    });
  });

  it('takes away groups and values, and says where there are none', () => {
    const primary = { defaults: [{ 'paint@wall': 'red' }, { site: 'roof' }], own: { a: 1, b: 2 } };
    const { tree, errors } = run(primary, ['~site', null], ['~own.a', null], ['~wall.coat.matt', true]);
    expect([tree, errors]).toEqual([{ wall: { colour: 'red', coat: { layers: 1 } }, own: { b: 2 } }, []]);
    expect(run(primary, ['~paint', 'red']).tree).toEqual({ own: { a: 1, b: 2 }, height: 5 });
    expect(run(primary, ['~own.c.d', null], ['~toString', null]).errors).toEqual([
      '~own.c.d: there is nothing of that name to take away; leave it out.',
      '~toString: there is nothing of that name to take away; leave it out.',
    ]);
  });

  it('adds a group that the list does not name, behind all others', () => {
    const primary = { defaults: ['_self_'], colour: 'white', door: { colour: 'grey' } };
    expect(run(primary, ['+paint@door', 'blue'], ['++new.value', 3]).tree).toEqual({
      colour: 'white',
      door: { colour: 'blue', coat: { layers: 2 } },
      new: { value: 3 },
    });
    expect(run(primary, ['+paint', 'nothing']).tree).toMatchObject({ paint: 'nothing' });
  });

  it('names what has no file, and takes null for nothing', () => {
    const { tree, choices } = run({
      defaults: [{ paint: 'green' }, { logging: null }, { 'optional paint@x': 'y' }],
    });
    expect(tree).toEqual({});
    expect(choices).toEqual([
      { entry: 'paint', group: 'paint', package: 'paint', option: 'green', found: false },
      { entry: 'logging', group: 'logging', package: 'logging', option: null, found: true },
      { entry: 'paint@x', group: 'paint', package: 'x', option: 'y', found: false },
    ]);
  });

  it('refuses lists that are none, and files that name each other for ever', () => {
    expect(run({ defaults: 'paint' }).errors).toEqual(['defaults: "paint" is no list.']);
    expect(run({ defaults: [3] }).errors).toEqual(['defaults: 3 is neither a name nor "group: name".']);
    expect(run({ defaults: [{ loop: 'a' }] }).errors[0]).toMatch(/more than 10 deep/);
  });
});

describe('Interpolation', () => {
  const root = {
    seed: 7,
    name: 'n',
    which: 'b',
    sizes: { a: 1, b: 2, list: [4, 5] },
    deep: { here: '${.beside}', up: '${..seed}', beside: [1], inner: { far: '${..beside}' } },
    ring: '${ring2}',
    ring2: '${ring}',
  };
  const now = new Date(2031, 1, 3, 4, 5, 6);
  const resolve = (text: string, path: readonly string[] = ['x']) =>
    new Interpolation(root, now).resolve(text, path);

  it.each([
    ['${seed}', 7],
    ['${seed}_${name}', '7_n'],
    ['${sizes.${which}}', 2],
    ['${sizes[a]}', 1],
    ['${sizes.list.1}', 5],
    ['${sizes}', root.sizes],
    ['${deep.here}', [1]],
    ['${deep.up}', 7],
    ['${deep.inner.far}', [1]],
    ['${now:%Y-%m-%d_%H-%M-%S}_${name}', '2031-02-03_04-05-06_n'],
    ['${oc.env:HOME,${name}}', 'n'],
    ['${oc.select:missing,3}', '3'],
    ['${oc.select:seed}', 7],
    ['\\${seed}', '${seed}'],
    ['plain', 'plain'],
  ])('%s', (text, value) => {
    expect(resolve(text)).toEqual(value);
  });

  it.each([
    '${nothing}',
    '${sizes.c}',
    '${toString}',
    '${ring}',
    '${hydra:runtime.cwd}',
    '${oc.env:HOME}',
    '${seed',
  ])('says that %s has no value here', (text) => {
    expect(() => resolve(text)).toThrow(Unresolved);
  });
});
