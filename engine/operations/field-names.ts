/** The registry of fields as the command line prints it. */
import { FIELDS, SCHEMAS } from '../fields/registry/registry.ts';

interface KnownField {
  readonly field: string;
  readonly type: string;
  readonly meaning: string;
  /** Its names in other schemas. */
  readonly names: readonly string[];
}

export function fieldNames(): KnownField[] {
  return FIELDS.map(({ name, type, meaning, names }) => ({
    ...{ field: name, type, meaning },
    names: SCHEMAS.flatMap((schema) => names[schema] ?? []),
  }));
}

/** Fields that extractors fill, but those that follow from others. */
export function cuttableFields(): { readonly name: string; readonly meaning: string }[] {
  return FIELDS.flatMap(({ name, meaning, cut }) =>
    cut === true && name !== 'extractor' ? [{ name, meaning }] : [],
  );
}
