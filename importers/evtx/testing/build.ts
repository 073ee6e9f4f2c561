/**
 * Builds event logs for tests, byte by byte after [MS-EVEN6] 2.2.12: records that instantiate a template, records
 * without one, and chunks with right checksums.
 */
import { crc32 } from 'node:zlib';
import { CHUNK_BYTES, FILE_HEADER_BYTES } from '../log-reader.ts';
import { T } from '../values.ts';

const CHUNK_HEADER_BYTES = 512;

/** A value of a template's instance. */
interface BuiltValue {
  readonly type: number;
  readonly bytes: Buffer;
}

/** A number, with its size in bytes. */
export function number(type: number, size: number, value: bigint | number): BuiltValue {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return { type, bytes: bytes.subarray(0, size) };
}
export const text = (value: string): BuiltValue => ({
  type: T.text,
  bytes: Buffer.from(value, 'utf16le'),
});
const none: BuiltValue = { type: T.null, bytes: Buffer.alloc(0) };

/** 100 ns since 1601. */
export function fileTime(iso: string, hundredNanos = 0): bigint {
  return (BigInt(Date.parse(iso)) + 11_644_473_600_000n) * 10_000n + BigInt(hundredNanos);
}

/** The content of a record: an element with attributes and children, texts, and substitutions by number. */
type Xml = string | number | XmlElement;
export interface XmlElement {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number>>;
  readonly children?: readonly Xml[];
}

interface BuiltRecord {
  readonly id: bigint;
  readonly written: bigint;
  readonly xml: XmlElement;
  /** With values, `xml` is a template; records of a chunk with the same `xml` share it. */
  readonly values?: readonly BuiltValue[];
}

/** Writes one chunk. */
class ChunkBuilder {
  readonly bytes = Buffer.alloc(CHUNK_BYTES);
  at = CHUNK_HEADER_BYTES;
  private readonly names = new Map<string, number>();
  private readonly templates = new Map<XmlElement, number>();
  private first = 0n;
  private last = 0n;
  private lastAt = 0;

  add({ id, written, xml, values }: BuiltRecord): void {
    const start = this.at;
    if (this.first === 0n) this.first = id;
    this.last = id;
    this.lastAt = start;
    this.u32(0x2a2a);
    this.u32(0);
    this.u64(id);
    this.u64(written);
    this.fragmentHeader();
    if (values === undefined) this.element(xml, false);
    else this.instance(xml, values);
    this.u8(0);
    const size = this.at + 4 - start;
    this.u32(size);
    this.bytes.writeUInt32LE(size, start + 4);
  }

  finish(): Buffer {
    const { bytes } = this;
    bytes.write('ElfChnk\0', 0, 'latin1');
    for (const at of [8, 24]) bytes.writeBigUInt64LE(this.first, at);
    for (const at of [16, 32]) bytes.writeBigUInt64LE(this.last, at);
    bytes.writeUInt32LE(128, 40);
    bytes.writeUInt32LE(this.lastAt, 44);
    bytes.writeUInt32LE(this.at, 48);
    bytes.writeUInt32LE(crc32(bytes.subarray(CHUNK_HEADER_BYTES, this.at)), 52);
    const sum = crc32(bytes.subarray(128, CHUNK_HEADER_BYTES), crc32(bytes.subarray(0, 120)));
    bytes.writeUInt32LE(sum, 124);
    return bytes;
  }

  private fragmentHeader(): void {
    for (const byte of [0x0f, 1, 1, 0]) this.u8(byte);
  }

  private instance(xml: XmlElement, values: readonly BuiltValue[]): void {
    this.u8(0x0c);
    this.u8(1);
    this.u32(0x1234);
    const known = this.templates.get(xml);
    this.u32(known ?? this.at + 4);
    if (known === undefined) {
      this.templates.set(xml, this.at);
      this.u32(0);
      for (let i = 0; i < 16; i++) this.u8(i);
      const sizeAt = this.at;
      this.u32(0);
      this.fragmentHeader();
      this.element(xml, true);
      this.u8(0);
      this.bytes.writeUInt32LE(this.at - sizeAt - 4, sizeAt);
    }
    this.u32(values.length);
    for (const { type, bytes } of values) {
      this.u16(bytes.length);
      this.u8(type);
      this.u8(0);
    }
    for (const { bytes } of values) this.at += bytes.copy(this.bytes, this.at);
  }

  private element({ name, attributes = {}, children = [] }: XmlElement, inTemplate: boolean): void {
    const given = Object.entries(attributes);
    this.u8(given.length > 0 ? 0x41 : 0x01);
    if (inTemplate) this.u16(0xffff);
    const sizeAt = this.at;
    this.u32(0);
    this.name(name);
    if (given.length > 0) {
      const listAt = this.at;
      this.u32(0);
      for (const [i, [key, value]] of given.entries()) {
        this.u8(i + 1 < given.length ? 0x46 : 0x06);
        this.name(key);
        this.content(value);
      }
      this.bytes.writeUInt32LE(this.at - listAt - 4, listAt);
    }
    if (children.length === 0) {
      this.u8(3);
    } else {
      this.u8(2);
      for (const child of children) {
        if (typeof child === 'object') this.element(child, inTemplate);
        else this.content(child);
      }
      this.u8(4);
    }
    this.bytes.writeUInt32LE(this.at - sizeAt - 4, sizeAt);
  }

