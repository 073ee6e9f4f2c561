/** The registry of fields as the command line prints it. */
import { FIELDS, SCHEMAS } from '../fields/registry.ts';

export interface KnownField {
  readonly field: string;
  readonly type: string;
  readonly meaning: string;
  /** In other schemas. */
  readonly names: readonly string[];
}

export function fieldNames(): KnownField[] {
  return FIELDS.map(({ name, type, meaning, names }) => ({
    ...{ field: name, type, meaning },
    names: SCHEMAS.flatMap((schema) => names[schema] ?? []),
  }));
}
