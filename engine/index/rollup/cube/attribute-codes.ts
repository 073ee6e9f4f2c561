/** Attributes of few values as codes of rows, collected while rows come. */
import type { IndexRows } from '../../rows.ts';
import { TextCollector } from '../../values/dimensions.ts';
import { MOST_VALUES, type SmallColumn } from './cube-section.ts';

const ATTRIBUTE = 'a:';
/** Attributes that are looked at: the first that come. */
const MOST_ATTRIBUTES = 8;
const MOST_BYTES = 65_536;

export class AttributeCodes {
  private readonly collectors = new Map<string, TextCollector>();
  private rows = 0;

  add(rows: IndexRows): void {
    for (const name of rows.texts.keys()) {
      if (!name.startsWith(ATTRIBUTE) || this.collectors.has(name)) continue;
      if (this.collectors.size === MOST_ATTRIBUTES) break;
      this.collectors.set(name, new TextCollector(name, MOST_VALUES, MOST_BYTES, this.rows));
    }
    for (const collector of this.collectors.values()) collector.add(rows);
    this.rows += rows.length;
  }

  /** @param order as `IndexBuilder.finish` has it. */
  finish(order: Uint32Array | undefined): SmallColumn[] {
    const out: SmallColumn[] = [];
    for (const [name, collector] of this.collectors) {
      const found = collector.finish(order);
      if (found === 'left-out' || found === undefined) continue;
      const { values, size, codes } = found;
      const isConstant = size === 1 && !codes.includes(size);
      out.push({ name, values, size, codes: isConstant ? undefined : codes });
    }
    this.collectors.clear();
    return out;
  }
}
