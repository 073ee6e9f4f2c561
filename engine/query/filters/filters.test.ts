/** What each filter finds among a dozen events, through SQL on real DuckDB. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { communityId } from '../../util/community-id.ts';
import { DAY1, EVENTS } from '../testing/fixture.ts';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';

let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

const FLOWS = ['1:1', '1:2', '1:3', '1:4', '3:-1'];
const LOGS = ['2:1', '2:2', '2:3', '2:4', '2:5', '2:7'];

const TABLE: Record<string, readonly (readonly [query: string, ids: readonly string[]])[]> = {
  everything: [
    ['', [...FLOWS, ...LOGS, '3:3']],
    ['*', [...FLOWS, ...LOGS, '3:3']],
    ['*?', ['2:1', '2:2', '2:3', '2:4', '2:5', '3:3']],
  ],
  tokens: [
    ['failed', ['2:1', '2:5']],
    ['FAILED', ['2:1', '2:5']],
    ['fail', []],
    ['fail*', ['2:1', '2:3', '2:5']],
    ['*word', ['2:1', '2:2']],
    ['passw?rd', ['2:1', '2:2']],
    ['passw??rd', []],
    ['sshd', ['2:1', '2:2']],
    ['smtp', ['2:4']],
    ['alice', ['2:2']],
    ['needle', ['2:3']],
    ['odd', []],
    ['NAÏVE_USER', ['2:3']],
    ['na', []],
    ['arp', ['3:3']],
  ],
  phrases: [
    ['"failed password for"', ['2:1']],
    ['"failed  password"', []],
    ['"password failed"', []],
    ['"failed pass"', []],
    ['/etc/passwd', ['2:3']],
    ['etc/passwd', ['2:3']],
    ['"...password for..."', ['2:1', '2:2']],
    ['a@b.c', ['2:4']],
    ['a@b-c', ['2:4']],
    ['192.168.*', ['2:2']],
    ['10.0.*.1', ['2:1']],
    ["'AND'", ['2:4']],
    ['"AND"', ['2:4']],
    ['in overflow', ['2:3']],
    ['"needle in"', ['2:3']],
  ],
  logic: [
    ['password root', ['2:1']],
    ['password AND alice', ['2:2']],
    ['root OR alice', ['2:1', '2:2']],
    ['password NOT root', ['2:2']],
    ['password -root', ['2:2']],
    ['NOT (kind:flow OR password)', ['2:3', '2:4', '2:5', '2:7', '3:1', '3:2', '3:3']],
    ['smtp OR password root', ['2:1', '2:4']],
    ['(smtp OR password) root', ['2:1']],
    ['NOT NOT smtp', ['2:4']],
    ['NOT host:* kind:log', ['2:7']],
  ],
  addresses: [
    ['10.9.9.9', ['1:1', '1:2']],
    ['192.168.1.7', ['1:3', '2:2', '3:-1']],
    ['"192.168.1.7"', ['2:2']],
    ['10.9.0.0/16', ['1:1', '1:2']],
    ['2001:db8::ff', ['1:4']],
    ['2001:db8::/32', ['1:4']],
    ['src_ip:10.0.0.0/8', ['1:1', '1:2']],
    ['src_ip:0.0.0.0/0', ['1:1', '1:2', '1:3', '3:-1']],
    ['ip:10.9.9.9', ['1:1', '1:2']],
    ['ip:192.168.*', ['1:3', '3:-1']],
    ['ip:10.*.9.9', ['1:1', '1:2']],
    ['ip:(10.9.9.9 OR 192.168.1.7)', ['1:1', '1:2', '1:3', '3:-1']],
    ['dst_ip:2001:db8::/64', ['1:4']],
    ['src_ip:[10.0.0.1 TO 10.0.0.9]', ['1:1']],
    ['src_ip:>10.0.0.1', ['1:2', '1:3', '3:-1']],
    ['src_ip:*', FLOWS],
    ['kind:flow NOT ip:10.0.0.0/8', ['1:4']],
    ['id.orig_h:10.0.0.1', ['1:1']],
    ['source.ip:10.0.0.1', ['1:1']],
    ['dest_ip:10.9.9.9', ['1:1']],
  ],
  numbers: [
    ['dst_port:443', ['1:1']],
    ['port:443', ['1:1', '1:2']],
    ['bytes:>100', ['1:4']],
    ['bytes:>=100', ['1:1', '1:4']],
    ['bytes:<50', ['1:3', '3:3']],
    ['dst_port:[1 TO 443]', ['1:1', '1:3', '1:4', '3:-1']],
    ['dst_port:{22 TO 443]', ['1:1', '1:4']],
    ['dst_port:[22 TO 443}', ['1:3', '1:4', '3:-1']],
    ['dst_port:[443 TO *]', ['1:1', '1:2']],
    ['dst_port:>70000', []],
    ['dst_port:<70000', FLOWS],
    ['dst_port:22.5', []],
    ['dst_port:[22.5 TO 443.5]', ['1:1', '1:4']],
    ['duration:<1', ['3:-1']],
    ['duration:0.5', ['3:-1']],
    ['dst_port:(22 OR 53)', ['1:3', '1:4', '3:-1']],
    ['orig_ip_bytes:300', ['1:4']],
  ],
  names: [
    ['proto:tcp', ['1:1', '1:3', '3:-1']],
    ['proto:UDP', ['1:2', '1:4']],
    ['proto:17', ['1:2', '1:4']],
    ['proto:(tcp OR udp)', FLOWS],
    ['proto:u*p', ['1:2', '1:4']],
    ['severity:err', ['2:1']],
    ['severity:<=notice', ['2:1', '2:3']],
    ['severity:>info', ['2:7']],
    ['facility:auth', ['2:1']],
    ['facility:auth*', ['2:1', '2:2']],
  ],
  text: [
    ['host:web01', ['2:1', '2:2', '2:5']],
    ['host:web', []],
    ['host:web*', ['2:1', '2:2', '2:5']],
    ['host:d*2', ['2:3']],
    ['host:"db-2"', ['2:3']],
    ['host:"web*"', []],
    ['host:*', ['2:1', '2:2', '2:3', '2:4', '2:5']],
    ['kind:log NOT host:web01', ['2:3', '2:4', '2:7']],
    ['host:(mx OR db-2)', ['2:3', '2:4']],
    ['host:[d TO n]', ['2:3', '2:4']],
    ['host:>web', ['2:1', '2:5']],
    ['message:password', ['2:1', '2:2']],
    ['message:sshd', []],
    ['message:"for root"', ['2:1']],
    ['message:(root OR alice)', ['2:1', '2:2']],
    ['message:/^Failed.*ssh2$/', ['2:1']],
    ['message:/^failed/', []],
    ['message:/^failed/i', ['2:1']],
    ['message:/\\(.*\\)/', ['2:3']],
    ['host:/^web/', ['2:1', '2:5']],
    ['process.name:sshd', ['2:1', '2:2']],
  ],
  attributes: [
    ['user:root', ['2:1']],
    ['user:ALICE', ['2:2']],
    ['USER:alice', ['2:2']],
    ['attrs.user:root', ['2:1']],
    ['status:404', ['2:1']],
    ['status:>200', ['2:1', '2:3']],
    ['status:[200 TO 404]', ['2:1', '2:2']],
    ['status:*', ['2:1', '2:2', '2:3']],
    ['kind:log NOT user:*', ['2:3', '2:4', '2:5', '2:7']],
    ['"Flow \\"ID\\"":a-b.c', ['2:3']],
    ['"odd/key":needle*', ['2:3']],
    ['n:12', ['2:3']],
    ['n:>11', ['2:3']],
    ['attributes:root', ['2:1']],
    ['attributes:*', ['2:1', '2:2', '2:3']],
    ['attributes:/^Need/', ['2:3']],
    ['user:/^A/', ['2:2']],
    ['user:[b TO s]', ['2:1']],
  ],
  time: [
    ['ts:2026-11-20', ['1:1', '1:2', '2:1', '2:2']],
    ['ts:2026-11', [...FLOWS, '2:1', '2:2', '2:3', '2:4', '2:7', '3:3']],
    ['ts:[2026-11-20 TO 2026-11-20T01:01]', ['1:1', '2:1', '2:2']],
    ['ts:[2026-11-20T01:01 TO *]', ['1:2', '1:3', '1:4', '2:3', '2:4', '2:7', '3:-1', '3:3']],
    ['ts:>2026-11-20T01:00', ['1:2', '1:3', '1:4', '2:3', '2:4', '2:7', '3:-1', '3:3']],
    ['ts:<=2026-11-20T01:00', ['1:1', '2:1', '2:2']],
    ['ts:<2026-11-20T01:00', []],
    ['ts:2026-11-20T02:00+01:00', ['1:1', '2:1', '2:2']],
    ['ts:"2026-11-20 01:01:00"', ['1:2']],
    ['last:2m', ['2:4', '2:7']],
    ['NOT ts:*', ['2:5']],
    ['day:2026-11-20', ['1:1', '1:2', '2:1', '2:2']],
    ['day:undated', ['2:5']],
    ['day:2026-11-2*', [...FLOWS, '2:1', '2:2', '2:3', '2:4', '2:7', '3:3']],
    ['day:>2026-11-20', ['1:3', '1:4', '2:3', '2:4', '2:7', '3:-1', '3:3']],
    ['day:[2026-11-19 TO 2026-11-20]', ['1:1', '1:2', '2:1', '2:2']],
  ],
  kinds: [
    ['kind:log', LOGS],
    ['kind:(log OR flow)', [...FLOWS, ...LOGS]],
    ['kind:packet', ['3:1', '3:2', '3:3']],
    ['kind:*', [...FLOWS, ...LOGS, '3:1', '3:2', '3:3']],
    ['NOT kind:log', [...FLOWS, '3:1', '3:2', '3:3']],
    ['source.ip:192.168.1.7 | where kind:*', ['1:3', '3:-1', '3:1']],
  ],
  marks: [
    ['tag:lateral', ['1:2', '2:2']],
    ['tag:ioc*', ['2:2']],
    ['tag:*', ['1:2', '2:2']],
    ['tag:unused', []],
    ['| where kind = flow bytes != 50 source = fw.log', ['1:1', '1:3', '1:4']],
    ['| where tag != lateral AND "user" = alice', []],
    ['tag:(lateral OR ioc-domain)', ['1:2', '2:2']],
    ['password NOT tag:*', ['2:1']],
    ['deleted', []],
    ['source:fw.log', ['1:1', '1:2', '1:3', '1:4']],
    ['source:"bundle/fw.log"', ['1:1', '1:2', '1:3', '1:4']],
    ['source:a.pcap', ['3:-1', '3:3']],
    ['source:*.log', ['1:1', '1:2', '1:3', '1:4', ...LOGS]],
    ['NOT source:*.log', ['3:-1', '3:3']],
    ['event_id:2:3', ['2:3']],
    ['event_id:3:f1', ['3:-1']],
    ['event_id:9:9', []],
  ],
  flows: [
    ['flow:10.0.0.1:4444-10.9.9.9:443/tcp', ['1:1']],
    ['flow:10.9.9.9:443-10.0.0.1:4444/tcp', ['1:1']],
    ['flow:10.0.0.1:4444-10.9.9.9:443', ['1:1', '1:2']],
    ['flow:10.0.0.1:4444-10.9.9.9:443/*', ['1:1', '1:2']],
    ['flow:*:443-*:*/udp', ['1:2']],
    ['flow:10.0.0.0/8:*-192.168.0.0/16:*', ['1:3', '3:-1']],
    ['flow:[2001:db8::1]:5353-[2001:db8::ff]:53/udp', ['1:4']],
    ['flow:[2001:db8::ff]-*', ['1:4']],
    ['flow:10.9.9.9', ['1:1', '1:2']],
    ['flow:*', FLOWS],
  ],
};

