/** How to read the report: the origin of times, what is counted, and how it can be checked. */
import type { ReportFacts } from '../facts.ts';
import { markup } from '../html.ts';
import type { Section } from '../section.ts';

export function methodSection({ request }: ReportFacts): Section {
  return {
    id: 'method',
    title: 'How to read this report',
    body: markup` <h3>Times</h3>
      <p>
        Events are kept in UTC with the precision that their source had. This report shows times in
        the zone ${request.zone}; views that were saved with another zone are shown in theirs. Where
        a record states its zone, that is what counts. Where it states none, the zone decided for
        its source counts; where it states no year, a year is decided from the order of the records,
        the neighbouring files and the time at which the file was last changed. Both decisions are
        marked at the times of the events (Y, Z), named with each source, and can be changed later without reading the evidence again; each
        such change is in the audit trail. A line that only goes on with the event before it is part
        of that event. Any other record without a usable time is kept and called undated: it is
        given the time of no other.
      </p>
      <h3>What is counted</h3>
      <p>
        A record is what a source consists of: a line, a packet, a row. Every record ends in exactly
        one place: stored, duplicate (the same record is in the case already), quarantined (it could
        not be read) or skipped (it carries no event, with the reason). So for every source, read =
        stored + duplicate + quarantined + skipped.
      </p>
      <p>
        An event is what the case answers with. Flows are derived from the packets of a capture:
        they are events, but no records. Packets lie beneath the flows they belong to. A query that
        does not ask for packets leaves those out, so that bytes are not counted twice; where that
        happens the report says how many there are. A tag that is set on all that such a query finds
        is not set on those packets.
      </p>
      <h3>Checking the evidence</h3>
      <p>
        The SHA-256 of each source is that of the file as it lies on disk (of an archive's member:
        of the member's bytes). For a file it can be computed with any tool, for instance:
      </p>
      <code class="query">sha256sum FILE</code>
      <p>
        A compressed source has a second hash, of its content:
        <code>gzip -dc FILE | sha256sum</code>. The command
        <code>daybook verify CASE</code> compares all hashes of evidence that is still where it was,
        the files of the case, the ledgers and the audit trail.
      </p>
      <h3>This document</h3>
      <p>
        It is one file without scripts and without anything from elsewhere, and may not load any.
        Text from evidence is shown as text; characters that cannot be seen or that change the
        direction of writing are shown as their code, <span class="control">\\u202e</span> for
        instance. Where something is too long or too much, the report says what it leaves out. The
        same case gives the same document, but for the time at which it was written and the hash of the
        style sheet, which has that time in the foot of pages. When it is
        written, its SHA-256 is kept in the audit trail of the case.
      </p>`,
  };
}
