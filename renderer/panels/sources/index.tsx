/** The origin of events: sources, imports with their ledgers, the quarantine, the audit log. */
import { Button, Menu, SegmentedControl } from '@mantine/core';
import { IconFileImport, IconShieldCheck, IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import type { OperationName } from '../../../engine/contract/operations.ts';
import {
  counted,
  formatCount,
  notifyDone,
  notifyError,
  refusalOf,
  showEvidence,
  useCase,
  useEvidenceView,
  useRefusal,
  useWorkspace,
  type EvidenceSection,
} from '../../panel-api.ts';
import table from '../../widgets/result-table.module.css';
import { AuditLog } from './audit-log.tsx';
import { ImportList } from './import-list.tsx';
import { Quarantine } from './quarantine.tsx';
import { SourceTable } from './source-table.tsx';

const SECTIONS: readonly { value: EvidenceSection; label: string; operation: OperationName }[] = [
  { value: 'sources', label: 'Sources', operation: 'case.sources' },
  { value: 'imports', label: 'Imports', operation: 'import.list' },
  { value: 'quarantine', label: 'Quarantine', operation: 'quarantine.list' },
  { value: 'audit', label: 'Audit log', operation: 'case.audit' },
];

export function SourcesPanel() {
  const workspace = useWorkspace();
  const info = useCase();
  const { section, quarantine } = useEvidenceView();
  const sections = SECTIONS.map(({ operation, ...one }) => {
    const reason = refusalOf(info, operation);
    return reason === undefined
      ? one
      : { ...one, label: <span title={reason}>{one.label}</span>, disabled: true };
  });
  const noEvidence = refusalOf(info, 'import.start');
  return (
    <div className={table['column']}>
      <div className={table['toolbar']}>
        <SegmentedControl
          aria-label="View"
          value={section}
          data={sections}
          onChange={(value) => {
            const next = SECTIONS.find((one) => one.value === value)?.value ?? 'sources';
            showEvidence(workspace, { section: next, quarantine: {} });
          }}
        />
        <span style={{ flex: '1 1 auto' }} />
        <Maintenance />
        <Button
          size="compact-sm"
          disabled={info.readOnly || noEvidence !== undefined}
          title={noEvidence}
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

function Maintenance() {
  const { connection, dialogs } = useWorkspace();
  const info = useCase();
  const [noVerify, noCompact] = [useRefusal('case.verify'), useRefusal('case.compact')];
  const [compacting, setCompacting] = useState(false);
  const compact = async (): Promise<void> => {
    setCompacting(true);
    try {
      const { before, after } = await connection.call('case.compact', {
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
          disabled={noVerify !== undefined}
          title={noVerify}
          onClick={() => dialogs.open({ dialog: 'verify' })}
        >
          Verify the case and its evidence…
        </Menu.Item>
        <Menu.Item
          disabled={info.readOnly || noCompact !== undefined}
          title={noCompact}
          onClick={() => void compact()}
        >
          Compact: join small segments ({formatCount(info.segments)} now)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
