/**
 * Finds the interface of a packet block in a pcapng file: the sections of the file with their byte order and
 * interfaces, found by walking the block headers up to a position and no further. The results are kept, so that the
 * next packet costs only the distance from there.
 */
import type { ByteOffset } from '../../../engine/contract/event.ts';
import type { ContentReader } from '../../shared/files/read-record.ts';
import { u16, u16le, u32, u32le } from '../bytes.ts';
import { MAX_RECORD } from './capture-reader.ts';

const SECTION_HEADER = 0x0a0d0d0a;
const INTERFACE = 1;
/** Bytes read at a time; larger blocks are skipped. */
const WINDOW = 256 * 1024;
/** Maximum number of interfaces that the importer keeps of one section. */
const MAX_INTERFACES = 1 << 16;

interface CaptureInterface {
  readonly offset: ByteOffset;
  readonly linkType: number;
  readonly snapLength: number;
}

export interface Section {
  readonly offset: ByteOffset;
  readonly little: boolean;
  readonly interfaces: CaptureInterface[];
}

export class SectionTable {
  private readonly sections: Section[] = [];
  private reached = 0;
  private damaged = false;

  /**
   * The section that contains the block at `offset`, with the interfaces described before it; undefined if the
   * preceding bytes are not an unbroken chain of blocks.
   */
  async at(
    content: ContentReader,
    offset: ByteOffset,
    signal: AbortSignal | undefined,
  ): Promise<Section | undefined> {
    while (this.reached < offset && !this.damaged) {
      const size = Math.min(WINDOW, offset - this.reached);
      // The block at `offset` itself may be only partly in a window.
      const bytes = await content.readUpTo(this.reached, size + 28, signal);
      this.walk(bytes, offset);
      if (bytes.length < 28 && this.reached < offset) this.damaged = true;
    }
    const section = this.sections.findLast((one) => one.offset < offset);
    if (section === undefined || (this.damaged && this.reached < offset)) return undefined;
    const interfaces = section.interfaces.filter((one) => one.offset < offset);
    return { ...section, interfaces };
  }

  /** Walks the blocks whose first 28 bytes are at hand. */
  private walk(bytes: Uint8Array, offset: ByteOffset): void {
    const base = this.reached;
    let at = 0;
    while (base + at < offset && at + 28 <= bytes.length) {
      const size = this.block(bytes, at, base + at);
      if (size === 0 || base + at + size > offset) {
        this.damaged = true;
        break;
      }
      at += size;
    }
    this.reached = base + at;
  }

  /** @returns the size of the block; 0 if it is invalid */
  private block(bytes: Uint8Array, at: number, offset: ByteOffset): number {
    if (u32(bytes, at) === SECTION_HEADER) {
      const magic = u32(bytes, at + 8);
      if (magic !== 0x1a2b3c4d && magic !== 0x4d3c2b1a) return 0;
      this.sections.push({ offset, little: magic === 0x4d3c2b1a, interfaces: [] });
    }
    const section = this.sections.at(-1);
    if (section === undefined) return 0;
    const read16 = section.little ? u16le : u16;
    const read32 = section.little ? u32le : u32;
    const total = read32(bytes, at + 4);
    if (total < 12 || total > MAX_RECORD || total % 4 !== 0) return 0;
    if (read32(bytes, at) === INTERFACE && total >= 20) {
      if (section.interfaces.length < MAX_INTERFACES) {
        const linkType = read16(bytes, at + 8);
        section.interfaces.push({ offset, linkType, snapLength: read32(bytes, at + 12) });
      }
    }
    return total;
  }
}
