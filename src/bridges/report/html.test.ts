import { expect, it } from 'vitest';
import { markup } from './html.ts';

it('takes its own words as markup and everything else as text', () => {
  const task = `</td><script>alert("x")</script>&'`;
  expect(markup`<td title="${task}">${task}</td>`.text).toBe(
    '<td title="&lt;/td&gt;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;">' +
      '&lt;/td&gt;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;</td>',
  );
});

it('nests what came out of it, and leaves nothing out but null', () => {
  const rows = ['<a>', 'b'].map((text) => markup`<li>${text}</li>`);
  expect(markup`<ul>${rows}${null}${0}</ul>`.text).toBe('<ul><li>&lt;a&gt;</li><li>b</li>0</ul>');
});

it('shows control characters in place of writing them', () => {
  expect(markup`${'a\u0000b\u001bc\nd'}`.text).toBe('a␀b␛c\nd');
});
