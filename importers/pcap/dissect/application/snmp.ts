/** SNMP versions 1 and 2c (RFC 1157, 3416): version, community, PDU and object names, from BER. */
import { BER, type BerElement, headerAt, integerOf, oidOf } from '../../protocols/ber.ts';
import { SNMP_ERRORS } from '../../protocols/snmp.ts';
import { Cut, type LayerReader } from '../reader.ts';
import { hexBytes, named, visible } from '../text.ts';

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
const ERRORS = named(SNMP_ERRORS);

/** An integer's text with its name; other values unchanged. */
function namedText(names: (value: number) => string): (text: string) => string {
  return (text) => (/^\d{1,9}$/.test(text) ? names(Number(text)) : text);
}

/** The element at the next byte, which is not consumed; it may end beyond the available bytes. */
function element(r: LayerReader): BerElement {
  const found = headerAt(r.bytes, r.at, r.end);
  if (found === undefined) throw new Cut('BER element');
  return found;
}

function unsigned(bytes: Uint8Array): string {
  return bytes.length === 0 || bytes.length > 9
    ? hexBytes(bytes)
    : String(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}

function valueText(all: Uint8Array, element: BerElement): string {
  const bytes = all.subarray(element.start, element.end);
  switch (element.tag) {
    case BER.integer:
      return String(integerOf(all, element) ?? hexBytes(bytes));
    case BER.octets:
      return visible(bytes);
    case BER.null:
      return 'Null';
    case BER.oid:
      return oidOf(all, element) ?? hexBytes(bytes);
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
  const found = element(r);
  const size = found.end - r.at;
  r.need(size, name);
  const text = show(valueText(r.bytes, found));
  r.add(name, text, r.at, size);
  r.at = found.end;
  return text;
}

/** Enters the next element; returns its end. */
function enter(r: LayerReader): number {
  const { start, end } = element(r);
  r.at = start;
  return end;
}

export function snmp(r: LayerReader): undefined {
  enter(r);
  const version = primitive(r, 'version', namedText(VERSIONS));
  r.layer.summary = version;
  if (r.peek() !== BER.octets) {
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
    const stop = enter(r);
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
