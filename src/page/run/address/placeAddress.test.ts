import { expect, it } from 'vitest';
import { withPlace } from './placeAddress.ts';

it('names the place that the rest of the address does not lead to, and leaves the rest as it is', () => {
  expect(withPlace('', 'train')).toBe('');
  expect(withPlace('?place=runs', 'train')).toBe('');
  expect(withPlace('?backend=wasm&v=6&task=gcd', 'runs')).toBe('?place=runs&backend=wasm&v=6&task=gcd');
  expect(withPlace('?place=runs&v=6&task=gcd', 'make')).toBe('?place=make&v=6&task=gcd');
  // A lesson of a link opens at Learn.
  expect(withPlace('?place=train&lesson=format', 'learn')).toBe('?lesson=format');
  expect(withPlace('?lesson=format', 'train')).toBe('?place=train&lesson=format');
});
