/** Says that something is on its way, after a moment: what comes at once needs no words. */
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
