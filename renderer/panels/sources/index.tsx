/** Where the events come from: sources, imports with their ledgers, the quarantine, the audit log. */
import { Button, Menu, SegmentedControl } from '@mantine/core';
import { IconFileImport, IconShieldCheck, IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import {
  counted,
  formatCount,
  notifyDone,
  notifyError,
  showEvidence,
  useCase,
  useEvidenceView,
  useWorkspace,
  type EvidenceSection,
} from '../../panel-api.ts';
import table from '../../widgets/result-table.module.css';
import { AuditLog } from './audit-log.tsx';
import { ImportList } from './import-list.tsx';
import { Quarantine } from './quarantine.tsx';
import { SourceTable } from './source-table.tsx';

const SECTIONS: readonly { value: EvidenceSection; label: string }[] = [
  { value: 'sources', label: 'Sources' },
  { value: 'imports', label: 'Imports' },
  { value: 'quarantine', label: 'Quarantine' },
  { value: 'audit', label: 'Audit log' },
];

export function SourcesPanel() {
  const workspace = useWorkspace();
  const info = useCase();
  const { section, quarantine } = useEvidenceView();
  const [compacting, setCompacting] = useState(false);

  const compact = async (): Promise<void> => {
    setCompacting(true);
    try {
      const { before, after } = await workspace.connection.call('case.compact', {
        case: info.case,
      });
      notifyDone(
        before === after
          ? `${counted(after, 'segment')}: there was nothing to join.`
          : `${counted(before, 'segment')} became ${formatCount(after)}.`,
        'The case is compact',
      );
    } catch (error) {
      notifyError(error, 'The case could not be compacted');
    } finally {
      setCompacting(false);
    }
  };
  return (
    <div className={table['column']}>
      <div className={table['toolbar']}>
        <SegmentedControl
          aria-label="What is shown"
          value={section}
          data={[...SECTIONS]}
          onChange={(value) => {
            const next = SECTIONS.find((one) => one.value === value)?.value ?? 'sources';
            showEvidence(workspace, { section: next, quarantine: {} });
          }}
        />
        <span style={{ flex: '1 1 auto' }} />
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              variant="default"
              size="compact-sm"
              loading={compacting}
              leftSection={<IconTool size={14} aria-hidden />}
            >
              Maintenance
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconShieldCheck size={15} aria-hidden />}
              onClick={() => workspace.dialogs.open({ dialog: 'verify' })}
            >
              Verify the case and its evidence…
            </Menu.Item>
            <Menu.Item disabled={info.readOnly} onClick={() => void compact()}>
              Compact: join small segments ({formatCount(info.segments)} now)
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Button
          size="compact-sm"
          disabled={info.readOnly}
          leftSection={<IconFileImport size={14} aria-hidden />}
          onClick={() => workspace.dialogs.open({ dialog: 'import' })}
        >
          Add evidence
        </Button>
      </div>
      <div className={table['rest']}>
        {section === 'sources' && <SourceTable />}
        {section === 'imports' && <ImportList />}
        {section === 'quarantine' && <Quarantine key={JSON.stringify(quarantine)} />}
        {section === 'audit' && <AuditLog />}
      </div>
    </div>
  );
}
