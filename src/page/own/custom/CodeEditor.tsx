import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import {
  bracketMatching,
  defaultHighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { oneDark } from '@codemirror/theme-one-dark';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import classes from './custom.module.css';

/** The colours of One Dark have too little contrast on its own grey. */
const DARKER = EditorView.theme(
  {
    '&': { backgroundColor: 'var(--paper)' },
    '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--ink-faint)' },
  },
  { dark: true },
);

interface CodeEditorProps {
  readonly label: string;
  /** The text at first; later changes go to `onChange`. */
  readonly start: string;
  readonly onChange: (text: string) => void;
}

/** An editor for TypeScript. The Tab key leaves it, like any field of the page. */
export function CodeEditor({ label, start, onChange }: CodeEditorProps): ReactNode {
  const scheme = useComputedColorScheme('light');
  const host = useRef<HTMLDivElement>(null);
  const text = useRef(start);
  const tell = useRef(onChange);
  useEffect(() => {
    tell.current = onChange;
  }, [onChange]);
  useEffect(() => {
    if (host.current === null) return;
    const view = new EditorView({
      doc: text.current,
      parent: host.current,
      extensions: [
        lineNumbers(),
        drawSelection(),
        bracketMatching(),
        indentOnInput(),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        javascript({ typescript: true }),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        scheme === 'dark' ? [DARKER, oneDark] : syntaxHighlighting(defaultHighlightStyle),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          text.current = update.state.doc.toString();
          tell.current(text.current);
        }),
      ],
    });
    return () => view.destroy();
  }, [scheme, label]);
  return <div ref={host} className={classes.code} data-testid="own-code" />;
}
