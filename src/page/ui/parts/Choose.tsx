import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface ChooseProps<Value extends string> extends Omit<NativeSelectProps, 'onChange' | 'data' | 'value'> {
  readonly value: Value;
  readonly labels: Readonly<Record<Value, string | { readonly label: string }>>;
  readonly onChoose: (value: Value) => void;
}

/** A select whose values are the keys of its labels. */
export function Choose<Value extends string>(props: ChooseProps<Value>): ReactNode {
  const { labels, onChoose, ...rest } = props;
  const values = Object.keys(labels) as Value[];
  const labelOf = (named: string | { readonly label: string }): string =>
    typeof named === 'string' ? named : named.label;
  return (
    <NativeSelect
      {...rest}
      data={values.map((value) => ({ value, label: labelOf(labels[value]) }))}
      onChange={({ currentTarget }) => {
        const chosen = values.find((value) => value === currentTarget.value);
        if (chosen !== undefined) onChoose(chosen);
      }}
    />
  );
}
