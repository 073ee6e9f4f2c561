import { describe, expect, it } from 'vitest';
import { recognise, unknownReason } from './recognise.ts';
import { importers } from '../../importers/registry.ts';

const utf8 = new TextEncoder();

function importerOf(lines: readonly string[]): string | undefined {
  const bytes = utf8.encode(lines.map((line) => `${line}\n`).join(''));
  return recognise(importers, { bytes, complete: true }, 'evidence', undefined)?.importer.id;
}

describe('which importer reads what', () => {
  const rows = ['10.7.191.49,192.168.0.31,2005-12-01 00:00:00,FW_Accept,14,IGMP'];
  const log = [
    '2005-12-01 00:00:00 fw01 kernel: src_ip 10.7.191.49, dst_ip 192.168.0.31, FW_Accept',
    '2005-12-01 00:00:01 fw01 kernel: src_ip 10.7.191.49, dst_ip 192.168.0.32, FW_Accept',
  ];
  it.each([
    [
      'a table with a time in each row',
      ['src_ip,dst_ip,time,event_type,device,protocol', ...rows],
      'flow-csv',
    ],
    ['a log with commas and names of fields', log, 'syslog'],
    [
      'a log of CSV rows without a heading',
      ['2005-12-01T00:00:00Z,a,b', '2005-12-01T00:00:01Z,a,c'],
      'syslog',
    ],
  ])('%s', (_, lines, importer) => {
    expect(importerOf(lines)).toBe(importer);
  });
});

describe('what no importer reads', () => {
  it.each([
    [[], /^empty$/],
    [[0x0c, 0xa5, 1, 0], /nfdump -r FILE -o csv/],
    [[...Buffer.from('LPKSHHRH')], /journalctl --file/],
    [[...Buffer.from('ElfFile\0')], /evtx_dump/],
    [[1, 2, 3], /no importer recognises/],
  ])('%j', (bytes, reason) => {
    expect(unknownReason({ bytes: Uint8Array.from(bytes), complete: true })).toMatch(reason);
  });
});
