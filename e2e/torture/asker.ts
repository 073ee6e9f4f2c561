/** Asks a case many questions: a separate process holds it open, as an engine does. */
import { LineProcess } from './line-process.ts';
import type { ViewQuestion } from './views.ts';

export interface Question {
  readonly text: string;
  readonly path?: 'scan';
  readonly from?: string;
  readonly to?: string;
  readonly zone?: string;
  readonly limit?: number;
  /** Text of a list, and the names of its columns. */
  readonly list?: { readonly text: string; readonly fields?: readonly string[] };
  /** Texts of the files that `lookup` names. */
  readonly lookups?: Readonly<Record<string, string>>;
  /** Not to be answered, but translated to SQL for the ClickHouse that has its tables in this database. */
  readonly translate?: string;
  /** Asked as a window does; instead of the answer to the query as a whole. */
  readonly view?: ViewQuestion;
}

export interface Answered {
  /** The part that is the same by every path; an error's code and message if it is one. */
  readonly answer: string;
  readonly error?: string;
  readonly shape?: string;
  readonly rows: number;
  /** The path by which it was answered. */
  readonly path?: string | undefined;
}

export interface SegmentSize {
  readonly kind: string;
  readonly rows: number;
  readonly sideFile: boolean;
}

export class Asker {
  private readonly process: LineProcess;

  constructor(folder: string) {
    this.process = new LineProcess('ask.ts', [folder]);
  }

  /** @throws Error when the process that holds the case dies */
  async ask(question: Question): Promise<Answered> {
    return JSON.parse(await this.process.send(question)) as Answered;
  }

  async segments(): Promise<SegmentSize[]> {
    return JSON.parse(await this.process.send('segments')) as SegmentSize[];
  }

  async tags(): Promise<string[]> {
    return JSON.parse(await this.process.send('tags')) as string[];
  }

  close(): Promise<void> {
    return this.process.close();
  }
}
