/**
 * The layout of a part of a flow record, as text: `srcPort:u16 -:u16 label:text` are three consecutive fields. A
 * name is a member of `Flow`, or nfdump's name for another field. `-` is skipped, a member with `?` keeps an
 * existing value, and `event` is the time of an event without a flow's times.
 */
import { type Flow, ip4Text, ip6Text, note, type RecordView } from './flow.ts';

export interface Layout {
  /** Bytes that there must be. */
  readonly bytes: number;
  /** @param length bytes that there are */
  read(flow: Flow, view: RecordView, at: number, length: number): void;
}

type Reader<T> = (view: RecordView, at: number) => T;
type Read = Layout['read'];

const ACL_WORDS = 3;
const MPLS_LABELS = 10;

const NUMBERS: Readonly<Record<string, { readonly bytes: number; readonly of: Reader<number> }>> = {
  u8: { bytes: 1, of: (view, at) => view.u8(at) },
  u16: { bytes: 2, of: (view, at) => view.u16(at) },
  u32: { bytes: 4, of: (view, at) => view.u32(at) },
  u64: { bytes: 8, of: (view, at) => view.u64(at) },
  /** Microseconds, of which nfdump shows milliseconds. */
  latency: { bytes: 8, of: (view, at) => view.u64(at) / 1000 },
};
const TEXTS: Readonly<
  Record<string, { readonly bytes: number; readonly of: Reader<string | undefined> }>
> = {
  time: { bytes: 8, of: (view, at) => timeText(view.u64(at)) },
  mac: { bytes: 8, of: (view, at) => view.mac(at) },
  ip4: { bytes: 4, of: (view, at) => text4(view.u32(at)) },
  ip6: { bytes: 16, of: (view, at) => text6(view.ip6(at)) },
  acl: { bytes: 4 * ACL_WORDS, of: (view, at) => acl(view, at) },
};
const MEMBERS = [
  ...(['first', 'last', 'proto', 'srcPort', 'dstPort', 'tcpFlags', 'packets', 'bytes'] as const),
  ...(['outPackets', 'outBytes', 'src4', 'dst4', 'vlan'] as const),
];

/** @param least bytes that there must be, where these are more than those of the fields */
export function layout(text: string, least = 0): Layout {
  let size = 0;
  const reads = text.split(' ').flatMap((field) => {
    const [name, type] = field.split(':') as [string, string];
    const { bytes, read } = fieldOf(name, type, size);
    size += bytes;
    return read === undefined ? [] : [read];
  });
  return {
    bytes: Math.max(size, least),
    read(flow, view, at, length) {
      for (let i = 0; i < reads.length; i++) reads[i]!(flow, view, at, length);
    },
  };
}

/** @param from where in the layout it begins */
function fieldOf(
  name: string,
  type: string,
  from: number,
): { bytes: number; read: Read | undefined } {
  const number = NUMBERS[type];
  if (number !== undefined) return { bytes: number.bytes, read: setNumber(name, number.of, from) };
  const text = TEXTS[type];
  if (text !== undefined)
    return {
      bytes: text.bytes,
      read: (flow, view, at) => note(flow, name, text.of(view, at + from)),
    };
  if (type === 'bytes6') {
    const member = name === 'src6' ? 'src6' : 'dst6';
    return { bytes: 16, read: (flow, view, at) => void (flow[member] = view.ip6(at + from)) };
  }
  // A text takes the rest.
  return {
    bytes: 0,
    read: (flow, view, at, length) => {
      const value = view.text(at + from, length - from);
      if (name === 'user') flow.user = value;
      else note(flow, name, value);
    },
  };
}

function setNumber(name: string, of: Reader<number>, from: number): Read | undefined {
  if (name === '-') return undefined;
  if (name === 'vlan?') return (flow, view, at) => void (flow.vlan ||= of(view, at + from));
  if (name === 'event')
    return (flow, view, at) => {
      flow.first ||= of(view, at + from);
      flow.last ||= of(view, at + from);
    };
  const member = MEMBERS.find((one) => one === name);
  return member === undefined
    ? (flow, view, at) => note(flow, name, of(view, at + from))
    : (flow, view, at) => void (flow[member] = of(view, at + from));
}

/** For each label its number, its experimental bits, and whether it is the last one, as nfdump prints them. */
export const mplsLabels: Layout = {
  bytes: 4 * MPLS_LABELS,
  read(flow, view, at) {
    for (let i = 0; i < MPLS_LABELS; i++) {
      const label = view.u32(at + 4 * i);
      if (label !== 0)
        note(flow, `mpls_${i + 1}`, `${label >>> 4}-${(label >>> 1) & 7}-${label & 1}`);
    }
  },
};

function text4(address: number): string | undefined {
  return address === 0 ? undefined : ip4Text(address);
}

function text6(bytes: Uint8Array): string | undefined {
  return bytes.every((byte) => byte === 0) ? undefined : ip6Text(bytes);
}

function timeText(ms: number): string | undefined {
  return ms > 0 && ms < 8.64e15 ? new Date(ms).toISOString() : undefined;
}

function acl(view: RecordView, at: number): string | undefined {
  const words = Array.from({ length: ACL_WORDS }, (_, i) => view.u32(at + 4 * i));
  return words.every((word) => word === 0)
    ? undefined
    : words.map((word) => `0x${word.toString(16)}`).join('/');
}
