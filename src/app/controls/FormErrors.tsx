import type { ReactNode } from 'react';
import { fieldOf } from '../form/settings.ts';
import { useFormErrors } from './useField.ts';
import classes from './controls.module.css';

/** What has to change before training, wherever its setting is folded away. */
export function FormErrors(): ReactNode {
  const errors = useFormErrors();
  if (errors.size === 0) return null;
  return (
    <div className={classes.errors} role="alert">
      <b>Can’t train with these settings:</b>
      <ul>
        {[...errors].map(([key, message]) => (
          <li key={key}>
            {fieldOf(key).label}: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
