/** SNMP versions 1 and 2c (RFC 1157, 3416): version, community, PDU and object names, from BER. */
import type { LayerReader } from './reader.ts';
import { hexBytes, named, visible } from './text.ts';

const MAX_BINDINGS = 100;
const PDUS: Readonly<Record<number, string>> = {
  0xa0: 'get-request',
  0xa1: 'get-next-request',
  0xa2: 'get-response',
  0xa3: 'set-request',
  0xa4: 'trap',
  0xa5: 'getBulkRequest',
  0xa6: 'informRequest',
  0xa7: 'snmpV2-trap',
  0xa8: 'report',
};
const VERSIONS = named({ 0: 'version-1', 1: 'v2c', 3: 'snmpv3' });
const ERRORS = named({
  0: 'noError',
  1: 'tooBig',
  2: 'noSuchName',
  3: 'badValue',
  4: 'readOnly',
  5: 'genErr',
});

/** An integer's text with its name; what is no integer stays as it is. */
function namedText(names: (value: number) => string): (text: string) => string {
  return (text) => (/^\d{1,9}$/.test(text) ? names(Number(text)) : text);
}

interface Element {
  readonly tag: number;
  /** Where its content starts, and how long it says it is. */
  readonly at: number;
  readonly size: number;
}

/** Tag and length of the element at the next byte, which is not consumed. */
function element(r: LayerReader): Element {
  r.need(2, 'BER element');
  const tag = r.peek();
  let size = r.peek(1);
  let header = 2;
  if (size > 0x80) {
    const count = size & 0x7f;
    if (count > 4) return { tag, at: r.at + 2, size: 0 };
    r.need(2 + count, 'BER length');
    size = 0;
    for (let i = 0; i < count; i++) size = size * 256 + r.peek(2 + i);
    header += count;
  }
  return { tag, at: r.at + header, size };
}

function integer(bytes: Uint8Array): string {
  if (bytes.length === 0 || bytes.length > 9) return hexBytes(bytes);
  return String(BigInt.asIntN(8 * bytes.length, BigInt(`0x${Buffer.from(bytes).toString('hex')}`)));
}

function unsigned(bytes: Uint8Array): string {
  return bytes.length === 0 || bytes.length > 9
    ? hexBytes(bytes)
    : String(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}

function objectName(bytes: Uint8Array): string {
  const parts: number[] = [];
  let value = 0;
  for (const byte of bytes.subarray(0, 128)) {
    value = (value % 2 ** 25) * 128 + (byte & 0x7f);
    if (byte > 127) continue;
    if (parts.length === 0) {
      const head = Math.min(Math.floor(value / 40), 2);
      parts.push(head, value - head * 40);
    } else {
      parts.push(value);
    }
    value = 0;
  }
  return parts.join('.');
}

function valueText(tag: number, bytes: Uint8Array): string {
  switch (tag) {
    case 0x02:
      return integer(bytes);
    case 0x04:
      return visible(bytes);
    case 0x05:
      return 'Null';
    case 0x06:
      return objectName(bytes);
    case 0x40:
      return bytes.length === 4 ? bytes.join('.') : hexBytes(bytes);
    case 0x41:
    case 0x42:
    case 0x43:
    case 0x46:
      return unsigned(bytes);
    case 0x80:
      return 'noSuchObject';
    case 0x81:
      return 'noSuchInstance';
    case 0x82:
      return 'endOfMibView';
    default:
      return hexBytes(bytes);
  }
}

/** Adds the next element as a field and consumes it. */
function primitive(
  r: LayerReader,
  name: string,
  show: (text: string) => string = (text) => text,
): string {
  const { tag, at, size } = element(r);
  r.need(at - r.at + size, name);
  const text = show(valueText(tag, r.bytes.subarray(at, at + size)));
  r.add(name, text, r.at, at - r.at + size);
  r.at = at + size;
  return text;
}

/** Goes into the next element; gives its size. */
function enter(r: LayerReader): number {
  const { at, size } = element(r);
  r.skip(at - r.at, 'BER element');
  return size;
}

export function snmp(r: LayerReader): undefined {
  enter(r);
  const version = primitive(r, 'version', namedText(VERSIONS));
  r.layer.summary = version;
  if (r.peek() !== 0x04) {
    if (r.left > 0) r.raw('Data', r.left);
    return undefined;
  }
  const community = primitive(r, 'community');
  const { tag } = element(r);
  const pdu = PDUS[tag] ?? `PDU 0x${tag.toString(16)}`;
  r.layer.summary = `${version}, ${pdu}, community ${community}`;
  r.group('data', () => {
    enter(r);
    if (tag === 0xa4) {
      primitive(r, 'enterprise');
      primitive(r, 'agent-addr');
      primitive(r, 'generic-trap');
      primitive(r, 'specific-trap');
      primitive(r, 'time-stamp');
    } else {
      primitive(r, 'request-id');
      if (tag === 0xa5) primitive(r, 'non-repeaters');
      else primitive(r, 'error-status', namedText(ERRORS));
      primitive(r, tag === 0xa5 ? 'max-repetitions' : 'error-index');
    }
    const size = enter(r);
    const stop = r.at + size;
    for (let i = 0; r.at < stop && r.left > 0 && i < MAX_BINDINGS; i++) {
      r.group('variable-binding', () => {
        enter(r);
        const name = primitive(r, 'name');
        return `${name}: ${primitive(r, 'value')}`;
      });
    }
    return pdu;
  });
  if (r.left > 0) r.raw('Data', r.left);
  return undefined;
}
