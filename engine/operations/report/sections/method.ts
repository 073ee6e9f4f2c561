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
        Events are stored in UTC, with the precision of their source (at most nanoseconds). This
        report shows times in the zone ${request.zone}; views that were saved with another zone are
        shown in theirs. Where a record states its zone, that zone is used. Where it states none,
        its time is read in the zone that was assumed or set for its source. Where it states no
        year, the year is inferred from dates and weekdays in the source, the order of its records,
        neighbouring files or the file's recorded modification time, or was set by the user; if
        nothing indicates it, a placeholder is used. In lists of events these times are marked (Z,
        Y), unless the query of a view selects its own fields. The order in which ambiguous dates
        are read and the error of a clock apply to a whole source and are not marked. Sources names
        all of these for each source. They can be changed later; each change is in the audit trail.
      </p>
      <p>
        A line that only continues the event before it is part of that event. A record without a
        usable time is undated, unless its importer gives it the time of the preceding record
        (marked P).
      </p>
      <h3>What is counted</h3>
      <p>
        A record is the unit that a source consists of: a line, a packet, a row. Each record that is
        read should be counted in exactly one place: stored, duplicate (identified as already in the
        case, by the rules in docs/importers.md), quarantined (it could not be read) or skipped (no
        event of its own was made of it; Sources gives the reasons). So for every source, read =
        stored + duplicate + quarantined + skipped should hold; Sources says where it does not.
      </p>
      <p>
        An event is the unit that queries return. Flows and protocol events of a capture are derived
        from its packets: they are events, but not records. A query that does not ask for packets
        leaves out those that belong to flows, so that bytes are not counted twice; the report says
        how many of them each saved view leaves out. A tag that is set on all events that such a
        query finds is not set on those packets.
      </p>
      <h3>Checking the evidence</h3>
      <p>
        The SHA-256 of a source is that of the file as Daybook read it at import (of an archive's
        member: of the member's bytes). For a file that was read to its end, it can be computed with
        any tool, for instance:
      </p>
      <code class="query">sha256sum FILE</code>
      <p>
        A source that was compressed or not read to its end may have a second hash: that of the
        content that was read. For a gzip file that was read to its end, for instance:
        <code>gzip -dc FILE | sha256sum</code>. The command <code>daybook verify CASE</code>
        compares evidence that is still at its recorded path with its recorded hash, and checks the
        case's files, ledgers and audit trail.
      </p>
      <h3>This document</h3>
      <p>
        It is one file without scripts and without external resources, and may not load any. Text
        from evidence is shown as text; characters that cannot be seen or that change the direction
        of writing are shown as their code, <span class="control">\\u202e</span> for instance.
        Where a text or a list is too long, the report says what it leaves out. Two reports on the
        same case and evidence, both unchanged, with the same options, account and version of
        Daybook should differ only in the time of writing, the hash of the style sheet (which has
        that time in the foot of pages) and the audit entries of reports. Once it is written, its
        SHA-256 is recorded in the audit trail of the case.
      </p>`,
  };
}
