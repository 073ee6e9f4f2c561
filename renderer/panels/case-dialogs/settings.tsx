/** Settings of Daybook on this machine: what the engine may use, and how the window looks. */
import { Button, Modal, NumberInput, SegmentedControl, Text } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useState } from 'react';
import {
  counted,
  formatBytes,
  usePreference,
  useSession,
  useSubmit,
  useWorkspace,
  useZone,
} from '../../panel-api.ts';
import form from '../../widgets/inputs/form.module.css';
import { Form } from '../../widgets/inputs/form.tsx';
import { ZoneSelect } from '../../widgets/inputs/zone-select.tsx';

const SCHEMES = ['auto', 'light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];
const isScheme = (value: unknown): value is Scheme => SCHEMES.some((one) => one === value);
const MB = 1e6;
/** The least memory that the engine accepts; the engine checks it, too. */
const LEAST_MEMORY_MB = 128;
const MOST_THREADS = 256;

export function SettingsDialog() {
  const workspace = useWorkspace();
  const info = useSession((session) => session.info);
  const [memory, setMemory] = useState<number>();
  const [threads, setThreads] = useState<number>();
  const [jobs, setJobs] = useState<number>();
  const { dialogs } = workspace;
  const { busy, run } = useSubmit(async () => {
    await workspace.connection.call('settings.set', {
      ...(memory === undefined ? {} : { memory: Math.round(memory * MB) }),
      ...(threads === undefined ? {} : { threads }),
      ...(jobs === undefined ? {} : { jobs }),
    });
    await workspace.refreshInfo();
    dialogs.done('settings');
  }, 'The settings could not be saved');
  if (info === undefined) return null;
  const { settings } = info;
  const most = Math.floor(info.memoryBytes / MB);

  const number =
    (set: (value: number | undefined) => void) =>
    (value: number | string): void =>
      set(typeof value === 'number' ? value : undefined);
  return (
    <Modal opened onClose={dialogs.close} title="Settings" size="md">
      <Form onSubmit={run}>
        <Appearance />
        <NumberInput
          label="Memory for queries (MB)"
          description={`This machine has ${formatBytes(info.memoryBytes)}. Applies to cases opened from now on; imports use at most 500 MB of it.`}
          min={LEAST_MEMORY_MB}
          max={most}
          step={256}
          thousandSeparator=","
          value={memory ?? Math.round(settings.memory / MB)}
          onChange={number(setMemory)}
        />
        <NumberInput
          label="Threads for queries"
          description={`This machine has ${counted(info.cores, 'core')}. Applies to cases opened from now on.`}
          min={1}
          max={MOST_THREADS}
          value={threads ?? settings.threads}
          onChange={number(setThreads)}
        />
        <NumberInput
          label="Import workers"
          description="Number of files read at the same time. Applies from the next import."
          min={1}
          max={MOST_THREADS}
          value={jobs ?? settings.jobs}
          onChange={number(setJobs)}
        />
        <Diagnostics />
        <Text size="xs" c="dimmed">
          Daybook {info.version} · Node {info.node} · engine process {info.pid}
        </Text>
        <div className={form['actions']}>
          <Button variant="default" data-autofocus onClick={dialogs.close}>
            Close
          </Button>
          <Button
            type="submit"
            loading={busy}
            disabled={memory === undefined && threads === undefined && jobs === undefined}
          >
            Save
          </Button>
        </div>
      </Form>
    </Modal>
  );
}

/** Settings that apply as soon as they are chosen. */
function Appearance() {
  const workspace = useWorkspace();
  const zone = useZone();
  const [scheme] = usePreference('theme', 'auto', isScheme);
  return (
    <>
      <div className={form['tight']}>
        <Text size="sm" fw={600} id="settings-theme">
          Theme
        </Text>
        <SegmentedControl
          aria-labelledby="settings-theme"
          value={scheme}
          data={[
            { value: 'auto', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={(value) => workspace.commands.run(`theme.${value}`)}
        />
      </div>
      <ZoneSelect
        label="Time zone of the window"
        description="All times are displayed in this zone; evidence is not changed."
        value={zone}
        onZone={(next) => workspace.setZone(next === '' ? 'UTC' : next)}
      />
      <Text size="xs" c="dimmed">
        Theme and zone apply immediately.
      </Text>
    </>
  );
}

function Diagnostics() {
  const { dialogs, views } = useWorkspace();
  const hasCase = useSession((session) => session.openCase !== undefined);
  if (!hasCase) return null;
  return (
    <Button
      variant="default"
      style={{ alignSelf: 'flex-start' }}
      leftSection={<IconGauge size={15} aria-hidden />}
      onClick={() => {
        dialogs.close();
        views.show({ tab: 'latency' });
      }}
    >
      Diagnostics: how long answers take
    </Button>
  );
}
