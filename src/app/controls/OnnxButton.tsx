import type { ReactNode } from 'react';
import { downloadOnnx } from '../actions.ts';
import { DownloadIcon } from '../icons.tsx';
import { percent } from '../format/format.ts';
import { canStart } from '../transport/phases.ts';
import { useApp } from '../store.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import classes from './controls.module.css';

/** The model out of the page for other pages. */
export function OnnxButton(): ReactNode {
  const progress = useApp((state) => state.onnxProgress);
  const startable = useApp((state) => canStart(state.snapshot));
  return (
    <div className={classes.row}>
      <span className={classes.label}>For transformers.js</span>
      <span className={classes.buttons}>
        <ActionButton
          variant="default"
          size="xs"
          leftSection={<DownloadIcon />}
          data-testid="onnx-button"
          aria-label="Download ONNX (transformers.js)"
          title="A zip that transformers.js runs on any page: the model as ONNX, its configs and tokenizer"
          usable={startable && progress === null}
          onClick={downloadOnnx}
        >
          {progress === null ? 'ONNX' : percent(progress, 0)}
        </ActionButton>
      </span>
    </div>
  );
}