for (const [name, rows] of Object.entries(TABLE)) {
  describe(name, () => {
    it.each(rows)('%s', async (query, ids) => {
      expect((await test.ids(query)).sort()).toEqual([...ids].sort());
    });
  });
}

describe('long lists', () => {
  const many = (make: (i: number) => string) =>
    Array.from({ length: 60 }, (_, i) => make(i)).join(' OR ');
  it.each([
    [`ip:(${many((i) => `10.9.9.${i}`)})`, ['1:1', '1:2']],
    [`ip:(${many((i) => `2001:db8::${(i + 200).toString(16)}`)})`, ['1:4']],
    [`dst_port:(${many((i) => String(i))})`, ['1:3', '1:4', '3:-1']],
    [`NOT (${many((i) => `smt${i}`)} OR kind:flow) smtp`, ['2:4']],
    [many((i) => (i === 7 ? 'alice' : `alic${i}`)), ['2:2']],
    [`user:(${many((i) => (i === 7 ? 'ALI*' : `${i}`))})`, ['2:2']],
    [`status:(${many((i) => String(i + 399))})`, ['2:1']],
    [`"password for root" OR ${many((i) => `"password for ${i}"`)}`, ['2:1']],
  ])('%s', async (query, ids) => {
    expect((await test.ids(query)).sort()).toEqual([...ids].sort());
  });
});

