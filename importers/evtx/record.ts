/**
 * One record of an event log as names and values: the members of `System` under the names that Sigma uses
 * (`EventID`, `Provider_Name`, …), those of `EventData` and `UserData` under their own.
 *
 * Invariants: no value is lost; a record that expands to more elements or text than fit its chunk, because its
 * values are nested, is refused. A repeated name has a list of its values; a name of the record's data that is also
 * one of `System` becomes `EventData.NAME`.
 */
import { systemName } from '../../engine/fields/reading/event-xml.ts';
import {
  BinXmlError,
  type Attribute,
  type BinXml,
  type Element,
  isElement,
  isInstance,
  type Node,
  type Substitution,
  type Values,
} from './binxml.ts';
import {
  ARRAY,
  arrayTexts,
  type FileTime,
  fileTimeText,
  isEventTime,
  readFileTime,
  T,
  valueText,
} from './values.ts';

export type Value = string | string[];

/** Limits of a record: a chunk of 64 KiB has fewer elements, and templates repeat only some of its text. */
const MAX_ELEMENTS = 65_536;
const MAX_TEXT = 1 << 20;
/** Substitutions beyond this many levels of BinXML in BinXML are refused. */
const MAX_DEPTH = 16;
const NO_VALUES: Values = {
  count: 0,
  types: new Uint8Array(0),
  starts: new Uint32Array(0),
  sizes: new Uint16Array(0),
};

export class EventRecord {
  /** `TimeCreated`; undefined if the record states none. */
  time: FileTime | undefined;
  /** `TimeCreated` if it is text, or an impossible time for an event. */
  timeText: string | undefined;
  readonly system = new Map<string, string>();
  /** Members of `EventData`, `UserData` and other siblings of `System`. */
  readonly data = new Map<string, Value>();
  /** The message as rendered by the host that forwarded the record. */
  rendered: string | undefined;

  private readonly xml: BinXml;
  private bytes: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(new ArrayBuffer(0));
  private elementsLeft = 0;
  private textLeft = 0;

  constructor(xml: BinXml) {
    this.xml = xml;
  }

  /** Every record after this is one of `chunk`. */
  begin(chunk: Uint8Array): void {
    this.bytes = chunk;
    this.view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
    this.xml.begin(chunk);
  }

  /**
   * Reads the record whose BinXML is between two offsets of the chunk.
   * @throws BinXmlError
   */
  read(start: number, end: number): void {
    this.time = undefined;
    this.timeText = undefined;
    this.rendered = undefined;
    this.system.clear();
    this.data.clear();
    this.elementsLeft = MAX_ELEMENTS;
    this.textLeft = MAX_TEXT;
    let isEvent = false;
    this.each(this.xml.read(start, end), NO_VALUES, 0, (element, values) => {
      isEvent = true;
      this.each(element.children, values, 0, (part, inner) => {
        this.part(part, inner);
      });
    });
    if (!isEvent) throw new BinXmlError('the record has no element');
  }

  private part(element: Element, values: Values): void {
    const { name } = element;
    if (name === 'System') {
      this.each(element.children, values, 0, (member, inner) => {
        this.systemMember(member, inner);
      });
    } else if (name === 'RenderingInfo') {
      this.each(element.children, values, 0, (member, inner) => {
        if (member.name === 'Message') this.rendered = this.textOf(member.children, inner);
        else this.member(member, inner, 'RenderingInfo.');
      });
    } else if (name === 'EventData') {
      this.attributes(element.attributes, values, 'EventData_');
      this.members(element, values, '');
    } else if (name === 'UserData') {
      // Its only element names the structure; its members are the data.
      this.each(element.children, values, 0, (structure, inner) => {
        if (this.hasElements(structure.children, inner)) this.members(structure, inner, '');
        else this.member(structure, inner, '');
      });
    } else {
      this.member(element, values, '');
    }
  }

  private systemMember(element: Element, values: Values): void {
    const { name } = element;
    for (const attribute of element.attributes) {
      if (name === 'TimeCreated' && attribute.name === 'SystemTime') {
        this.setTime(attribute.value, values);
        continue;
      }
      const text = this.joined(attribute.value, values);
      if (text !== undefined && text !== '')
        this.system.set(systemName(name, attribute.name), text);
    }
    const text = this.textOf(element.children, values);
    if (text !== undefined && text !== '') this.system.set(name, text);
  }

  private setTime(parts: Attribute['value'], values: Values): void {
    const [part] = parts;
    if (parts.length === 1 && typeof part === 'object' && part.index < values.count) {
      const { types, starts, sizes } = values;
      if (types[part.index] === T.fileTime && sizes[part.index]! >= 8) {
        const start = starts[part.index]!;
        const time = readFileTime(this.view, start);
        if (isEventTime(time)) this.time = time;
        else this.timeText = fileTimeText(this.view, start);
        return;
      }
    }
    this.timeText = this.joined(parts, values);
  }

  private members(element: Element, values: Values, before: string): void {
    this.each(element.children, values, 0, (member, inner) => {
      this.member(member, inner, before);
    });
    const text = this.textOf(element.children, values)?.trim();
    if (text !== undefined && text !== '') this.add(`${before}${element.name}`, text);
  }

