/** A packet as it is in the capture: its bytes and their decoding. */
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import {
  counted,
  formatCount,
  notifyDone,
  saveFile,
  useAnswer,
  useCase,
  useSubmit,
  useWorkspace,
} from '../../panel-api.ts';
import { Loading } from '../../widgets/loading.tsx';
import { BytesProblem } from './bytes-problem.tsx';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import { fieldAt } from './field-at.ts';
import { HexView, type ByteRange } from './hex-view.tsx';
import { LayersView } from './layers-view.tsx';
import css from './details.module.css';

export function PacketTab({ event }: { readonly event: string }) {
  const info = useCase();
  const { data, error } = useAnswer('event.packet', { case: info.case, event }, { live: false });
  const [marked, setMarked] = useState<ByteRange>();
  const [path, setPath] = useState<string>();
  if (error !== undefined) return <BytesProblem error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <div className={css['box']}>
        <div className={css['boxTitle']}>
          <span>
            {data.frame.length === data.wireLength
              ? counted(data.wireLength, 'byte')
              : `${formatCount(data.frame.length)} of ${counted(data.wireLength, 'byte')} captured`}
            {` at offset ${formatCount(data.offset)}`}
          </span>
          <SliceButton event={event} />
        </div>
        <HexView
          bytes={data.frame}
          marked={marked}
          onByte={(at) => {
            const field = fieldAt(data.layers, at);
            setMarked(field);
            setPath(field?.path);
          }}
        />
        {path !== undefined && <p className={css['note']}>{visibleText(path, 300)}</p>}
      </div>
      <div className={css['box']}>
        <div className={css['boxTitle']}>Decoded layers</div>
        <LayersView layers={data.layers} onMark={setMarked} />
      </div>
      {data.notes.map((note) => (
        <p key={note} className={css['note']}>
          {note}
        </p>
      ))}
    </>
  );
}

/** Writes a flow's packets, or one packet, to a new capture. */
export function SliceButton({ event }: { readonly event: string }) {
  const { connection } = useWorkspace();
  const info = useCase();
  const { busy, run } = useSubmit(async () => {
    const done = await saveFile(
      `event-${event.replace(':', '-')}.pcapng`,
      [{ name: 'Capture', extensions: ['pcapng'] }],
      'application/x-pcapng',
      (path, onPart) =>
        connection.call('packets.slice', { case: info.case, query: '', event, path }, { onPart }),
    );
    if (done !== undefined)
      notifyDone(`${counted(done.packets, 'packet')}, SHA-256 ${done.sha256}`);
  }, 'The packets could not be saved');
  return (
    <Button
      variant="subtle"
      size="compact-xs"
      loading={busy}
      onClick={run}
      rightSection={<IconDownload size={13} />}
    >
      Save as pcapng
    </Button>
  );
}
