import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface ChoiceProps<Value extends string> extends Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> {
  /** The label of each value, in the order of the list. */
  readonly words: Readonly<Record<Value, string | { readonly label: string }>>;
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}

/** A select box over the keys of a record. */
export function Choice<Value extends string>(props: ChoiceProps<Value>): ReactNode {
  const { words, onChoose, ...select } = props;
  const values = Object.keys(words) as Value[];
  const labelOf = (word: string | { readonly label: string }): string =>
    typeof word === 'string' ? word : word.label;
  return (
    <NativeSelect
      {...select}
      data={values.map((value) => ({ value, label: labelOf(words[value]) }))}
      onChange={({ currentTarget }) => {
        const chosen = values.find((value) => value === currentTarget.value);
        if (chosen !== undefined) onChoose(chosen);
      }}
    />
  );
}
