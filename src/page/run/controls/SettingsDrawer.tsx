/** The drawer of every setting that has no place of its own on the page, with a search. */
import { CloseButton, Switch, TextInput } from '@mantine/core';
import { useFocusTrap, useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { FIELDS, type FieldDescription, type FieldKey, type RunConfig } from '@rl-playground/run/settings';
import { findTask, MIXTURE } from '@rl-playground/tasks/parts';
import { changedKeys } from '../form/settings.ts';
import { findSettings, isShown } from '../form/shown.ts';
import { LinkButton } from '../../ui/parts/buttons.tsx';
import { DRAWER_ID, NARROW } from '../../ui/open/places.ts';
import { useFormErrors } from '../form/useField.ts';
import { useOpen, closeDrawer } from '../../ui/open/openStore.ts';
import { useForm } from '../form/formStore.ts';
import { placedElsewhere, showSetting } from './settingPlaces.ts';
import { PresetSelect, SettingGroups } from './SettingGroups.tsx';
import classes from './drawer.module.css';

/** Tells whether the page shows the setting for the chosen task. */
function isDrawn({ task }: RunConfig, key: FieldKey): boolean {
  if (key === 'mixture') return task === MIXTURE;
  return key !== 'taskConfig' || Object.keys(findTask(task)?.fields ?? {}).length > 0;
}

/** Links to the settings that have their place on the page itself. */
function Elsewhere({ fields, modal }: { fields: readonly FieldDescription[]; modal: boolean }): ReactNode {
  return (
    <p className="quiet row" data-testid="settings-elsewhere">
      On the page itself:
      {fields.map(({ key, label }) => (
        <LinkButton
          key={key}
          onClick={() => {
            // What it covers can't have the focus.
            if (modal) flushSync(closeDrawer);
            showSetting(key);
          }}
        >
          {label}
        </LinkButton>
      ))}
    </p>
  );
}

/** The drawer is a column beside the other settings, and covers the page on a narrow screen. */
export function SettingsDrawer(): ReactNode {
  const form = useForm((state) => state.form);
  const errors = useFormErrors();
  const wanted = useOpen((state) => state.drawer.wanted);
  const [query, setQuery] = useState('');
  const [changedOnly, setChangedOnly] = useState(false);
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const search = useRef<HTMLInputElement>(null);
  const trap = useFocusTrap(narrow);

  const elsewhere = placedElsewhere(form);
  const changed = new Set(changedKeys(form));
  const shown = FIELDS.filter(({ key }) => isShown(form, key, errors));
  const all = shown.filter(({ key }) => !elsewhere.has(key));
  const matching = findSettings(shown, query).filter(
    ({ key }) => !changedOnly || changed.has(key) || errors.has(key),
  );
  const found = matching.filter(({ key }) => !elsewhere.has(key));
  const foundElsewhere = matching.filter(({ key }) => elsewhere.has(key) && isDrawn(form, key));

  // Back to where it was opened from; the effect below gives the focus away.
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    if (wanted === null) return search.current?.focus({ preventScroll: true });
    showSetting(wanted);
  }, [wanted]);

  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) closeDrawer();
    };
    const drawer = document.getElementById(DRAWER_ID);
    drawer?.addEventListener('keydown', close);
    return () => drawer?.removeEventListener('keydown', close);
  }, []);

  const whole = query.trim() === '' && !changedOnly;
  const onPage = foundElsewhere.filter(({ key }) => key !== 'preset');
  return (
    <aside
      ref={trap}
      id={DRAWER_ID}
      className={`panel ${classes.drawer}`}
      aria-labelledby="drawer-title"
      {...(narrow && { role: 'dialog', 'aria-modal': true })}
    >
      <div className={classes.head}>
        <h2 id="drawer-title" className="panel-title">
          More settings
        </h2>
        <CloseButton size="md" aria-label="Close more settings" onClick={closeDrawer} />
        <TextInput
          ref={search}
          className={classes.search}
          type="search"
          aria-label="Search settings"
          placeholder="Search by name or meaning"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <Switch
          label="Changed only"
          checked={changedOnly}
          onChange={(event) => setChangedOnly(event.currentTarget.checked)}
        />
        <p className="quiet" role="status">
          {whole ? `${all.length} settings` : `${found.length} of ${all.length} settings`}
        </p>
      </div>
      <div className={`stack wide ${classes.body}`}>
        {(whole || foundElsewhere.some(({ key }) => key === 'preset')) && <PresetSelect />}
        {found.length > 0 ? (
          <SettingGroups fields={found} />
        ) : (
          <p className="quiet">
            {query.trim() === ''
              ? 'All of these settings have their default values.'
              : 'No setting here matches these words.'}
          </p>
        )}
        {!whole && onPage.length > 0 && <Elsewhere fields={onPage} modal={narrow} />}
      </div>
    </aside>
  );
}
