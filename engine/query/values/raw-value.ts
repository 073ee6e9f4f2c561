/** A value as returned by the database. */
export type RawValue = string | number | bigint | boolean | null | undefined;
