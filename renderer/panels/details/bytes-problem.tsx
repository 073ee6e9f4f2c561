/**
 * Says why the bytes of an event cannot be shown: the evidence is missing or changed. Offers to verify the case.
 */
import { Button } from '@mantine/core';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import { useWorkspace } from '../../panel-api.ts';
import { Problem } from '../../widgets/problem.tsx';

export function BytesProblem({ error }: { readonly error: ErrorInfo }) {
  const { dialogs } = useWorkspace();
  return (
    <Problem
      error={error}
      title="The original bytes cannot be shown"
      actions={
        <Button variant="default" onClick={() => dialogs.open({ dialog: 'verify' })}>
          Verify the case and its evidence…
        </Button>
      }
    />
  );
}
