import { describe, expect, test } from 'vitest';
import { readSftRows, SFT_LIMITS, SftRowsError, writeSftRows } from './sftRows.ts';

const lines = (...values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join('\n');

/** The message about a text that is refused. */
function refusal(text: string): string {
  try {
    readSftRows(text, 'rows.jsonl');
  } catch (error) {
    expect(error).toBeInstanceOf(SftRowsError);
    return error instanceof Error ? error.message : '';
  }
  return 'taken';
}

describe('rows to learn from', () => {
  test('are read from each format of TRL, in order', () => {
    const system = { role: 'system', content: 'Be brief.' };
    const user = { role: 'user', content: '2 + 2?' };
    const assistant = { role: 'assistant', content: '4' };
    const text = lines(
      { prompt: '1 + 1?', completion: '2' },
      { messages: [system, user, assistant] },
      { prompt: [user], completion: [assistant] },
      { prompt: [system, user], completion: 'four' },
      {
        messages: [
          user,
          assistant,
          { role: 'user', content: 'Sure?' },
          { role: 'assistant', content: 'Yes' },
        ],
      },
    );
    expect(readSftRows(text, 'rows.jsonl')).toEqual([
      { prompt: [{ role: 'user', content: '1 + 1?' }], completion: '2' },
      { prompt: [system, user], completion: '4' },
      { prompt: [user], completion: '4' },
      { prompt: [system, user], completion: 'four' },
      { prompt: [user, assistant, { role: 'user', content: 'Sure?' }], completion: 'Yes' },
    ]);
  });

  test('may have a byte order mark, Windows line ends, empty lines, other keys and any signs', () => {
    const text = `\uFEFF{"prompt":"a\\u2028b","completion":" ∑ 👩‍🔬\\n","source":{"x":[1]}}\r\n\r\n  \n{"prompt":"c","completion":"d"}\r\n`;
    expect(readSftRows(text, 'rows.jsonl')).toEqual([
      { prompt: [{ role: 'user', content: 'a\u2028b' }], completion: ' ∑ 👩‍🔬\n' },
      { prompt: [{ role: 'user', content: 'c' }], completion: 'd' },
    ]);
  });

  test('keep what was in them when written and read again', () => {
    const rows = readSftRows(
      lines(
        { prompt: '"quotes"\n\\', completion: '<answer>1</answer>' },
        {
          messages: [
            { role: 'user', content: '__proto__' },
            { role: 'assistant', content: '\u0000 ' + 'x' },
          ],
        },
      ),
      'rows.jsonl',
    );
    expect(readSftRows(writeSftRows(rows), 'again.jsonl')).toEqual(rows);
  });

  test.each([
    ['{"prompt": "a", "completion": ', 'it is not JSON'],
    ['[1, 2]', 'it holds a list of 2; an object is needed'],
    ['null', 'it holds null; an object is needed'],
    ['"text"', 'it holds a text; an object is needed'],
    ['{}', 'it has no keys; "prompt" and "completion", or "messages", are needed'],
    ['{"question": "a", "answer": "b"}', 'it has "question", "answer"; "prompt" and "completion", or'],
    ['{"prompt": "a"}', '"completion" is nothing; a text or a list of one message is needed'],
    ['{"completion": "a"}', '"prompt" is nothing; a text or a list of messages is needed'],
    ['{"prompt": 3, "completion": "a"}', '"prompt" is a number'],
    ['{"prompt": " ", "completion": "a"}', '"prompt" asks nothing; a text is needed'],
    ['{"prompt": "a", "completion": "  \\n"}', '"completion" is empty; the answer to learn is needed'],
    ['{"prompt": [], "completion": "a"}', '"prompt" has no message before the answer'],
    ['{"prompt": "a", "completion": []}', '"completion" is an empty list; a list of exactly one message'],
    [
      '{"prompt": "a", "completion": [{"role": "user", "content": "b"}]}',
      'exactly one message, the assistant',
    ],
    ['{"prompt": "a", "completion": "b", "messages": []}', 'it has "messages" beside "prompt"'],
    ['{"messages": "hello"}', '"messages" is a text; a list of messages is needed'],
    ['{"messages": []}', '"messages" ends with nothing'],
    ['{"messages": [{"role": "user", "content": "a"}]}', '"messages" ends with the role user'],
    ['{"messages": [{"role": "assistant", "content": "a"}]}', 'no message before the answer'],
    [
      '{"messages": [{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}]}',
      'has the assistant speak right before the answer',
    ],
    [
      '{"messages": [{"role": "tool", "content": "a"}]}',
      'message 1 of "messages" has the role "tool"; one of system',
    ],
    ['{"messages": [{"role": "__proto__", "content": "a"}]}', 'has the role "__proto__"'],
    ['{"messages": [{"content": "a"}]}', 'has the role nothing; one of system, user, assistant is needed'],
    ['{"messages": [{"role": "user", "content": ["a"]}]}', 'has a list of 1 as content; a text is needed'],
    [
      lines({
        messages: [
          { role: 'user', content: 'a', tool_calls: null },
          { role: 'assistant', content: '', tool_calls: [{ type: 'function' }] },
        ],
      }),
      'message 2 of "messages" has "tool_calls", which the warm-up can’t hand to the model’s template',
    ],
    [
      lines({ prompt: 'a', completion: [{ role: 'assistant', reasoning_content: 'b', content: 'c' }] }),
      'message 1 of "completion" has "reasoning_content"',
    ],
    [lines({ prompt: 'a', completion: 'b', tools: [{ type: 'function' }] }), 'it has "tools", which'],
    ['{"messages": [7]}', 'message 1 of "messages" is a number; an object with role and content is needed'],
    ['{"__proto__": {"prompt": "a", "completion": "b"}}', 'it has "__proto__"'],
  ])('%s is refused', (line, said) => {
    const text = refusal(`${lines({ prompt: 'a', completion: 'b' })}\n\n${line}`);
    expect(text).toContain('1 of the 2 lines of rows.jsonl can’t be learned from. Line 3: ');
    expect(text).toContain(said);
    expect(text).toContain('Correct or remove it');
  });

  test('name the first three bad lines and count the others', () => {
    const text = refusal(`${'{\n'.repeat(900)}${lines({ prompt: 'a', completion: 'b' })}`);
    expect(text).toMatch(
      /^900 of the 901 lines of .* Line 1: .* Line 2: .* Line 3: .* And 897 more\. Correct or remove them/,
    );
    expect(text).not.toContain('Line 4');
  });

  test('a file of another kind is not read to its end', () => {
    const text = refusal(`${lines({ prompt: 'a', completion: 'b' })}\n${'{\n'.repeat(5000)}`);
    expect(text).toMatch(/^1,000 of the 1,001 lines read so far of rows\.jsonl can’t .* And 997 more\./);
  });

  test.each([
    ['', 'rows.jsonl has no rows; at least 1 is needed'],
    ['\n \r\n', 'rows.jsonl has no rows'],
    ['x'.repeat(SFT_LIMITS.text + 1), '16,000,001 characters; at most 16,000,000 are allowed'],
    [lines({ prompt: 'a', completion: 'b'.repeat(SFT_LIMITS.line) }), 'at most 200,000 are allowed'],
    [
      `${lines({ prompt: 'a', completion: 'b' })}\n`.repeat(SFT_LIMITS.rows + 1),
      '50,001 rows; at most 50,000',
    ],
    [
      lines({ messages: Array.from({ length: 101 }, () => ({ role: 'user', content: 'a' })) }),
      '"messages" has 101 messages; at most 100 are allowed',
    ],
    [`{"prompt":${'['.repeat(90_000)}`, 'it is not JSON'],
    [`{"prompt":"a","completion":${'['.repeat(90_000)}${']'.repeat(90_000)}}`, '"completion" is a list of 1'],
  ])('too little or too much is refused with its count', (text, said) => {
    expect(refusal(text)).toContain(said);
  });
});
