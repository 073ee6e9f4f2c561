/**
 * Wide tables of one day: `columns` of text and numbers besides the time and two addresses. Every text is different
 * (identifiers, hashes), which needs the most memory for text indexes, or, with `alike`, one of a few hundred, as
 * in audit logs of clouds. Seeded.
 */
import { ByteFile, type WrittenFile } from '../../fixtures/evidence/byte-file.ts';
import { Random } from '../../fixtures/evidence/random.ts';
import { dotted } from './dotted.ts';

const DAY = Date.UTC(2026, 10, 2);
const DAY_MS = 86_400_000;
const TEXTS = 300;

interface WideTable {
  readonly rows: number;
  readonly columns: number;
  /** Texts repeat. */
  readonly alike?: boolean;
  readonly seed?: number;
}

export function writeWideTable(
  path: string,
  { rows, columns, alike = false, seed = 5 }: WideTable,
): WrittenFile {
  const random = new Random(seed);
  const file = new ByteFile(path);
  const names = Array.from({ length: columns }, (_, i) => `field_${i}`);
  file.text(`ts,src_ip,dst_ip,dst_port,${names.join(',')}\n`);
  for (let i = 0; i < rows; i++) {
    const at = new Date(DAY + Math.floor((i * DAY_MS) / rows)).toISOString();
    file.text(
      `${at},${dotted(0x0a00_0000 + random.below(65_536))},${dotted(0xac10_0000 + random.below(4096))},${random.below(36)}`,
    );
    for (let column = 0; column < columns; column++)
      file.text(
        alike
          ? `,value ${column}-${random.below(TEXTS)}`
          : `,v${column}-${random.bits().toString(36)}${random.bits().toString(36).slice(0, 3)}`,
      );
    file.text('\n');
  }
  return file.close();
}
