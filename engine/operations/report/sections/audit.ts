/** Changes of the case with their accounts and times, and the output that was written from it. */
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
        ? markup`<p>The audit trail records no deletion.</p>`
        : markup` <p>
              Results of queries do not include deleted events. Daybook does not write to evidence
              files. ${counted(deleted, 'event is', 'events are')} marked as deleted now; the entries
              below also count events that a compaction has removed since.
            </p>
            ${table(
              'Deletions, with their reasons.',
              [
                { name: 'Entry', number: true },
                { name: 'When' },
                { name: 'Account' },
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
        ${counted(audit.total, 'entry', 'entries')}. Daybook only appends entries; each has a hash
        over itself and the previous hash. This reveals an entry that was changed or removed, unless
        its hash and all later ones were recomputed. It does not reveal entries missing at the end;
        <code>daybook verify CASE</code> looks for those.
        ${
          audit.intact
            ? 'When this report was written, all hashes matched.'
            : markup`<b class="warn">At least one entry does not match its hash: it, or an entry
                before it, was changed, damaged or removed.</b>`
        }
      </p>
      ${audit.left > 0 ? leftOut(markup`The ${counted(audit.left, 'oldest entry is', 'oldest entries are')} left out.`) : undefined}
      ${table(
        'Recorded changes of the case, and recorded output, in the order of the entries.',
        [
          { name: 'Entry', number: true },
          { name: 'When' },
          { name: 'Account', word: true },
          { name: 'What', word: true },
          { name: 'Details' },
        ],
        audit.shown.map(({ id, at, user, operation, detail, intact }) => [
          id,
          recorded(at, zone),
          user,
          markup`${operation}${intact ? undefined : markup` <b class="warn">hash differs</b>`}`,
          brief(detailsText(detail), MAX_DETAIL),
        ]),
      )}`,
  };
}
