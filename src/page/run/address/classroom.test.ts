import { describe, expect, it } from 'vitest';
import { FIELD_KEYS } from '@rl-playground/run/settings';
import { beginsAtLessons, classroomQuery, LONGEST_NOTE, readClassroom } from './classroom.ts';

const read = (query: string) => readClassroom(new URLSearchParams(query));

describe('a link for a class', () => {
  it('keeps settings as they are and leaves out parts of the page', () => {
    const { locked, hidden, refused } = read('lock=learningRate,loss&hide=runs,%20tools');
    expect([...locked]).toEqual(['learningRate', 'loss']);
    expect([...hidden]).toEqual(['runs', 'tools']);
    expect(refused).toEqual([]);
  });

  it('may keep all of them, or take nothing away', () => {
    expect(read('lock=all').locked).toEqual(new Set(FIELD_KEYS));
    expect(read('seed=3')).toEqual({ locked: new Set(), hidden: new Set(), refused: [] });
  });

  it('names what it does not know, shortened, and goes on with the rest', () => {
    const { locked, hidden, refused } = read(
      `lock=rate,seed&hide=${'x'.repeat(500)},runs,__proto__,toString`,
    );
    expect([...locked]).toEqual(['seed']);
    expect([...hidden]).toEqual(['runs']);
    expect(refused[0]).toBe('lock: "rate" is not a setting; docs/settings.md lists them, or write all.');
    expect(refused).toHaveLength(4);
    expect(refused[1]?.length).toBeLessThan(250);
  });

  it('opens a lesson, of those that there are', () => {
    expect(read('lesson=group-size')).toMatchObject({ lesson: 'group-size', refused: [] });
    const { lesson, refused } = read('lesson=toString');
    expect(lesson).toBeUndefined();
    expect(refused).toEqual([expect.stringContaining('"toString" does not exist; choose one of: format,')]);
  });

  it('has the teacher’s words, up to a length', () => {
    expect(read('note=%20Hello%2C%0Aread%20this.%20').note).toBe('Hello,\nread this.');
    expect(read('note=%20').note).toBeUndefined();
    const { note, refused } = read(`note=${'x'.repeat(LONGEST_NOTE + 1)}`);
    expect(note).toHaveLength(LONGEST_NOTE);
    expect(refused).toEqual(['note: it has 501 characters, and the first 500 are shown.']);
  });

  it('opens the page with the lessons, where it names one or has words', () => {
    expect(beginsAtLessons(read('lesson=clipping'))).toBe(true);
    expect(beginsAtLessons(read('note=Read'))).toBe(true);
    expect(beginsAtLessons(read('lock=all'))).toBe(false);
    expect(beginsAtLessons(read('lesson=clipping&hide=lessons'))).toBe(false);
  });

  it('is written as it is read', () => {
    for (const query of [
      'lock=all&hide=runs',
      'lock=loss',
      'hide=charts,rollouts',
      'hide=runs&lesson=clipping',
      'lesson=kl&note=Predict+%C3%BCberall%2C+then+run.%0A%26+hand+in',
      '',
    ])
      expect(new URLSearchParams(classroomQuery(read(query))).toString()).toBe(
        new URLSearchParams(query).toString(),
      );
  });
});