  private content(value: string | number): void {
    if (typeof value === 'number') {
      this.u8(0x0e);
      this.u16(value);
      this.u8(T.text);
      return;
    }
    this.u8(0x05);
    this.u8(T.text);
    this.u16(value.length);
    this.utf16(value);
  }

  private name(name: string): void {
    const known = this.names.get(name);
    this.u32(known ?? this.at + 4);
    if (known !== undefined) return;
    this.names.set(name, this.at);
    this.u32(0);
    this.u16(0);
    this.u16(name.length);
    this.utf16(name);
    this.u16(0);
  }

  private utf16(value: string): void {
    this.at += this.bytes.write(value, this.at, 'utf16le');
  }
  private u8(value: number): void {
    this.at = this.bytes.writeUInt8(value, this.at);
  }
  private u16(value: number): void {
    this.at = this.bytes.writeUInt16LE(value, this.at);
  }
  private u32(value: number): void {
    this.at = this.bytes.writeUInt32LE(value, this.at);
  }
  private u64(value: bigint): void {
    this.at = this.bytes.writeBigUInt64LE(value, this.at);
  }
}

/** A log with a chunk for each list of records. */
export function buildLog(chunks: readonly (readonly BuiltRecord[])[], flags = 0): Buffer {
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  header.write('ElfFile\0', 0, 'latin1');
  header.writeUInt32LE(128, 32);
  header.writeUInt16LE(1, 36);
  header.writeUInt16LE(3, 38);
  header.writeUInt16LE(FILE_HEADER_BYTES, 40);
  header.writeUInt16LE(chunks.length, 42);
  header.writeUInt32LE(flags, 120);
  header.writeUInt32LE(crc32(header.subarray(0, 120)), 124);
  const built = chunks.map((records) => {
    const chunk = new ChunkBuilder();
    for (const record of records) chunk.add(record);
    return chunk.finish();
  });
  return Buffer.concat([header, ...built]);
}

const system = (children: readonly Xml[]): XmlElement => ({ name: 'System', children });

/** Logons as in Windows' Security log. */
const LOGON: XmlElement = {
  name: 'Event',
  attributes: { xmlns: 'http://schemas.microsoft.com/win/2004/08/events/event' },
  children: [
    system([
      { name: 'Provider', attributes: { Name: 'Microsoft-Windows-Security-Auditing', Guid: 0 } },
      { name: 'EventID', children: [1] },
      { name: 'Level', children: [2] },
      { name: 'Keywords', children: [3] },
      { name: 'TimeCreated', attributes: { SystemTime: 4 } },
      { name: 'EventRecordID', children: [5] },
      { name: 'Execution', attributes: { ProcessID: 6, ThreadID: 7 } },
      { name: 'Channel', children: ['Security'] },
      { name: 'Computer', children: [8] },
      { name: 'Security', attributes: { UserID: 9 } },
    ]),
    {
      name: 'EventData',
      children: [
        { name: 'Data', attributes: { Name: 'TargetUserSid' }, children: [10] },
        { name: 'Data', attributes: { Name: 'TargetUserName' }, children: [11] },
        { name: 'Data', attributes: { Name: 'LogonType' }, children: [12] },
        { name: 'Data', attributes: { Name: 'IpAddress' }, children: [13] },
        { name: 'Data', attributes: { Name: 'Computer' }, children: ['client & ', 14] },
      ],
    },
  ],
};

const GUID = Buffer.from('78563412bc9af0de0123456789abcdef', 'hex');
const SID = Buffer.from('010500000000000515000000010000000200000003000000f4010000', 'hex');

/** A logon of `user` at `time` (100 ns since 1601). */
export function logon(id: bigint, time: bigint, user: string, eventId = 4624): BuiltRecord {
  return {
    id,
    written: time + 5n,
    xml: LOGON,
    values: [
      { type: T.guid, bytes: GUID },
      number(T.uint16, 2, eventId),
      number(T.uint8, 1, 0),
      number(T.hex64, 8, 0x8020000000000000n),
      number(T.fileTime, 8, time),
      number(T.uint64, 8, id),
      number(T.uint32, 4, 712),
      number(T.uint32, 4, 4242),
      text('host1.example.com'),
      none,
      { type: T.sid, bytes: SID },
      text(user),
      number(T.uint32, 4, 3),
      text('192.0.2.17'),
      text('host2\0'),
    ],
  };
}
