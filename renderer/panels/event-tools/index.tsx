/** What can be done with the events of the view as a whole; at the right of the tabs. */
import { Button, Tooltip } from '@mantine/core';
import { useCase, useView, useWorkspace } from '../../panel-api.ts';
import { ColumnChooser } from './column-chooser.tsx';

export function EventTools() {
  const { dialogs } = useWorkspace();
  const { tab } = useView();
  const { readOnly } = useCase();
  if (tab !== 'events') return null;
  return (
    <>
      <ColumnChooser />
      <Tooltip
        label={readOnly ? 'The case is open for reading only' : 'Tag every event of the view'}
      >
        <Button
          variant="default"
          h={24}
          ml={6}
          disabled={readOnly}
          onClick={() => dialogs.open({ dialog: 'tag' })}
        >
          Tag all
        </Button>
      </Tooltip>
      <Button variant="default" h={24} ml={6} onClick={() => dialogs.open({ dialog: 'export' })}>
        Export
      </Button>
    </>
  );
}
