/**
 * The layout of an open flow's fields. A flow is a record of 256 bytes in one buffer that is accessed as words,
 * half-words, bytes and doubles: the fields that every packet touches are in its first two cache lines.
 *
 * Side 0 is the originator, side 1 the responder. Sequence numbers marked "relative" count from the side's initial
 * sequence number, modulo 2^32.
 */

/**
 * Words of a record, and the shift that converts a slot to the index of its first word: shifts stay 32-bit whole
 * numbers.
 */
export const RECORD_WORDS = 64;
export const RECORD_SHIFT = 6;

// Words, from the start of the record.
export const HASH = 0;
/** IPv4 address, or the index of the pair in the IPv6 store. The lower endpoint comes first. */
export const ADDRESS_LOW = 1;
export const ADDRESS_HIGH = 2;
export const PORTS = 3;
export const VLANS = 4;
/** Protocol and the KEY_ bits: the rest of a flow's identity. */
export const KEY = 5;
export const NUMBER = 6;
/** Two half-words: the END_ bits of each side. */
export const ENDS = 7;
/** CONN_ bits. */
export const CONN = 8;
/** History letters that were written, 16 bits a side. */
export const SEEN = 9;
export const PACKETS = 12;
export const NEXT = 14;
export const PREVIOUS = 15;
/** Of side 0; those of side 1 are TCP_SIDE words on. */
export const FIRST_SEQ = 20;
export const LAST_SEQ = 21;
export const ACK_SEQ = 22;
/** Relative: everything before it was seen, or given up as lost. */
export const NEXT_SEQ = 23;
/** Relative: all before it was acknowledged. */
export const TRIM_SEQ = 24;
export const TCP_SIDE = 5;
/** Half-words a side: wraps of LAST_SEQ, wraps of ACK_SEQ. */
export const WRAPS = 30;
/** Relative, each with a word a side. */
export const FIN_SEQ = 40;
export const LAST_SYN = 42;
export const LAST_FIN = 44;
export const LAST_RST = 46;
export const RETRANSMITS = 48;
/** Half-words a side. */
export const ZERO_WINDOWS = 50;
export const GAPS = 51;
/** The first of the ranges that arrived early. */
export const RANGES = 52;
/** Tick of the timer wheel the record hangs at. */
export const TICK = 54;
/** Nanoseconds of the first packet, of the last, and digits: 10, 10 and 4 bits. */
export const STAMP = 55;
export const HISTORY = 57;
export const HISTORY_BYTES = (RECORD_WORDS - HISTORY) * 4;

// Doubles, from the start of the record.
/** Network time of the last packet that counts for the duration. */
export const LAST_TIME = 5;
/** IP bytes; side 1 follows. */
export const BYTES = 8;
/** Payload bytes of other protocols than TCP; side 1 follows. Shares its place with the TCP fields. */
export const PAYLOAD = 10;
/** Time stamp of the first packet, NaN without one. */
export const START_STAMP = 16;
/** Network time of the first packet. */
export const START_TIME = 17;
/** When the timer of CONN_TIMER is due. */
export const DUE = 18;
export const MISSED = 19;

// Bits of KEY above the protocol.
export const KEY_IP6 = 1 << 8;
/** The two directions are two flows. */
export const KEY_ONE_WAY = 1 << 9;
export const KEY_PORTS = 1 << 10;

// Bits of a half-word of ENDS.
export const END_STATE = 7;
export const END_PREVIOUS_SHIFT = 3;
export const END_DID_CLOSE = 1 << 6;
export const END_SKIP = 1 << 7;
export const END_EOF = 1 << 8;
export const END_FIN = 1 << 9;
export const END_FIRST_SEEN = 1 << 10;
/** Whether RANGES is not empty: RANGES is too far from the rest to be read needlessly. */
export const END_RANGES = 1 << 11;

// Bits of CONN.
/** The lower endpoint is the originator. */
export const CONN_LOW_ORIGINATES = 1;
export const CONN_PARTIAL = 1 << 1;
export const CONN_CLOSE_DEFERRED = 1 << 2;
/** The timer that expires at DUE: one of the TIMER_ values. */
export const CONN_TIMER_SHIFT = 3;
export const CONN_TIMER = 3 << CONN_TIMER_SHIFT;
/** The handshake is over: the long inactivity timeout holds. */
export const CONN_LONG = 1 << 5;
export const CONN_TUNNEL = 1 << 6;
/** A time stamp had nanoseconds. */
export const CONN_NANOS = 1 << 7;
export const CONN_HISTORY_SHIFT = 8;
export const CONN_HISTORY = 31 << CONN_HISTORY_SHIFT;
export const CONN_FLAGS_SHIFT = 16;

export const TIMER_NONE = 0;
export const TIMER_ATTEMPT = 1;
export const TIMER_PARTIAL_CLOSE = 2;
/** After a close or a reset: nothing stops it. */
export const TIMER_DELETE = 3;

// States of a TCP endpoint, as Zeek numbers them.
export const INACTIVE = 0;
export const SYN_SENT = 1;
export const SYN_ACK_SENT = 2;
export const PARTIAL = 3;
export const ESTABLISHED = 4;
export const CLOSED = 5;
export const RESET = 6;
