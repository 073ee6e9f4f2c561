/** Says after a moment that something is loading: if it arrives at once, nothing is said. */
import { Loader } from '@mantine/core';
import { useEffect, useState } from 'react';

const MOMENT_MS = 250;

export function Loading({ label = 'Loading…' }: { readonly label?: string }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), MOMENT_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <div
      role="status"
      style={{ display: 'flex', alignItems: 'center', padding: 14, color: 'var(--db-muted)' }}
    >
      <Loader size={14} style={{ marginRight: 8 }} aria-hidden />
      {label}
    </div>
  );
}
