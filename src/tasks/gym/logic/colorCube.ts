/** A cube with six colours that is turned over. */

export const SIDES = ['top', 'right', 'front', 'left', 'back', 'bottom'] as const;
export type Side = (typeof SIDES)[number];
export type Cube = Readonly<Record<Side, string>>;

export const COLORS: readonly string[] =
  'red green blue yellow white orange purple pink brown gray cyan magenta gold silver indigo violet'.split(
    ' ',
  );

/** Sides that can be turned to the top. */
export const TURNED = ['right', 'front', 'left', 'back', 'bottom'] as const;
export type Turn = (typeof TURNED)[number];

/** The sides that change places: each receives the colour of the one behind it, the last that of the first. */
const CYCLES: Readonly<Record<Exclude<Turn, 'bottom'>, readonly Side[]>> = {
  right: ['top', 'right', 'bottom', 'left'],
  front: ['top', 'front', 'bottom', 'back'],
  left: ['top', 'left', 'bottom', 'right'],
  back: ['top', 'back', 'bottom', 'front'],
};

/** The cube with side `turn` at the top; from the bottom by way of the front, so that left and right stay. */
export function turnCube(cube: Cube, turn: Turn): Cube {
  if (turn === 'bottom') return turnCube(turnCube(cube, 'front'), 'front');
  const turned: Record<Side, string> = { ...cube };
  const cycle = CYCLES[turn];
  for (const [i, side] of cycle.entries()) turned[side] = cube[cycle[(i + 1) % cycle.length] ?? side];
  return turned;
}
