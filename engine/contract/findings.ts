/**
 * Severity, order and colour of findings. A finding is a tag with its events, or an event with a note; the report prints
 * findings in the analyst's order. docs/case-format.md describes how they are stored.
 */

/** Severities, lowest first. A finding without one is unrated. */
export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The more severe, the higher; -1 for an unrated finding. */
export function severityRank(severity: Severity | undefined): number {
  return severity === undefined ? -1 : SEVERITIES.indexOf(severity);
}

/**
 * Findings of at least a severity, in the given order or the most severe first. The sort is stable.
 * @param least undefined: unrated findings as well
 */
export function arrangedFindings<T extends { readonly severity?: Severity | undefined }>(
  findings: readonly T[],
  least: Severity | undefined,
  order: 'place' | 'severity',
): T[] {
  const shown = findings.filter(({ severity }) => severityRank(severity) >= severityRank(least));
  return order === 'place'
    ? shown
    : shown.sort((a, b) => severityRank(b.severity) - severityRank(a.severity));
}

/**
 * Colours of tags, after Okabe and Ito: distinguishable for people with colour blindness, on light and dark backgrounds.
 * Colour is never the only cue: the tag's name is next to it.
 */
export const TAG_COLORS = [
  ...(['blue', 'amber', 'green', 'pink', 'cyan', 'red', 'yellow', 'violet'] as const),
] as const;
export type TagColor = (typeof TAG_COLORS)[number];

/** The colour of a tag: the chosen one, or one derived from its id. */
export function tagColor(id: number, chosen: TagColor | undefined): TagColor {
  return chosen ?? TAG_COLORS[(id + 5) % TAG_COLORS.length]!;
}

/** Identifies a finding: a tag by its name, or an event by its id. */
export type FindingName = { readonly tag: string } | { readonly event: string };
