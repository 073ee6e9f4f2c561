/** Actions on all events of the view; at the right of the tabs. */
import { IconColumns3, IconDownload, IconTags } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useCase, useRefusal, useView, useWorkspace } from '../../panel-api.ts';
import { ColumnChooser } from './column-chooser.tsx';
import { ToolButton } from './tool-button.tsx';

const ICON = { size: 15, 'aria-hidden': true } as const;
/** Below this width, the buttons in the row of tabs show icons only. */
const ROOM = 840;

export function EventTools() {
  const { dialogs } = useWorkspace();
  const { tab } = useView();
  const { readOnly } = useCase();
  const noExport = useRefusal('export.rows');
  const [element, setElement] = useState<HTMLElement | null>(null);
  const narrow = useNarrow(element);
  if (tab !== 'events') return null;
  return (
    <span ref={setElement} style={{ display: 'flex', alignItems: 'center' }}>
      <ColumnChooser narrow={narrow} icon={<IconColumns3 {...ICON} />} />
      <ToolButton
        label="Tag all"
        hint={readOnly ? 'The case is open read-only' : 'Tag every event in this view'}
        icon={<IconTags {...ICON} />}
        narrow={narrow}
        disabled={readOnly}
        onClick={() => dialogs.open({ dialog: 'tag' })}
      />
      <ToolButton
        label="Export"
        hint={noExport}
        disabled={noExport !== undefined}
        icon={<IconDownload {...ICON} />}
        narrow={narrow}
        onClick={() => dialogs.open({ dialog: 'export' })}
      />
    </span>
  );
}

/** Whether the part of the window that an element is in is narrow. */
function useNarrow(element: HTMLElement | null): boolean {
  const [narrow, setNarrow] = useState(false);
  useEffect(() => {
    const main = element?.closest('main');
    if (main === null || main === undefined) return undefined;
    const observer = new ResizeObserver(() => setNarrow(main.clientWidth < ROOM));
    observer.observe(main);
    return () => observer.disconnect();
  }, [element]);
  return narrow;
}
