/**
 * Finds the line on which a member or element of a JSON text begins, so that messages can say where something is
 * wrong. The text has been parsed before: only positions are read here.
 */
import type { DocumentPath } from '../../cutting/extractor.ts';

/** The line, from 1, of the value at a path; for a missing value, that of its container. */
export function lineOf(text: string, path: DocumentPath): number {
  const reader = new PlaceReader(text);
  return text.slice(0, reader.find(path.map(String))).split('\n').length;
}

/** The line of an error in invalid JSON, and its description for people. */
export function jsonProblem(text: string, error: SyntaxError): { line: number; message: string } {
  const found = /position (\d+)/.exec(error.message);
  const at = found === null ? text.length : Number(found[1]);
  const message = error.message.replace(/,? ?(?:in JSON )?at position.*$/s, '');
  return { line: text.slice(0, at).split('\n').length, message };
}

class PlaceReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  find(path: readonly string[]): number {
    this.space();
    let place = this.at;
    for (const step of path) {
      const opening = this.text[this.at];
      if (opening !== '{' && opening !== '[') return place;
      if (!this.enter(step, opening === '{')) return place;
      place = this.at;
    }
    return place;
  }

  /** Moves to the value of a member or element; false if there is none. */
  private enter(step: string, isObject: boolean): boolean {
    this.at += 1;
    for (let i = 0; this.at < this.text.length; i++) {
      this.space();
      if (this.text[this.at] === '}' || this.text[this.at] === ']') return false;
      let name = String(i);
      if (isObject) {
        const start = this.at;
        this.skip();
        name = String(JSON.parse(this.text.slice(start, this.at)));
        this.space();
        this.at += 1;
        this.space();
      }
      if (name === step) return true;
      this.skip();
      this.space();
      if (this.text[this.at] === ',') this.at += 1;
    }
    return false;
  }

  private space(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at += 1;
  }

  /** Skips a value. */
  private skip(): void {
    let depth = 0;
    do {
      const code = this.text[this.at]!;
      if (code === '"') {
        for (this.at += 1; this.text[this.at] !== '"'; this.at++)
          if (this.text[this.at] === '\\') this.at += 1;
        this.at += 1;
        continue;
      }
      if (depth === 0 && code !== '{' && code !== '[') {
        while (this.at < this.text.length && !/[\s,\]}]/.test(this.text[this.at]!)) this.at += 1;
        return;
      }
      if (code === '{' || code === '[') depth += 1;
      else if (code === '}' || code === ']') depth -= 1;
      this.at += 1;
    } while (depth > 0 && this.at < this.text.length);
  }
}
