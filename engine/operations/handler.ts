/**
 * A handler is a plain function from a validated request to a result, which may send parts along the way. Handlers
 * know neither frames nor pipes; the host provides what they need.
 */
import type { ClusterAddress } from '../contract/cluster-address.ts';
import type { OperationName, Part, Request, Result } from '../contract/operations.ts';
import type { CasePool } from '../search/index.ts';
import type { Evidence } from './evidence/import.ts';
import type { ImportJobs } from './evidence/import-jobs.ts';
import type { EngineSettings } from './system/settings.ts';

/** Services of the engine, shared by all windows. */
export interface Services {
  readonly cases: CasePool;
  readonly evidence: Evidence;
  readonly imports: ImportJobs;
  readonly settings: EngineSettings;
  /** The only servers that may be contacted. */
  readonly clusters: readonly ClusterAddress[];
}

/** Resources of one window, disposed of when it closes. */
export interface Client {
  /** Objects by key that live as long as the window does. */
  readonly kept: Map<string, { dispose(): void }>;
}

export interface CallContext<N extends OperationName> {
  /** Aborted when the call is cancelled, and (except for imports) when the window closes. */
  readonly signal: AbortSignal;
  readonly client: Client;
  /** Sends a part; the promise resolves when there is room for more. */
  part(part: Part<N>): Promise<void>;
}

export type Handler<N extends OperationName> = (
  request: Request<N>,
  context: CallContext<N>,
) => Promise<Result<N>>;

export type Handlers = { readonly [N in OperationName]: Handler<N> };
/** The handlers of one module of the contract. */
export type HandlersOf<N extends OperationName> = Pick<Handlers, N>;
