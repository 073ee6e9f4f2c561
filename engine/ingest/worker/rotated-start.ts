/**
 * Finds where the next newer file of a rotated set begins, if the files' times do not tell: a set copied without
 * its times would otherwise get the year of the copy in every file.
 */
import type { Ignored, ReadLimits } from '../../contract/left-out.ts';
import type { Importer, EvidenceItem, ReadOptions, SourceInput } from '../../evidence/importer.ts';
import type { FoundFile, NewerFile } from './protocol.ts';
import { readHead } from './recognise.ts';

/** Files of a rotated set that were written closer together than this were copied, not rotated. */
const ROTATION_MS = 60_000;

export type Walk = (
  path: string,
  name: string,
  temporary: string,
  limits?: ReadLimits,
) => AsyncIterable<EvidenceItem | Ignored>;

export class RotatedStarts {
  private readonly walk: Walk;
  private readonly temporary: string;
  private readonly bounded: (input: SourceInput) => SourceInput;
  private readonly starts = new Map<string, { date: ReadOptions['before'] }>();

  /** `bounded` limits a content to what may be read to find its first date. */
  constructor(
    walk: Walk,
    temporary: string,
    bounded: (input: SourceInput) => SourceInput = (input) => input,
  ) {
    this.walk = walk;
    this.temporary = temporary;
    this.bounded = bounded;
  }

  /** The reading option `before` for an item of `file`. */
  async before(
    file: FoundFile,
    evidence: EvidenceItem,
    importer: Importer,
    year: number | undefined,
  ): Promise<ReadOptions['before']> {
    const { newer } = file;
    if (newer === undefined || evidence.location.members.length > 0) return undefined;
    if (importer.firstDate === undefined || year !== undefined) return undefined;
    return this.startOf(newer, evidence.modifiedMs, importer);
  }

  /** Start of `file`; undefined if it was written clearly later than `olderMs`. */
  private async startOf(
    file: NewerFile,
    olderMs: number | undefined,
    importer: Importer,
  ): Promise<ReadOptions['before']> {
    for await (const found of this.walk(file.path, file.name, this.temporary)) {
      if ('reason' in found || found.location.members.length > 0) return undefined;
      const { modifiedMs } = found;
      if (olderMs !== undefined && modifiedMs !== undefined && modifiedMs - olderMs > ROTATION_MS) {
        return undefined;
      }
      let start = this.starts.get(file.path);
      if (start === undefined) {
        const head = await readHead(found.input);
        const format = importer.sniff(head.bytes, {
          name: file.name,
          complete: head.complete,
        })?.format;
        if (format === undefined) return undefined;
        const before =
          file.newer === undefined
            ? undefined
            : await this.startOf(file.newer, modifiedMs, importer);
        const { beginning } = found.input;
        const input = this.bounded(
          beginning === undefined ? found.input : { ...found.input, blocks: beginning },
        );
        start = { date: await importer.firstDate?.(input, { year: undefined, before, format }) };
        this.starts.set(file.path, start);
      }
      return start.date;
    }
    return undefined;
  }
}
