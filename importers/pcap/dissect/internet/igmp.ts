/** IGMP versions 1 to 3 (RFC 1112, 2236, 3376). */
import { checksumText, fold, sumWords, unverified } from './checksum.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, named } from '../text.ts';

const TYPES = named(
  {
    0x11: 'Membership Query',
    0x12: 'Membership Report v1',
    0x16: 'Membership Report v2',
    0x17: 'Leave Group',
    0x22: 'Membership Report v3',
  },
  hex8,
);
const RECORDS = named({
  1: 'Mode Is Include',
  2: 'Mode Is Exclude',
  3: 'Change To Include Mode',
  4: 'Change To Exclude Mode',
  5: 'Allow New Sources',
  6: 'Block Old Sources',
});

export function igmp(r: LayerReader): undefined {
  const d = r.d;
  const start = r.at;
  const type = r.u8('Type', TYPES);
  r.layer.summary = TYPES(type);
  r.u8(type === 0x22 ? 'Reserved' : 'Max Resp Time', (value) => `${value / 10} s`);
  r.u16('Checksum', (stated) => {
    if (d.wireEnd > d.end) return unverified(stated, d.cutReason(d.end));
    if (d.network?.fragment === true) return unverified(stated, 'a fragment');
    const sum = sumWords(r.bytes, start, start + 2) + sumWords(r.bytes, start + 4, d.end);
    return checksumText(stated, fold(sum));
  });
  if (type === 0x22) {
    r.u16('Reserved');
    const count = r.u16('Num Group Records');
    for (let i = 0; i < count && r.left > 0; i++) {
      r.group('Group Record', () => {
        const kind = r.u8('Record Type', RECORDS);
        const auxiliary = r.u8('Aux Data Len');
        const sources = r.u16('Num Src');
        const group = r.ip4('Multicast Address');
        for (let n = 0; n < sources; n++) r.ip4('Source Address');
        if (auxiliary > 0) r.raw('Auxiliary Data', auxiliary * 4);
        r.layer.summary = `${TYPES(type)}: ${RECORDS(kind)} ${group}`;
        return `${RECORDS(kind)}: ${group}`;
      });
    }
    return r.finish();
  }
  const group = r.ip4('Multicast Address');
  r.layer.summary = `${TYPES(type)} ${group}`;
  if (type === 0x11 && r.left >= 4) {
    r.bits(
      'QRV and S',
      1,
      [
        [0x08, 'S'],
        [0x07, 'QRV'],
      ],
      hex8,
    );
    r.u8('QQIC');
    const sources = r.u16('Num Src');
    for (let n = 0; n < sources && r.left > 0; n++) r.ip4('Source Address');
  }
  return r.finish();
}
