/** A task's settings as data: what a form shows and what a value must be. */
import { quoted } from '@rl-playground/base/valueSchemas';

interface FieldWords {
  readonly label: string;
  /** The setting in one or two sentences, for a person who does not know the term. */
  readonly help: string;
}

/** Bounds inclusive; `whole` for integers. */
export interface NumberField extends FieldWords {
  readonly kind: 'number';
  readonly whole: boolean;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

export interface FlagField extends FieldWords {
  readonly kind: 'flag';
  readonly default: boolean;
}

/** A choice of one of a few values. */
export interface ChoiceField<Value extends string = string> extends FieldWords {
  readonly kind: 'choice';
  readonly choices: Readonly<Record<Value, string>>;
  readonly default: Value;
}

/** A choice of one or more of a few values. */
export interface SubsetField<Value extends string = string> extends FieldWords {
  readonly kind: 'subset';
  readonly choices: Readonly<Record<Value, string>>;
  readonly default: readonly Value[];
}

/** A weight for each name, at least one of them above 0. */
export interface WeightsField extends FieldWords {
  readonly kind: 'weights';
  readonly names: readonly string[];
  readonly default: readonly number[];
}

export type TaskField = NumberField | FlagField | ChoiceField | SubsetField | WeightsField;
export type TaskFields = Readonly<Record<string, TaskField>>;

/** The settings that fields describe: a value for each, of the type of its default. */
export type ConfigOf<Fields extends TaskFields> = {
  readonly [Name in keyof Fields]: Fields[Name]['default'];
};

export function whole(label: string, help: string, min: number, max: number, value: number): NumberField {
  return { kind: 'number', whole: true, label, help, min, max, default: value };
}

export function real(label: string, help: string, min: number, max: number, value: number): NumberField {
  return { kind: 'number', whole: false, label, help, min, max, default: value };
}

export function flag(label: string, help: string, value: boolean): FlagField {
  return { kind: 'flag', label, help, default: value };
}

export function choice<Value extends string>(
  label: string,
  help: string,
  choices: Readonly<Record<Value, string>>,
  value: NoInfer<Value>,
): ChoiceField<Value> {
  return { kind: 'choice', label, help, choices, default: value };
}

/** A field for a subset; its default is all of `choices`. */
export function subset<Value extends string>(
  label: string,
  help: string,
  choices: Readonly<Record<Value, string>>,
  value: readonly NoInfer<Value>[] = Object.keys(choices) as Value[],
): SubsetField<Value> {
  return { kind: 'subset', label, help, choices, default: value };
}

export function weights(
  label: string,
  help: string,
  names: readonly string[],
  value: readonly number[],
): WeightsField {
  return { kind: 'weights', label, help, names, default: value };
}

/** The error in a field's value and what is needed, or null. */
export function fieldError(field: TaskField, value: unknown): string | null {
  switch (field.kind) {
    case 'number': {
      const { min, max } = field;
      const kind = field.whole ? 'a whole number' : 'a number';
      if (typeof value !== 'number' || !Number.isFinite(value) || (field.whole && !Number.isInteger(value)))
        return `${quoted(value)} is not ${kind}; choose ${min} to ${max}.`;
      return value < min || value > max
        ? `${value} is too ${value < min ? 'small' : 'large'}; choose ${min} to ${max}.`
        : null;
    }
    case 'flag':
      return typeof value === 'boolean' ? null : `${quoted(value)} is not a yes or no; choose true or false.`;
    case 'choice':
      return typeof value === 'string' && Object.hasOwn(field.choices, value)
        ? null
        : `${quoted(value)} does not exist; choose one of: ${Object.keys(field.choices).join(', ')}.`;
    case 'subset': {
      const list = Object.keys(field.choices).join(', ');
      if (!Array.isArray(value) || value.length === 0) return `${quoted(value)} is no choice of: ${list}.`;
      const strange: unknown = value.find(
        (each) => typeof each !== 'string' || !Object.hasOwn(field.choices, each),
      );
      return strange === undefined ? null : `${quoted(strange)} does not exist; choose from: ${list}.`;
    }
    case 'weights': {
      const { names } = field;
      const sound =
        Array.isArray(value) &&
        value.length === names.length &&
        value.every((weight) => typeof weight === 'number' && weight >= 0 && Number.isFinite(weight)) &&
        value.some((weight) => weight > 0);
      return sound
        ? null
        : `${quoted(value)} must be ${names.length} weights of 0 or more, not all 0: ${names.join(', ')}.`;
    }
  }
}
