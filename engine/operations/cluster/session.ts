/**
 * The case on a cluster, for operations of windows. Each operation has its own connection, and is planned on the
 * current state of the case.
 */
import type { ClusterAddress } from '../../contract/cluster-address.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { Stopwatch } from '../../measure/operation-log.ts';
import type { FieldSummary } from '../case/fields/fields.ts';
import { Cluster } from './cluster.ts';
import { clusterFields } from './cluster-case.ts';
import {
  type Attached,
  attachedCase,
  type ClusterContext,
  readContext,
} from './cluster-context.ts';

/** An operation's view of the case. */
export interface ClusterSession {
  readonly cluster: Cluster;
  readonly attached: Attached;
  readonly context: ClusterContext;
  /** Records the cost of an operation. */
  record(watch: Stopwatch, status: MeasuredStatus, text?: string): void;
}

type MeasuredStatus = 'done' | 'cancelled' | 'failed';
export type Measured = ReturnType<Stopwatch['measured']>;

/** Number of measured operations kept while the engine runs. */
const MOST_MEASURED = 10_000;

export class CaseOnCluster {
  readonly address: ClusterAddress;
  /** Most recent last. */
  readonly measured: Measured[] = [];
  private readonly contexts = new LastAsked<ClusterContext>();
  private readonly fields = new LastAsked<FieldSummary[]>();

  private woken = new AbortController();

  constructor(address: ClusterAddress) {
    this.address = address;
  }

  /** Aborts when a window of this engine next changes something there. */
  get changed(): AbortSignal {
    return this.woken.signal;
  }

  /** Makes watches look immediately. */
  wake(): void {
    this.woken.abort();
    this.woken = new AbortController();
  }

  /** @throws DaybookError not-found, unreadable, cancelled, and whatever `work` throws */
  async use<T>(signal: AbortSignal, work: (session: ClusterSession) => Promise<T>): Promise<T> {
    const cluster = new Cluster(this.address, signal);
    try {
      const attached = await attachedCase(cluster);
      const context = await this.contextOf(cluster, attached);
      return await work({
        ...{ cluster, attached, context },
        record: (watch, status, text) => this.record(watch, status, text),
      });
    } finally {
      await cluster.close();
    }
  }

  private contextOf(cluster: Cluster, attached: Attached): Promise<ClusterContext> {
    return this.contexts.take(JSON.stringify(attached), () => readContext(cluster));
  }

  /** Fields of a hand-over never change: they are counted once. */
  fieldsOf({ cluster, attached }: ClusterSession): Promise<FieldSummary[]> {
    return this.fields.take(attached.handOver, () => clusterFields(cluster));
  }

  private record(watch: Stopwatch, status: MeasuredStatus, text: string | undefined): void {
    this.measured.push(watch.measured(status, text));
    if (this.measured.length > MOST_MEASURED) this.measured.shift();
  }
}

/** The answer to the last question, shared with others who ask the same. */
class LastAsked<T> {
  private last: { readonly of: string; readonly answer: Promise<T> } | undefined;

  async take(of: string, ask: () => Promise<T>): Promise<T> {
    const known = this.last?.of === of ? this.last.answer : undefined;
    if (known !== undefined) {
      try {
        return await known;
      } catch {
        // The first caller may have been cancelled, which must not fail this one.
        return ask();
      }
    }
    const answer = ask();
    const last = { of, answer };
    this.last = last;
    answer.catch(() => {
      if (this.last === last) this.last = undefined;
    });
    return answer;
  }
}

export function statusOfError(error: unknown): MeasuredStatus {
  return error instanceof DaybookError && error.code === 'cancelled' ? 'cancelled' : 'failed';
}