describe('community_id', () => {
  it('is computed as the specification has it, either way round', async () => {
    const ids = await test.answer(test.plan('kind:flow | values community_id'));
    if (ids.shape !== 'values') throw new Error(ids.shape);
    for (const { community_id: id } of ids.rows) {
      expect((await test.ids(`community_id:${String(id)} kind:flow`)).length).toBeGreaterThan(0);
    }
    // Both directions of one conversation share an id: 1:3 and the capture's 3:-1 are the same flow.
    const same = await test.ids('kind:flow community_id:* src_port:5555');
    expect(same).toEqual(['1:3', '3:-1']);
  });

  it('is that of the specification where an event states little', async () => {
    const [one, other] = [0x0a000001, 0x0a090909];
    const six = '20010db8-0000-0000-0000-000000000001';
    const fields: TestEvent['fields'][] = [
      // ICMP without a type, in both directions; with a type and no code; an answer; a one-way type.
      { src_ip4: other, dst_ip4: one, proto: 1 },
      { src_ip4: one, dst_ip4: other, proto: 1 },
      { src_ip4: other, dst_ip4: one, proto: 1, src_port: 8 },
      { src_ip4: one, dst_ip4: other, proto: 1, src_port: 0 },
      { src_ip4: other, dst_ip4: one, proto: 1, src_port: 3, dst_port: 1 },
      { src_ip4: one, dst_ip4: other, proto: 6, src_port: 5 },
      // Addresses of two versions are not a conversation.
      { src_ip4: one, dst_ip6: six, proto: 6, src_port: 5, dst_port: 6 },
    ];
    const events = fields.map((of, i): TestEvent => {
      return { kind: 'log', source: 2, seq: i + 1, ts: DAY1 + i, fields: of, attributes: {} };
    });
    const bytes = (ip: number): Uint8Array =>
      Uint8Array.of(ip >>> 24, (ip >>> 16) & 255, (ip >>> 8) & 255, ip & 255);
    const small = await openTestCase(events);
    try {
      for (const [i, of] of fields.slice(0, -1).entries()) {
        const id = communityId(
          bytes(Number(of.src_ip4)),
          bytes(Number(of.dst_ip4)),
          of.src_port === undefined ? undefined : Number(of.src_port),
          of.dst_port === undefined ? undefined : Number(of.dst_port),
          Number(of.proto),
        );
        expect(await small.ids(`community_id:"${id}"`), `event ${i}`).toContain(`2:${i + 1}`);
      }
      expect(await small.ids('NOT community_id:*')).toEqual([`2:${fields.length}`]);
    } finally {
      small.close();
    }
  });

  it('takes wildcards, and tells capitals from small letters', async () => {
    const all = await test.ids('kind:flow community_id:*');
    expect(await test.ids('kind:flow community_id:1:*')).toEqual(all);
    expect(await test.ids('kind:flow community_id:2:*')).toEqual([]);
    const values = await test.answer(test.plan('kind:flow src_port:5555 | values community_id'));
    if (values.shape !== 'values') throw new Error(values.shape);
    const id = values.rows[0]?.['community_id'];
    const start = String(id).slice(0, 12);
    expect(await test.ids(`kind:flow community_id:${start}*`)).toEqual(['1:3', '3:-1']);
    const swapped = start.replace(/[a-z]/gi, (c) => (c < 'a' ? c.toLowerCase() : c.toUpperCase()));
    expect(await test.ids(`kind:flow community_id:${swapped}*`)).toEqual([]);
    expect(await test.ids('kind:flow community_id:"1:*"')).toEqual([]);
  });
});
