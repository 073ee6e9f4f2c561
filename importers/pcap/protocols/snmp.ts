/** SNMP (RFC 1157, RFC 3416, RFC 3412): one event a message. */
import {
  BER,
  type BerElement,
  childrenOf,
  elementAt,
  elementsIn,
  integerOf,
  oidOf,
  stringOf,
} from './ber.ts';
import type { Datagram, DatagramProtocol, ProtocolMessage } from './messages.ts';

const VERSIONS: Readonly<Record<number, string>> = { 0: '1', 1: '2c', 3: '3' };
/** By the tag of the PDU. */
const OPERATIONS: Readonly<Record<number, string>> = {
  ...{ 0xa0: 'get', 0xa1: 'get-next', 0xa2: 'response', 0xa3: 'set', 0xa4: 'trap' },
  ...{ 0xa5: 'get-bulk', 0xa6: 'inform', 0xa7: 'trap', 0xa8: 'report' },
};
const [RESPONSE, TRAP1, TRAP2, REPORT] = [0xa2, 0xa4, 0xa7, 0xa8];
export const SNMP_ERRORS = (
  'noError tooBig noSuchName badValue readOnly genErr noAccess wrongType wrongLength wrongEncoding wrongValue ' +
  'noCreation inconsistentValue resourceUnavailable commitFailed undoFailed authorizationError notWritable inconsistentName'
).split(' ');
const MOST_OBJECTS = 32;

function read({
  bytes,
  start,
  end,
  at,
  srcPort,
}: Datagram): { message: ProtocolMessage; isFromClient: boolean } | undefined {
  if (bytes[start] !== BER.sequence) return undefined;
  const whole = elementAt(bytes, start, end);
  // Nothing else is in such a datagram.
  if (whole?.end !== end) return undefined;
  const [first, second, third] = elementsIn(bytes, whole);
  const version = first?.tag === BER.integer ? VERSIONS[integerOf(bytes, first) ?? -1] : undefined;
  if (version === undefined || second === undefined || third === undefined) return undefined;
  const isThird = version === '3';
  if (second.tag !== (isThird ? BER.sequence : BER.octets)) return undefined;
  const pdu = isThird ? scopedPdu(bytes, whole) : third;
  const operation = OPERATIONS[pdu?.tag ?? 0];
  if (operation === undefined && !isThird) return undefined;
  const community = isThird ? undefined : stringOf(bytes, second);
  const user = isThird ? userOf(bytes, third) : undefined;
  const { error, objects } = contentOf(bytes, pdu);
  const isAnswer = pdu?.tag === RESPONSE || pdu?.tag === REPORT;
  // For an encrypted message only the ports tell.
  const isFromClient = pdu === undefined ? srcPort !== 161 : !isAnswer;
  const type = operation ?? 'encrypted';
  return {
    isFromClient,
    message: {
      ...{ kind: 'snmp', type, at },
      text: [`v${version}`, type, user, objects.slice(0, 3).join(', '), error]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        user,
        outcome:
          isAnswer && error !== undefined
            ? error === 'noError'
              ? 'success'
              : 'failure'
            : undefined,
        reason: error === 'noError' ? undefined : error,
      },
      attributes: {
        ...{ version, community, request_type: type },
        objects: objects.length === 0 ? undefined : objects,
        error_status: error,
      },
    },
  };
}

/** Version 3: the PDU in the unencrypted part. */
function scopedPdu(bytes: Uint8Array, whole: BerElement): BerElement | undefined {
  const [, , , data] = elementsIn(bytes, whole);
  if (data?.tag !== BER.sequence) return undefined;
  const [, , pdu] = elementsIn(bytes, data);
  return pdu;
}

/** The user of the user-based security model (RFC 3414), in a separate string. */
function userOf(bytes: Uint8Array, parameters: BerElement): string | undefined {
  const inner = elementAt(bytes, parameters.start, parameters.end);
  if (inner?.tag !== BER.sequence) return undefined;
  const [, , , user] = elementsIn(bytes, inner);
  return user?.tag === BER.octets && user.end > user.start ? stringOf(bytes, user) : undefined;
}

function contentOf(
  bytes: Uint8Array,
  pdu: BerElement | undefined,
): { error: string | undefined; objects: string[] } {
  if (pdu === undefined) return { error: undefined, objects: [] };
  const parts = [...elementsIn(bytes, pdu)];
  const list = parts.at(-1);
  const isTrap = pdu.tag === TRAP1 || pdu.tag === TRAP2;
  const number = isTrap || parts[1]?.tag !== BER.integer ? undefined : integerOf(bytes, parts[1]);
  const objects: string[] = [];
  if (list?.tag === BER.sequence)
    for (const binding of elementsIn(bytes, list)) {
      const name = childrenOf(bytes, binding).get(BER.oid);
      const oid = name && oidOf(bytes, name);
      if (oid !== undefined && objects.length < MOST_OBJECTS) objects.push(oid);
    }
  const error =
    pdu.tag === RESPONSE && number !== undefined
      ? (SNMP_ERRORS[number] ?? String(number))
      : undefined;
  return { error, objects };
}

export const SNMP: DatagramProtocol = { service: 'snmp', read };
