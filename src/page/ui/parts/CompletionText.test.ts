import { describe, expect, it } from 'vitest';
import { segments } from './CompletionText.tsx';

describe('segments', () => {
  it('names tag, spaces and line breaks', () => {
    expect(segments('1+2 = 3\n[ANSWER] 3')).toEqual([
      { kind: 'text', text: '1+2' },
      { kind: 'spaces', text: ' ' },
      { kind: 'text', text: '=' },
      { kind: 'spaces', text: ' ' },
      { kind: 'text', text: '3' },
      { kind: 'newlines', text: '\n' },
      { kind: 'tag', text: '[ANSWER]' },
      { kind: 'spaces', text: ' ' },
      { kind: 'text', text: '3' },
    ]);
  });

  it('knows the marks of every form', () => {
    const kinds = segments('<answer>7</answer>\\boxed{7}<Answer>').map(({ kind }) => kind);
    expect(kinds).toEqual(['tag', 'text', 'tag', 'tag', 'text']);
  });

  it('is case-sensitive about the tag and loses nothing', () => {
    const text = '  [Answer] 12\n\n\t[ANSWER][ANSWER';
    expect(
      segments(text)
        .map((segment) => segment.text)
        .join(''),
    ).toBe(text);
    expect(segments(text).filter((segment) => segment.kind === 'tag')).toHaveLength(1);
  });

  it('takes line breaks in a row together', () => {
    expect(segments('1\n\n\n2')).toEqual([
      { kind: 'text', text: '1' },
      { kind: 'newlines', text: '\n\n\n' },
      { kind: 'text', text: '2' },
    ]);
  });

  it('has no segments for an empty completion', () => {
    expect(segments('')).toEqual([]);
  });
});
