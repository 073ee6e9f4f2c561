/** Levels of Windows as severities of syslog. */
const SEVERITIES: Readonly<Record<string, number>> = {
  ...{ 1: 2, 2: 3, 3: 4, 4: 6, 5: 7 },
  ...{ critical: 2, error: 3, warning: 4, information: 6, verbose: 7 },
};

/** The severity of a level, by its number or as the Event Viewer names it in English; undefined: it is none. */
export function severityOfLevel(level: string): number | undefined {
  const name = level.trim().toLowerCase();
  return Object.hasOwn(SEVERITIES, name) ? SEVERITIES[name] : undefined;
}
