/** Chooses the zone that all times are shown in. */
import { Button, Combobox, useCombobox } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { offsetText, useCase, useCommands, useWorkspace, useZone } from '../../panel-api.ts';
import { allZones, findZones, systemZone } from './zones.ts';
import css from './time-range.module.css';

/** Each offset that is shown costs a look into the system's rules. */
const MOST = 40;

export function ZonePicker() {
  const workspace = useWorkspace();
  const zone = useZone();
  const { last } = useCase();
  const [search, setSearch] = useState('');
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setSearch('');
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const zones = useMemo(allZones, []);
  const { selectFirstOption } = combobox;
  // Enter takes the first that is found.
  useEffect(() => {
    if (search !== '') selectFirstOption();
    // The combobox's functions are new with each render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [search]);
  const found = combobox.dropdownOpened ? findZones(zones, search) : [];
  // Offsets are those at the newest event, because that is when the evidence is from.
  const at = last ?? Date.now() * 1000;
  useZoneCommands(combobox.openDropdown);
  return (
    <Combobox
      store={combobox}
      width={300}
      position="bottom-end"
      shadow="lg"
      onOptionSubmit={(name) => {
        workspace.setZone(name);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target targetType="button" withAriaAttributes={false}>
        <Button
          variant="default"
          size="xs"
          h={30}
          px={10}
          fw={500}
          aria-haspopup="listbox"
          aria-expanded={combobox.dropdownOpened}
          aria-label={`Time zone: ${zone}`}
          title={`All times are in ${zone} (${offsetText(at, zone)} at the newest event)`}
          rightSection={<IconChevronDown size={13} aria-hidden />}
          onClick={() => combobox.toggleDropdown()}
        >
          {zone}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={search}
          onChange={({ currentTarget }) => {
            setSearch(currentTarget.value);
          }}
          placeholder="City, or an offset such as +02:00"
          aria-label="Find a time zone"
        />
        <Combobox.Options mah={320} style={{ overflowY: 'auto' }}>
          <Zones found={found} zone={zone} at={at} />
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function Zones({
  found,
  zone,
  at,
}: {
  readonly found: readonly string[];
  readonly zone: string;
  /** The moment for which offsets are shown. */
  readonly at: number;
}) {
  return (
    <>
      {found.slice(0, MOST).map((name) => (
        <Combobox.Option key={name} value={name} active={name === zone}>
          <span className={css['zone']}>
            <span className={css['zoneName']}>
              {name}
              {name === systemZone() && <span className={css['offset']}>this computer</span>}
            </span>
            <span className={css['offset']}>{offsetText(at, name)}</span>
          </span>
        </Combobox.Option>
      ))}
      {found.length === 0 && <Combobox.Empty>No time zone matches</Combobox.Empty>}
      {found.length > MOST && (
        <Combobox.Footer>
          <span className={css['faint']}>{found.length - MOST} more: type to find them</span>
        </Combobox.Footer>
      )}
    </>
  );
}

function useZoneCommands(onOpen: () => void): void {
  const workspace = useWorkspace();
  // Another function with every rendering; commands must keep their identity.
  const open = useRef(onOpen);
  open.current = onOpen;
  const commands = useMemo(
    () => [
      {
        id: 'time.zone',
        title: 'Choose the time zone…',
        group: 'View',
        hotkey: 'alt+Z',
        run: () => open.current(),
      },
      ...['UTC', systemZone()]
        .filter((name, i, all) => all.indexOf(name) === i)
        .map((name) => ({
          id: `time.zone.${name}`,
          title: `Times in ${name}`,
          group: 'View',
          run: () => workspace.setZone(name),
        })),
    ],
    [workspace],
  );
  useCommands(commands);
}
