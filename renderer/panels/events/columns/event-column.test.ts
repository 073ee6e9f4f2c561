/** Columns fit where there is room and scroll where there is not. */
import { describe, expect, it } from 'vitest';
import { ColumnMaker } from '../../../../engine/contract/wire/column-batch.ts';
import {
  contentLengths,
  eventColumn,
  fieldsShown,
  fieldsToRead,
  fittingWidth,
  tracksOf,
} from './event-column.ts';
import { makePage } from '../rows/page-cache.ts';

describe('tracksOf', () => {
  const columns = ['ts', 'host', 'bytes', 'summary'].map((name) => eventColumn(name, 15));

  it('lets columns shrink that nobody sized, and one fill the table', () => {
    expect(tracksOf(columns, {})).toEqual({
      tracks: '119px minmax(56px, 84px) 76px minmax(max(150px, 30%), 1fr)',
      least: 119 + 56 + 76 + 150,
    });
  });

  it('gives a long message more, but never what others need', () => {
    const long = [...columns.slice(0, 3), eventColumn('summary', 15, 90)];
    expect(tracksOf(long, {}).tracks).toContain(
      `minmax(max(150px, min(42%, 640px, calc(100% - ${14 + 119 + 56 + 76}px))), 1fr)`,
    );
  });

  it('keeps what a person sized', () => {
    expect(tracksOf(columns, { host: 300, summary: 500 })).toEqual({
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

describe('fieldsShown', () => {
  const names = ['ts', 'kind', 'src_ip', 'dst_ip', 'dst_port', 'summary'];
  const columns = names.map((name) => eventColumn(name, 22));

  it.each([
    [1200, names],
    // The message begins with the addresses, so an export of what is shown contains them.
    [600, names],
    [100, names],
  ])('%i pixels', (width, fields) =>
    expect(fieldsShown(fittingWidth(columns, width, undefined), names)).toEqual(fields),
  );

  it('has no address that no column was chosen for', () => {
    const some = ['ts', 'dst_ip', 'summary'];
    const narrow = fittingWidth(
      some.map((name) => eventColumn(name, 22)),
      300,
      undefined,
    );
    expect(fieldsShown(narrow, some)).toEqual(some);
  });
});

describe('fittingWidth', () => {
  const usual = ['ts', 'kind', 'src_ip', 'dst_ip', 'dst_port', 'host', 'program', 'summary'];
  const columns = usual.map((name) => eventColumn(name, 22));
  const shown = (width: number): string[] =>
    fittingWidth(columns, width, undefined).map(({ name }) => name);

  it.each([
    [1200, usual],
    [860, usual.filter((name) => name !== 'program')],
    [800, usual.filter((name) => name !== 'program' && name !== 'host')],
    // The column hidden first returns once the addresses have left room for it.
    [790, ['ts', 'kind', 'host', 'summary']],
    [600, ['ts', 'kind', 'host', 'summary']],
    [540, ['ts', 'kind', 'summary']],
  ])('%i pixels', (width, names) => expect(shown(width)).toEqual(names));

  it('cuts no address: the message has those that are too long for columns', () => {
    const fitting = (characters: number): string[] =>
      fittingWidth(
        usual.map((name) => eventColumn(name, 26, /_ip$/.test(name) ? characters : undefined)),
        1060,
        undefined,
      ).map(({ name }) => name);
    expect(fitting(15)).toEqual(usual);
    expect(fitting(25)).toEqual(usual.filter((name) => name !== 'program'));
    expect(fitting(39)).toEqual(['ts', 'kind', 'host', 'program', 'summary']);
  });

  it('does without columns that are empty before one that tells events apart', () => {
    const lengths = new Map([
      ['src_ip', 0],
      ['dst_ip', 0],
      ['dst_port', 0],
      ['host', 8],
      ['program', 12],
    ]);
    const some = usual.map((name) => eventColumn(name, 22, lengths.get(name)));
    expect(fittingWidth(some, 620, undefined).map(({ name }) => name)).toEqual([
      ...['ts', 'kind', 'host', 'program', 'summary'],
    ]);
  });

  it('does without empty columns where the message would be cut', () => {
    const lengths = new Map([['dst_port', 0]]);
    const fitting = (message: number): string[] =>
      fittingWidth(
        usual.map((name) =>
          eventColumn(name, 22, name === 'summary' ? message : lengths.get(name)),
        ),
        1000,
        undefined,
      ).map(({ name }) => name);
    expect(fitting(20)).toEqual(usual);
    expect(fitting(90)).toEqual(usual.filter((name) => name !== 'dst_port'));
  });

  it('has addresses before the message where they have no columns', () => {
    const ends = (width: number, sorted?: string): boolean[] =>
      fittingWidth(columns, width, sorted).map((column) => column.ends);
    expect(ends(540)).toEqual([false, false, true]);
    expect(ends(1200)).not.toContain(true);
    // One that the table is sorted by stays.
    expect(ends(600, 'src_ip')).not.toContain(true);
    expect(ends(600, 'ts')).toContain(true);
  });
});

describe('contentLengths', () => {
  it('makes columns as wide as what is in them', () => {
    const batch = {
      rows: 2,
      columns: [
        columnOf('src_ip', ['fe80::1cf4:44d1:5a2b:99c0', '10.0.0.1']),
        columnOf('host', [null, null]),
      ],
    };
    const lengths = contentLengths(makePage(0, batch));
    expect(lengths.get('src_ip')).toBe(25);
    expect(lengths.get('host')).toBe(0);
    expect(eventColumn('src_ip', 15, lengths.get('src_ip'))).toMatchObject({
      width: 188,
      least: 188,
      isEmpty: false,
    });
    expect(eventColumn('host', 15, lengths.get('host'))).toMatchObject({ isEmpty: true });
    expect(eventColumn('host', 15)).toMatchObject({ isEmpty: false });
  });
});

function columnOf(name: string, values: readonly (string | null)[]) {
  const maker = new ColumnMaker();
  values.forEach((value, row) => maker.add(row, value));
  return maker.finish(name, values.length);
}
