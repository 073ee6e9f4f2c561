/** Summarises a processor profile of V8: how busy the thread was, and with what. */

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { functionName: string; url: string; lineNumber: number };
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples?: readonly number[] | undefined;
  readonly timeDeltas?: readonly number[] | undefined;
}

export interface ProfileSummary {
  /** Milliseconds that were watched. */
  readonly ms: number;
  /** Share in which the thread ran, JavaScript or its natives. */
  readonly busy: number;
  /** Shares of the busy time by function, largest first. */
  readonly top: readonly { readonly where: string; readonly share: number }[];
}

const IDLE = new Set(['(idle)', '(root)']);
const MOST = 5;

export function summarise(profile: CpuProfile): ProfileSummary {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const self = new Map<string, number>();
  let all = 0;
  let idle = 0;
  for (const [i, id] of (profile.samples ?? []).entries()) {
    const took = (profile.timeDeltas?.[i] ?? 0) / 1000;
    const node = byId.get(id);
    // The profiler's own work.
    if (node?.callFrame.url === 'node:inspector') continue;
    all += took;
    if (node === undefined || IDLE.has(node.callFrame.functionName)) idle += took;
    else self.set(nameOf(node), (self.get(nameOf(node)) ?? 0) + took);
  }
  const busy = all - idle;
  return {
    ms: all,
    busy: all === 0 ? 0 : busy / all,
    top: [...self]
      .sort((a, b) => b[1] - a[1])
      .slice(0, MOST)
      .map(([where, ms]) => ({ where, share: busy === 0 ? 0 : ms / busy })),
  };
}

function nameOf({ callFrame: { functionName, url } }: ProfileNode): string {
  const file = url.replace(/^.*\/(engine|app|importers|bench|node_modules)\//, '$1/');
  const name = functionName === '' ? 'anonymous' : functionName;
  return file === '' ? name : `${name} ${file}`;
}

/** `31 % busy: top, findRows engine/…` */
export function profileText({ busy, top }: ProfileSummary): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const parts = top.map(({ where, share }) => `${where} ${percent(share)}`);
  return `thread busy ${percent(busy)}: ${parts.join(', ')}`;
}
