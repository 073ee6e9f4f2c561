/** Who changed the case, when and how; and what was exported from it. */
import { counted } from '../../../contract/words/counted.ts';
import { detailsText } from '../details.ts';
import type { AuditEntry, ReportFacts } from '../facts.ts';
import { number, recorded } from '../figures.ts';
import { brief, markup, leftOut, table } from '../html.ts';
import type { Section } from '../section.ts';

const MAX_DETAIL = 700;
const MAX_DELETIONS = 500;

export function deletionsSection({ deletions, deleted, request }: ReportFacts): Section {
  const { zone } = request;
  const left = deletions.length - MAX_DELETIONS;
  return {
    id: 'deletions',
    title: 'Deletions',
    body:
      deletions.length === 0
        ? markup`<p>Nothing was taken out of the case.</p>`
        : markup` <p>
              Deleted events are in no answer of this case. The evidence itself is never changed.
              ${counted(deleted, 'event is', 'events are')} marked as deleted now; what a compaction
              has removed from the files since is counted in the entries below.
            </p>
            ${table(
              'Every deletion with its reason.',
              [
                { name: 'Entry', number: true },
                { name: 'When' },
                { name: 'Who' },
                { name: 'Reason' },
                { name: 'Events', number: true },
                { name: 'What' },
              ],
              deletions.slice(0, MAX_DELETIONS).map((entry) => {
                const { reason, changed, target } = deletionOf(entry);
                return [
                  entry.id,
                  recorded(entry.at, zone),
                  entry.user,
                  brief(reason, MAX_DETAIL),
                  changed,
                  brief(target, MAX_DETAIL),
                ];
              }),
            )}
            ${left > 0 ? leftOut(markup`${counted(left, 'further deletion')} left out.`) : undefined}`,
  };
}

function deletionOf({ detail }: AuditEntry): { reason: string; changed: string; target: string } {
  const fields = new Map(
    typeof detail === 'object' && detail !== null ? Object.entries(detail) : [],
  );
  const { reason, changed, ...target } = Object.fromEntries(fields);
  return {
    reason: typeof reason === 'string' ? reason : '',
    changed: typeof changed === 'number' ? number(changed) : '',
    target: detailsText(target),
  };
}

export function auditSection({ audit, request }: ReportFacts): Section {
  const { zone } = request;
  return {
    id: 'audit',
    title: 'Audit trail',
    body: markup` <p>
        ${counted(audit.total, 'entry', 'entries')}. Entries can only be appended, and each carries
        a hash over itself and the entry before it.
        ${
          audit.intact
            ? 'When this report was written, every hash was as it must be.'
            : markup`<b class="warn">At least one entry was changed outside of Daybook.</b>`
        }
      </p>
      ${audit.left > 0 ? leftOut(markup`The ${counted(audit.left, 'oldest entry is', 'oldest entries are')} left out.`) : undefined}
      ${table(
        'Changes of the case, and what left it, in the order in which they happened.',
        [
          { name: 'Entry', number: true },
          { name: 'When' },
          { name: 'Who', word: true },
          { name: 'What', word: true },
          { name: 'Details' },
        ],
        audit.shown.map(({ id, at, user, operation, detail, intact }) => [
          id,
          recorded(at, zone),
          user,
          markup`${operation}${intact ? undefined : markup` <b class="warn">changed</b>`}`,
          brief(detailsText(detail), MAX_DETAIL),
        ]),
      )}`,
  };
}
