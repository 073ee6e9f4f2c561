/** SQL that uses a value more than once without having its expression more than once. */

/** What is as short as a name may stand several times. */
const SHORT = 48;

/** @param name of the value in what `body` gives, which must not be that of a value around it */
export function once(sql: string, body: (sql: string) => string, name = 'v'): string {
  if (sql.length <= SHORT) return body(sql);
  return `list_transform([${sql}], lambda ${name}: ${body(name)})[1]`;
}
