/**
 * Parses BinXML in a chunk of an event log: elements, templates, and the values that are substituted into them.
 *
 * Formats: [MS-EVEN6] 2.2.12; names and templates are shared within a chunk and referred to by offset, as described
 * in libevtx's "Windows XML Event Log (EVTX) format".
 *
 * Invariants: nothing is read outside of the chunk; nesting, nodes and templates are bounded, so that a chunk
 * crafted to be endless ends with a BinXmlError. A template is parsed once per chunk.
 */
import { readText } from './values.ts';

/** A record does not contain valid BinXML. The message is a reason for people. */
export class BinXmlError extends Error {}

/** A place in a template that an instance fills with its value of this number. */
export interface Substitution {
  readonly index: number;
}
/** Values of an instance: type, place and size of each. */
export interface Values {
  readonly count: number;
  readonly types: Uint8Array;
  readonly starts: Uint32Array;
  readonly sizes: Uint16Array;
}
export interface Attribute {
  readonly name: string;
  readonly value: readonly (string | Substitution)[];
}
export interface Element {
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly children: readonly Node[];
}
/** Nodes with the values of their substitutions. */
interface Instance {
  readonly nodes: readonly Node[];
  readonly values: Values;
}
export type Node = string | Substitution | Element | Instance;

export const isElement = (node: Node): node is Element =>
  typeof node === 'object' && 'children' in node;
export const isInstance = (node: Node): node is Instance =>
  typeof node === 'object' && 'nodes' in node;

const MAX_DEPTH = 64;
/** A chunk of 64 KiB has no more nodes than bytes; templates count each time they are parsed. */
const MAX_NODES = 65_536;
const MAX_VALUES = 8192;
/** Type of text values within BinXML. */
const TEXT = 0x01;
const MORE = 0x40;

const TOKEN = {
  end: 0x00,
  openStart: 0x01,
  closeStart: 0x02,
  closeEmpty: 0x03,
  endElement: 0x04,
  value: 0x05,
  attribute: 0x06,
  cdata: 0x07,
  charRef: 0x08,
  entityRef: 0x09,
  piTarget: 0x0a,
  piData: 0x0b,
  templateInstance: 0x0c,
  substitution: 0x0d,
  optionalSubstitution: 0x0e,
  fragmentHeader: 0x0f,
} as const;

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" },
};

/** Reads the BinXML of one chunk at a time. */
export class BinXml {
  private bytes: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(new ArrayBuffer(0));
  private at = 0;
  private end = 0;
  private nodesLeft = 0;
  /** Whether the current BinXML is that of a template. */
  private isTemplate = false;
  private readonly names = new Map<number, string>();
  private readonly templates = new Map<number, readonly Node[]>();
  /** Templates being parsed: one that contains itself would never end. */
  private readonly open = new Set<number>();

  /** @param chunk of 64 KiB, the header included; all places count from its first byte */
  begin(chunk: Uint8Array): void {
    this.bytes = chunk;
    this.view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
    this.names.clear();
    this.templates.clear();
    this.open.clear();
  }

  /**
   * The nodes between two offsets of the chunk.
   * @throws BinXmlError if it is not BinXML
   */
  read(start: number, end: number): readonly Node[] {
    this.nodesLeft = MAX_NODES;
    return this.fragment(start, end, 0);
  }

  /** Nodes of a value that is itself BinXML. @throws BinXmlError */
  readValue(start: number, end: number, depth: number): readonly Node[] {
    return this.fragment(start, end, depth);
  }

  private fragment(start: number, end: number, depth: number): readonly Node[] {
    if (depth > MAX_DEPTH) throw new BinXmlError('elements are nested too deep');
    const { at, end: outer } = this;
    this.at = start;
    this.end = Math.min(end, this.bytes.length);
    const nodes = this.nodes(depth, false);
    this.at = at;
    this.end = outer;
    return nodes;
  }

  /** Nodes up to the end of the fragment, or of the element that has them. */
  private nodes(depth: number, inElement: boolean): readonly Node[] {
    if (depth > MAX_DEPTH) throw new BinXmlError('elements are nested too deep');
    const nodes: Node[] = [];
    for (;;) {
      if (!inElement && this.at >= this.end) return nodes;
      const token = this.u8();
      const kind = token & ~MORE;
      if (kind === TOKEN.end && !inElement) return nodes;
      if (kind === TOKEN.endElement && inElement) return nodes;
      if (this.nodesLeft-- <= 0) throw new BinXmlError('the record has too many elements');
      switch (kind) {
        case TOKEN.fragmentHeader:
          this.skip(3);
          break;
        case TOKEN.openStart:
          nodes.push(this.element(token, depth));
          break;
        case TOKEN.templateInstance:
          nodes.push(this.instance(depth));
          break;
        case TOKEN.piTarget:
          this.name();
          break;
        case TOKEN.piData:
          this.text();
          break;
        default:
          nodes.push(this.content(kind));
      }
    }
  }

