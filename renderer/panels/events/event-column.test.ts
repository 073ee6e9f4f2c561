/** Columns fit where there is room and scroll where there is not. */
import { describe, expect, it } from 'vitest';
import { eventColumn, fieldsToRead, fittingWidth, tracksOf } from './event-column.ts';

describe('tracksOf', () => {
  const columns = ['ts', 'src_ip', 'bytes', 'summary'].map((name) => eventColumn(name, 15));

  it('lets columns shrink that nobody sized, and one fill the table', () => {
    expect(tracksOf(columns, {})).toEqual({
      tracks: '119px minmax(104px, 118px) 76px minmax(max(150px, 30%), 1fr)',
      least: 119 + 104 + 76 + 150,
    });
  });

  it('keeps what a person sized', () => {
    expect(tracksOf(columns, { src_ip: 300, summary: 500 })).toEqual({
      tracks: '119px 300px 76px minmax(max(500px, 30%), 1fr)',
      least: 119 + 300 + 76 + 500,
    });
  });
});

describe('fieldsToRead', () => {
  it('has what five-tuples need, once, and not what every batch has', () => {
    expect(fieldsToRead(['ts', 'kind', 'src_ip', 'summary'])).toEqual([
      ...['src_ip', 'summary', 'src_port', 'dst_ip', 'dst_port', 'proto'],
    ]);
  });
});

describe('fittingWidth', () => {
  const usual = ['ts', 'kind', 'src_ip', 'dst_ip', 'dst_port', 'host', 'program', 'summary'];
  const columns = usual.map((name) => eventColumn(name, 22));
  const shown = (width: number): string[] =>
    fittingWidth(columns, width, undefined).map(({ name }) => name);

  it.each([
    [1200, usual],
    [820, usual.filter((name) => name !== 'program')],
    [760, usual.filter((name) => name !== 'program' && name !== 'host')],
    [600, ['ts', 'kind', 'summary']],
  ])('%i pixels', (width, names) => expect(shown(width)).toEqual(names));

  it('has addresses before the message where they have no columns', () => {
    const ends = (width: number, sorted?: string): boolean[] =>
      fittingWidth(columns, width, sorted).map((column) => column.ends);
    expect(ends(600)).toEqual([false, false, true]);
    expect(ends(1200)).not.toContain(true);
    // One that the table is sorted by stays.
    expect(ends(600, 'src_ip')).not.toContain(true);
    expect(ends(600, 'ts')).toContain(true);
  });
});
