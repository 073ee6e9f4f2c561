/**
 * What an analyst says of findings. A finding is a tag with its events, or an event with a note; the report prints them in
 * the analyst's order. docs/case-format.md has how they are kept.
 */

/** How bad a finding is, the least first. One that has none of these was not rated. */
export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** -1 for a finding that was not rated; the worse, the higher. */
export function severityRank(severity: Severity | undefined): number {
  return severity === undefined ? -1 : SEVERITIES.indexOf(severity);
}

/**
 * Those that are at least as severe, in their order, or the most severe first: a stable sort, those as severe stay in
 * their order.
 * @param least undefined: those that were not rated, too
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
 * Colours of tags, after Okabe and Ito: told apart by people who are colour blind, on light and dark ground. Never said by
 * colour alone: the name of the tag stands beside it.
 */
export const TAG_COLORS = [
  ...(['blue', 'amber', 'green', 'pink', 'cyan', 'red', 'yellow', 'violet'] as const),
] as const;
export type TagColor = (typeof TAG_COLORS)[number];

/** The colour of a tag: the one that was chosen for it, or one by its number. */
export function tagColor(id: number, chosen: TagColor | undefined): TagColor {
  return chosen ?? TAG_COLORS[(id + 5) % TAG_COLORS.length]!;
}

/** Which finding is meant: a tag by its name, or an event by its id. */
export type FindingName = { readonly tag: string } | { readonly event: string };