  /** Text or a place for a value. */
  private content(kind: number): string | Substitution {
    switch (kind) {
      case TOKEN.value: {
        const type = this.u8();
        if (type !== TEXT) throw new BinXmlError(`a value of type ${type} is not text`);
        return this.text();
      }
      case TOKEN.cdata:
        return this.text();
      case TOKEN.charRef:
        return String.fromCharCode(this.u16());
      case TOKEN.entityRef: {
        const name = this.name();
        return ENTITIES[name] ?? `&${name};`;
      }
      case TOKEN.substitution:
      case TOKEN.optionalSubstitution: {
        const index = this.u16();
        this.skip(1);
        return { index };
      }
      default:
        throw new BinXmlError(`unknown token 0x${kind.toString(16).padStart(2, '0')}`);
    }
  }

  private element(token: number, depth: number): Element {
    this.skip(this.hasDependency() ? 6 : 4);
    const name = this.name();
    const attributes: Attribute[] = [];
    if ((token & MORE) !== 0) this.skip(4);
    let attribute: { name: string; value: (string | Substitution)[] } | undefined;
    for (;;) {
      const kind = this.u8() & ~MORE;
      if (kind === TOKEN.closeEmpty) return { name, attributes, children: [] };
      if (kind === TOKEN.closeStart)
        return { name, attributes, children: this.nodes(depth + 1, true) };
      if (this.nodesLeft-- <= 0) throw new BinXmlError('the record has too many elements');
      if (kind === TOKEN.attribute) {
        attribute = { name: this.name(), value: [] };
        attributes.push(attribute);
      } else if (attribute === undefined) {
        throw new BinXmlError('an attribute has no name');
      } else {
        attribute.value.push(this.content(kind));
      }
    }
  }

  /**
   * Whether two bytes precede the size and the name of an element. Those of templates have them, others mostly do
   * not: the reading that leads to a valid name is right.
   */
  private hasDependency(): boolean {
    const { at } = this;
    const isName = (place: number): boolean => {
      if (place + 4 > this.end) return false;
      const name = this.view.getUint32(place, true);
      return name === place + 4 || this.names.has(name);
    };
    return this.isTemplate ? isName(at + 6) || !isName(at + 4) : !isName(at + 4);
  }

  private instance(depth: number): Instance {
    this.skip(5);
    const place = this.u32();
    const isHere = place === this.at;
    const nodes = this.template(place, depth);
    if (isHere) {
      this.skip(20);
      const size = this.u32();
      this.skip(size);
    }
    const count = this.u32();
    if (count > MAX_VALUES || this.at + 4 * count > this.end)
      throw new BinXmlError(`a template has ${count} values`);
    const types = new Uint8Array(count);
    const starts = new Uint32Array(count);
    const sizes = new Uint16Array(count);
    let start = this.at + 4 * count;
    for (let i = 0; i < count; i++) {
      const size = this.u16();
      types[i] = this.u8();
      this.skip(1);
      starts[i] = start;
      sizes[i] = size;
      start += size;
    }
    if (start > this.end) throw new BinXmlError('values end after the record');
    this.at = start;
    return { nodes, values: { count, types, starts, sizes } };
  }

  private template(place: number, depth: number): readonly Node[] {
    const known = this.templates.get(place);
    if (known !== undefined) return known;
    if (place + 24 > this.bytes.length) throw new BinXmlError('a template is outside its chunk');
    if (this.open.has(place)) throw new BinXmlError('a template contains itself');
    const size = this.view.getUint32(place + 20, true);
    if (place + 24 + size > this.bytes.length)
      throw new BinXmlError('a template ends outside its chunk');
    this.open.add(place);
    const { isTemplate } = this;
    this.isTemplate = true;
    try {
      const nodes = this.fragment(place + 24, place + 24 + size, depth + 1);
      this.templates.set(place, nodes);
      return nodes;
    } finally {
      this.open.delete(place);
      this.isTemplate = isTemplate;
    }
  }

  /** A name, which is here or at the stated offset. */
  private name(): string {
    const place = this.u32();
    const known = this.names.get(place);
    const isHere = place === this.at;
    if (known !== undefined && !isHere) return known;
    if (place + 8 > this.bytes.length) throw new BinXmlError('a name is outside its chunk');
    const units = this.view.getUint16(place + 6, true);
    const end = place + 8 + 2 * units + 2;
    if (end > this.bytes.length) throw new BinXmlError('a name ends outside its chunk');
    if (isHere) this.at = end;
    const name = known ?? readText(this.bytes, place + 8, units);
    this.names.set(place, name);
    return name;
  }

  private text(): string {
    const units = this.u16();
    const start = this.at;
    this.skip(2 * units);
    return readText(this.bytes, start, units);
  }

  private skip(size: number): void {
    this.at += size;
    if (this.at > this.end) throw new BinXmlError('it ends within an element');
  }

  private u8(): number {
    const at = this.at;
    this.skip(1);
    return this.bytes[at]!;
  }

  private u16(): number {
    const at = this.at;
    this.skip(2);
    return this.view.getUint16(at, true);
  }

  private u32(): number {
    const at = this.at;
    this.skip(4);
    return this.view.getUint32(at, true);
  }
}
