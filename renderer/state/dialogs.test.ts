import { describe, expect, it } from 'vitest';
import { createDialogs } from './dialogs.ts';

describe('dialogs', () => {
  it('close when their work is done, but not another that was opened meanwhile', () => {
    const { store, open, done } = createDialogs();
    open({ dialog: 'settings' });
    done('settings');
    expect(store.getState().open).toBeUndefined();

    open({ dialog: 'settings' });
    const dropped = { dialog: 'import', paths: ['/evidence/a.pcap'] } as const;
    open(dropped);
    done('settings');
    expect(store.getState().open).toBe(dropped);
  });
});
