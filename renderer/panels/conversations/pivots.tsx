/** Menu of a host or of a pair of them. */
import { IconArrowRight, IconArrowsExchange, IconList } from '@tabler/icons-react';
import { useMemo, type ReactNode } from 'react';
import { dissect, fieldTerm, useView, useWorkspace, withTerm } from '../../panel-api.ts';
import {
  flowTerm,
  useValueMenu,
  type MenuPlace,
  type ValueAction,
} from '../../widgets/value-menu.tsx';
import type { Pair } from './pairs.ts';

export interface ConversationPivots {
  host(address: string, place: MenuPlace): void;
  pair(pair: Pair, place: MenuPlace): void;
  /** Must be rendered once. */
  readonly menu: ReactNode;
}

const ICON = { size: 15, 'aria-hidden': true } as const;

export function useConversationPivots(packets: boolean): ConversationPivots {
  const { views } = useWorkspace();
  const { query } = useView();
  const { open, menu } = useValueMenu();
  const acts = useMemo(() => {
    const noun = packets ? 'packets' : 'flows';
    const events = (...terms: readonly string[]): void => {
      const next = terms.reduce((text, term) => withTerm(text, term), dissect(query).filter);
      views.show({ query: next, tab: 'events' });
    };
    const kind = packets ? 'kind:packet' : 'kind:flow';
    const between = ({ a, b }: Pair): string =>
      flowTerm({ src_ip: a, src_port: null, dst_ip: b, dst_port: null, proto: null }) ?? '';
    const way = (from: string, to: string): ValueAction => ({
      label: `Only ${noun} from ${from} to ${to}`,
      icon: <IconArrowRight {...ICON} />,
      run: () => events(kind, fieldTerm('src_ip', from), fieldTerm('dst_ip', to)),
    });
    return {
      host: (address: string): readonly ValueAction[] => [
        {
          label: `The ${noun} of this host`,
          icon: <IconList {...ICON} />,
          run: () => events(kind, fieldTerm('ip', address)),
        },
      ],
      pair: (pair: Pair): readonly ValueAction[] => [
        {
          label: `These ${noun}, either way`,
          icon: <IconArrowsExchange {...ICON} />,
          run: () => events(kind, between(pair)),
        },
        way(pair.a, pair.b),
        way(pair.b, pair.a),
        {
          label: 'All events between the two',
          icon: <IconList {...ICON} />,
          run: () => events(between(pair)),
        },
        ...[...new Set([pair.a, pair.b])].map((address) => ({
          label: `Conversations of ${address}`,
          icon: <IconArrowsExchange {...ICON} />,
          run: () => views.show({ query: withTerm(query, fieldTerm('ip', address)) }),
        })),
      ],
    };
  }, [views, query, packets]);
  return useMemo(
    () => ({
      menu,
      host: (address, place) =>
        open({ field: 'ip', value: address, actions: acts.host(address) }, place),
      pair: (pair, place) =>
        open({ field: undefined, value: `${pair.a} ↔ ${pair.b}`, actions: acts.pair(pair) }, place),
    }),
    [acts, open, menu],
  );
}
