/** Undo and redo for the program editor: every change is remembered as its inverse. */
import { Transaction, type ChangeSet, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';

const MOST_CHANGES = 500;

/** Undo on Ctrl+Z, redo on Ctrl+Y and Ctrl+Shift+Z (⌘ on a Mac). One of them for each editor. */
export function editorHistory(): Extension {
  const undone: ChangeSet[] = [];
  const done: ChangeSet[] = [];
  let own: ChangeSet[] | null = null;

  const remember = EditorView.updateListener.of(({ transactions }) => {
    for (const { docChanged, changes, startState } of transactions) {
      if (!docChanged) continue;
      const target = own ?? done;
      if (own === null) undone.length = 0;
      target.push(changes.invert(startState.doc));
      if (target.length > MOST_CHANGES) target.shift();
    }
  });

  const walk = (from: ChangeSet[], to: ChangeSet[]) => (view: EditorView) => {
    const changes = from.pop();
    if (changes === undefined) return false;
    own = to;
    view.dispatch({ changes, scrollIntoView: true, annotations: Transaction.userEvent.of('undo') });
    own = null;
    return true;
  };

  return [
    remember,
    keymap.of([
      { key: 'Mod-z', run: walk(done, undone), preventDefault: true },
      { key: 'Mod-y', run: walk(undone, done), preventDefault: true },
      { key: 'Mod-Shift-z', run: walk(undone, done), preventDefault: true },
    ]),
  ];
}