  /** `Data` by its `Name`, other elements by their own, nested ones by their path. */
  private member(element: Element, values: Values, before: string, depth = 0): void {
    if (depth > MAX_DEPTH) throw new BinXmlError('elements are nested too deep');
    const named = element.attributes.find(({ name }) => name === 'Name');
    const givenName = named === undefined ? undefined : this.joined(named.value, values);
    const isNamed = givenName !== undefined && givenName !== '';
    const name = `${before}${isNamed ? givenName : element.name}`;
    for (const attribute of element.attributes) {
      if (attribute === named || isNamespace(attribute.name)) continue;
      const text = this.joined(attribute.value, values);
      if (text !== undefined && text !== '') this.add(`${name}.${attribute.name}`, text);
    }
    const list = this.listOf(element.children, values);
    if (list !== undefined) {
      this.elementsLeft -= list.length;
      if (this.elementsLeft < 0) throw new BinXmlError('the record has too many elements');
      for (const text of list) this.add(name, text);
      return;
    }
    let isNested = false;
    this.each(element.children, values, 0, (member, inner) => {
      isNested = true;
      this.member(member, inner, `${name}.`, depth + 1);
    });
    const text = this.textOf(element.children, values) ?? '';
    if (isNested ? text.trim() !== '' : text !== '') this.add(name, text);
    // Data without names are identified by position.
    else if (element.name === 'Data' && !isNamed && !isNested) this.add(name, '');
  }

  private attributes(attributes: readonly Attribute[], values: Values, before: string): void {
    for (const { name, value } of attributes) {
      const text = this.joined(value, values);
      if (text !== undefined && text !== '' && !isNamespace(name))
        this.add(`${before}${name}`, text);
    }
  }

  private add(name: string, value: string): void {
    const key = this.system.has(name) ? `EventData.${name}` : name;
    const before = this.data.get(key);
    if (before === undefined) this.data.set(key, value);
    else if (typeof before === 'string') this.data.set(key, [before, value]);
    else before.push(value);
  }

  /** The elements among nodes, those of instances and of values that are BinXML included. */
  private each(
    nodes: readonly Node[],
    values: Values,
    depth: number,
    take: (element: Element, values: Values) => void,
  ): void {
    if (depth > MAX_DEPTH) throw new BinXmlError('elements are nested too deep');
    for (const node of nodes) {
      if (typeof node === 'string') continue;
      if (this.elementsLeft-- <= 0) throw new BinXmlError('the record has too many elements');
      if (isElement(node)) take(node, values);
      else if (isInstance(node)) this.each(node.nodes, node.values, depth + 1, take);
      else {
        const inner = this.inner(node, values, depth);
        if (inner !== undefined) this.each(inner, NO_VALUES, depth + 1, take);
      }
    }
  }

  /** The nodes of a value that is BinXML. */
  private inner(
    { index }: Substitution,
    values: Values,
    depth: number,
  ): readonly Node[] | undefined {
    if (index >= values.count || values.types[index] !== T.binXml) return undefined;
    const start = values.starts[index]!;
    return this.xml.readValue(start, start + values.sizes[index]!, depth);
  }

  private hasElements(nodes: readonly Node[], values: Values): boolean {
    let has = false;
    this.each(nodes, values, 0, () => {
      has = true;
    });
    return has;
  }

  /** The values of an array that is all there is in an element: Windows repeats the element for each. */
  private listOf(nodes: readonly Node[], values: Values): readonly string[] | undefined {
    const [node] = nodes;
    if (nodes.length !== 1 || typeof node !== 'object' || isElement(node) || isInstance(node))
      return undefined;
    const { index } = node;
    if (index >= values.count || (values.types[index]! & ARRAY) === 0) return undefined;
    const { types, starts, sizes } = values;
    return arrayTexts(this.view, this.bytes, types[index]!, starts[index]!, sizes[index]!);
  }

  /** The text of an element without that of elements within it. */
  private textOf(nodes: readonly Node[], values: Values): string | undefined {
    let all: string | undefined;
    for (const node of nodes) {
      let text: string | undefined;
      if (typeof node === 'string') text = node;
      else if (!isElement(node) && !isInstance(node)) text = this.value(node, values);
      if (text === undefined) continue;
      this.textLeft -= text.length;
      if (this.textLeft < 0)
        throw new BinXmlError('the record expands to more than its chunk can hold');
      all = all === undefined ? text : all + text;
    }
    return all;
  }

  private joined(parts: Attribute['value'], values: Values): string | undefined {
    return this.textOf(parts, values);
  }

  private value({ index }: Substitution, values: Values): string | undefined {
    if (index >= values.count) return undefined;
    const type = values.types[index]!;
    const size = values.sizes[index]!;
    if (type === T.null || type === T.binXml) return undefined;
    const start = values.starts[index]!;
    if ((type & ARRAY) !== 0)
      return arrayTexts(this.view, this.bytes, type, start, size)?.join(', ');
    return valueText(this.view, this.bytes, type, start, size);
  }
}

function isNamespace(name: string): boolean {
  return name === 'xmlns' || name.startsWith('xmlns:');
}
