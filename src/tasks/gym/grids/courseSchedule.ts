import { defineGymTask, real, whole, type ConfigOf } from '../shared/define.ts';
import { shuffled, uniformInt, type Draw } from '@rl-playground/base/random';

const ringHelp = (bound: string) => `${bound} courses that wait for each other where not all can be taken.`;

const fields = {
  min_num_courses: whole('Fewest courses', 'Fewest courses.', 3, 100, 5),
  max_num_courses: whole('Most courses', 'Most courses.', 3, 100, 10),
  min_num_prerequisites: whole(
    'Fewest prerequisites',
    'Fewest that a course has, of those before it.',
    1,
    10,
    1,
  ),
  max_num_prerequisites: whole('Most prerequisites', 'Most that a course has, of those before it.', 1, 10, 2),
  min_cycle_length: whole('Shortest ring', ringHelp('Fewest'), 3, 100, 3),
  max_cycle_length: whole('Longest ring', ringHelp('Most'), 3, 100, 5),
  p_solvable: real('Share that can be taken', 'How often all courses can be taken.', 0, 1, 0.5),
};
type Config = ConfigOf<typeof fields>;

/** A course and one that must be taken before it. */
type Prerequisite = readonly [course: number, before: number];

/** Says whether there is an order, by taking courses without open prerequisites until none is left. */
export function canFinish(courses: number, prerequisites: readonly Prerequisite[]): boolean {
  const open = Array.from({ length: courses }, () => 0);
  for (const [course] of prerequisites) open[course] = (open[course] ?? 0) + 1;
  const free = open.flatMap((count, course) => (count === 0 ? [course] : []));
  for (const taken of free)
    for (const [course, before] of prerequisites) {
      if (before !== taken) continue;
      open[course] = (open[course] ?? 0) - 1;
      if (open[course] === 0) free.push(course);
    }
  return free.length === courses;
}

/** Gives each course but the first some of those before it. If not `solvable`, a ring of courses is added. */
function drawPrerequisites(
  draw: Draw,
  order: readonly number[],
  solvable: boolean,
  config: Config,
): Prerequisite[] {
  const found: Prerequisite[] = order.flatMap((course, place) => {
    if (place === 0) return [];
    const wanted = uniformInt(draw, config.min_num_prerequisites, config.max_num_prerequisites);
    const before = shuffled(draw, order.slice(0, place)).slice(0, wanted);
    return before.map((other): Prerequisite => [course, other]);
  });
  if (!solvable) {
    const length = uniformInt(draw, config.min_cycle_length, config.max_cycle_length);
    const ring = shuffled(draw, order).slice(0, length);
    ring.forEach((course, i) => found.push([course, ring[(i + 1) % ring.length] ?? course]));
  }
  const distinct = new Map(found.map((pair) => [pair.join(), pair]));
  return shuffled(draw, [...distinct.values()]);
}

export const courseSchedule = defineGymTask({
  name: 'course_schedule',
  title: 'Course schedule',
  summary: 'Tell whether courses with prerequisites can all be taken.',
  family: 'grids',
  fields,
  levels: [
    { min_num_courses: 3, max_num_courses: 4, max_num_prerequisites: 1, max_cycle_length: 3 },
    { min_num_courses: 4, max_num_courses: 6, max_num_prerequisites: 1, max_cycle_length: 4 },
    { max_num_courses: 7 },
    {},
    { min_num_courses: 10, max_num_courses: 20, max_num_prerequisites: 3, max_cycle_length: 8 },
  ],
  mayBeFew: ({ max_num_courses }) => max_num_courses <= 5,
  draw(draw, config) {
    const count = uniformInt(draw, config.min_num_courses, config.max_num_courses);
    const courses = shuffled(draw, [...Array(count).keys()]);
    const solvable = draw() < config.p_solvable;
    const prerequisites = drawPrerequisites(draw, courses, solvable, config);
    const finish = canFinish(count, prerequisites);
    const list = prerequisites.map((pair) => `(${pair.join(', ')})`);
    return {
      question: `There are ${count} courses, numbered from 0 to ${count - 1}. In the following list, a pair (a, b) says that course b must be taken before course a:\n[${list.join(', ')}]\n\nCan all courses be taken? Answer True or False.`,
      key: `${count}:${list.toSorted().join()}`,
      answer: finish ? 'True' : 'False',
      data: { courses, prerequisites: prerequisites.map((pair) => [...pair]), solution: finish, solvable },
    };
  },
});
