/** A value as the database gives it. */
export type RawValue = string | number | bigint | boolean | null | undefined;
