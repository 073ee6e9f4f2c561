/** The selected event: its fields, its bytes in the evidence, and the events around it. */
import { ActionIcon, Tabs, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import {
  useAnswer,
  useCase,
  usePreference,
  useRefusal,
  useSession,
  useWorkspace,
} from '../../panel-api.ts';
import { Empty } from '../../widgets/empty.tsx';
import { EventText } from '../../widgets/texts/event-text.tsx';
import { KindBadge } from '../../widgets/kind-badge.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { ContextBox } from './context-box.tsx';
import { FieldsTab, type EventInfo } from './fields-tab.tsx';
import { FlowPackets } from './flow-packets.tsx';
import { PacketTab } from './packet-tab.tsx';
import { RawTab } from './raw-tab.tsx';
import { StreamTab } from './stream-tab.tsx';
import { SaveFileButton } from './save-file-button.tsx';
import css from './details.module.css';

const isTab = (value: unknown): value is string => typeof value === 'string';

export function DetailsPanel() {
  const selected = useSession((session) => session.selected);
  if (selected === undefined) {
    return (
      <Empty
        title="No event selected"
        text="Choose an event in the table to see its fields, its bytes in the evidence, and what happened around it."
      />
    );
  }
  return <Details event={selected} />;
}

function Details({ event }: { readonly event: string }) {
  const workspace = useWorkspace();
  const folder = useCase().case;
  const { data, error } = useAnswer('event.get', { case: folder, event });
  const noBytes = useRefusal('event.raw');
  const [tab, setTab] = usePreference('details-tab', 'fields', isTab);
  if (error !== undefined) {
    return (
      <div className={css['panel']}>
        <div className={css['head']}>
          <span className={css['id']}>{event}</span>
          <CloseButton />
        </div>
        <Problem
          error={error}
          title="The event cannot be shown"
          onRetry={() => workspace.views.run()}
        />
      </div>
    );
  }
  if (data === undefined) return <Loading />;
  const shown = canShow(tab, data, noBytes) ? tab : 'fields';
  return (
    <div className={css['panel']}>
      <div className={css['head']}>
        <KindBadge kind={data.kind} />
        <span className={css['title']}>
          <EventText text={titleOf(data)} max={120} />
        </span>
        <span className={css['id']}>{data.event}</span>
        <CloseButton />
      </div>
      <Tabs
        className={css['tabs'] ?? ''}
        value={shown}
        onChange={(value) => value !== null && setTab(value)}
        keepMounted={false}
      >
        <TabList info={data} noBytes={noBytes} />
        <div className={css['scroll']}>
          <Tabs.Panel value="fields">
            {data.kind === 'file' && data.flow !== undefined && noBytes === undefined && (
              <SaveFileButton key={event} info={data} />
            )}
            <FieldsTab info={data} />
            {noBytes !== undefined && <p className={css['note']}>{noBytes}</p>}
            <ContextBox event={event} rows={5} />
          </Tabs.Panel>
          <Tabs.Panel value="raw">
            <RawTab key={event} event={event} binary={data.kind === 'packet'} />
          </Tabs.Panel>
          <Tabs.Panel value="packet">
            {data.kind === 'packet' ? (
              <PacketTab key={event} event={event} />
            ) : (
              <FlowPackets key={data.event} info={data} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="stream">
            <StreamTab key={event} event={event} />
          </Tabs.Panel>
          <Tabs.Panel value="around">
            <ContextBox event={event} rows={25} />
          </Tabs.Panel>
        </div>
      </Tabs>
    </div>
  );
}

/** The tabs that an event has besides its fields and the events around it. */
function tabsOf({ kind, offset, packets, flow }: EventInfo) {
  return {
    packet: kind === 'packet' || packets !== undefined,
    // A flow made from packets has no record; its packets have.
    raw: offset !== undefined,
    // Flows of captures, and events that belong to one.
    stream: flow !== undefined || (kind === 'flow' && packets !== undefined),
  };
}

/** @param noBytes why the case cannot give bytes of the evidence */
function canShow(tab: string, info: EventInfo, noBytes: string | undefined): boolean {
  const has = tabsOf(info);
  const hasBytes = noBytes === undefined;
  if (tab === 'packet') return has.packet && (info.kind !== 'packet' || hasBytes);
  if (tab === 'raw') return has.raw && hasBytes;
  return tab !== 'stream' || (has.stream && hasBytes);
}

function TabList({
  info,
  noBytes,
}: {
  readonly info: EventInfo;
  readonly noBytes: string | undefined;
}) {
  const has = tabsOf(info);
  const greyed = { disabled: noBytes !== undefined, title: noBytes };
  return (
    <Tabs.List>
      <Tabs.Tab value="fields">Fields</Tabs.Tab>
      {has.raw && (
        <Tabs.Tab value="raw" {...greyed}>
          Raw
        </Tabs.Tab>
      )}
      {has.packet && (
        <Tabs.Tab value="packet" {...(info.kind === 'packet' ? greyed : {})}>
          {info.kind === 'packet' ? 'Packet' : 'Packets'}
        </Tabs.Tab>
      )}
      {has.stream && (
        <Tabs.Tab value="stream" {...greyed}>
          Stream
        </Tabs.Tab>
      )}
      <Tabs.Tab value="around">Around</Tabs.Tab>
    </Tabs.List>
  );
}

function CloseButton() {
  const workspace = useWorkspace();
  return (
    <Tooltip label="Close the details">
      <ActionIcon
        aria-label="Close the details"
        onClick={() => {
          workspace.select(undefined);
          workspace.commands.run('view.results');
        }}
      >
        <IconX size={13} />
      </ActionIcon>
    </Tooltip>
  );
}

/** `web-02 · sshd`, `10.0.0.1 → 10.0.0.2:443 tcp`: distinguishes events at a glance. */
function titleOf({ kind, fields, source }: EventInfo): string {
  const of = (name: string): string | undefined => {
    const value = fields.find((field) => field.name === name)?.value;
    return value === null || value === undefined ? undefined : String(value);
  };
  const [src, dst, port, proto] = [of('src_ip'), of('dst_ip'), of('dst_port'), of('proto')];
  const named = [of('host'), of('program')].filter((part) => part !== undefined);
  // The host of anything but a log is the sensor that recorded it.
  if (kind !== 'log' && src !== undefined && dst !== undefined) {
    return `${src} → ${dst}${port === undefined ? '' : `:${port}`}${proto === undefined ? '' : ` ${proto}`}`;
  }
  if (named.length > 0) return named.join(' · ');
  return of('event_type') ?? source.name;
}
