/**
 * For tests: a case with all sorts of events that other tools may find hard to read: both address families, many
 * attributes, names that differ only in case, several days, none, cut messages, and all sorts of marks.
 */
import { nfdumpCsv, pcapOf, rfc3164, rfc5424 } from '../../ingest/testing/small-evidence.ts';
import type { CaseSession } from '../../search/index.ts';
import type { Evidence } from '../evidence/import.ts';
import { deleteEvents, tagEvents } from '../marks/mark.ts';
import { setNote } from '../marks/notes.ts';
import { smallCase, type SmallCase } from './small-case.ts';

/** IPv6 addresses whose shortest forms differ in kind. */
const IP6 = [
  ...['2001:db8::1', '::', '::1', 'fe80::1:0:0:2', '2001:db8:0:1:1:1:1:1', '1:0:0:2:0:0:0:3'],
  ...['2001:0:0:1::', 'ff02::fb', '1:2:3:4:5:6:7:8', '0:1:2:3:4:5:6:7', '1:2:3:4:5:6:7:0'],
  ...['10:0:0:10:0:0:10:0', '::ffff:0:0:1', 'a:0:0:b:0:0:c:d'],
];

function records(): string {
  const lines: unknown[] = IP6.map((address, i) => ({
    '@timestamp': `2026-03-0${1 + (i % 5)}T10:00:0${i % 10}.123456${i}Z`,
    ...{ src_ip: address, dst_ip: IP6[(i + 1) % IP6.length], src_port: 1000 + i },
    ...{ note: `n${i}`, Note: `N${i}`, 'quoted "name"': "it's", [`only${i}`]: 'x', bytes: 10 + i },
  }));
  lines.push({ message: 'without a time', user: 'nobody', ümlaut: 'ß' });
  const wide = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`wide${n}`, `v${n}`]));
  lines.push({ '@timestamp': '2026-03-04T12:00:00Z', src_ip: '192.0.2.1', ...wide });
  return lines.map((one) => `${JSON.stringify(one)}\n`).join('');
}

export async function variedCase(evidence: Evidence): Promise<SmallCase> {
  const small = await smallCase(
    {
      ...{ 'a.log': rfc3164(3000), 'b.log': rfc5424(40), 'c.json': records() },
      ...{ 'd.pcap': pcapOf(30), 'e.csv': nfdumpCsv(200) },
    },
    evidence,
  );
  await small.services.cases.use(small.folder, async (session) => {
    await markVaried(session);
  });
  return small;
}

async function markVaried(session: CaseSession): Promise<void> {
  const zone = 'UTC';
  await tagEvents({ session, text: '192.0.2.7', zone, name: "it's odd", remove: false });
  await tagEvents({ session, text: 'root', zone, name: 'root', remove: false });
  await deleteEvents({ session, text: '192.0.2.9', zone, reason: 'a test' });
  await setNote(session, '1:1', "a 'note'\nof two lines");
}
