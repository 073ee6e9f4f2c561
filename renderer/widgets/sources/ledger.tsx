/** A ledger: read = stored + duplicate + quarantined + skipped, shown as a sum. */
import { Anchor } from '@mantine/core';
import { formatCount } from '../../state/view/time.ts';
import { ledgerParts, ledgerRest, type Counts } from './ledger-sum.ts';
import css from './ledger.module.css';

interface Props {
  readonly counts: Counts;
  /** Shows the quarantined records. */
  readonly onQuarantine?: (() => void) | undefined;
  /** Parts of zero are left out. */
  readonly brief?: boolean;
  readonly bar?: boolean;
}

const COLORS: Readonly<Record<string, string>> = {
  stored: 'var(--db-ok)',
  duplicate: 'var(--db-kind-flow)',
  quarantined: 'var(--db-bad)',
  skipped: 'var(--db-faint)',
};

export function Ledger({ counts, onQuarantine, brief = false, bar = false }: Props) {
  const parts = ledgerParts(counts).filter(([name, n]) => !brief || n > 0 || name === 'stored');
  const rest = ledgerRest(counts);
  return (
    <span>
      <span className={css['line']}>
        <span>
          <b>{formatCount(counts.read)}</b> read
        </span>
        {parts.map(([name, n], at) => (
          <span key={name}>
            <span className={css['sign']}>{at === 0 ? '= ' : '+ '}</span>
            {name === 'quarantined' && n > 0 && onQuarantine !== undefined ? (
              <Anchor component="button" type="button" inherit onClick={onQuarantine}>
                {formatCount(n)} quarantined
              </Anchor>
            ) : (
              <>
                {formatCount(n)} {name}
              </>
            )}
          </span>
        ))}
        {rest !== 0 && (
          <span className={css['wrong']} role="alert">
            — {formatCount(Math.abs(rest))} {rest > 0 ? 'unaccounted for' : 'too many'}
          </span>
        )}
      </span>
      {bar && counts.read > 0 && (
        <span className={css['bar']} aria-hidden>
          {ledgerParts(counts).map(([name, n]) => (
            <span
              key={name}
              style={{ width: `${(100 * n) / counts.read}%`, background: COLORS[name] }}
            />
          ))}
        </span>
      )}
    </span>
  );
}
