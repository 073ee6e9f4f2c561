/**
 * Verifies the case and its evidence, with a verdict for each, and lists the findings and the checks that were not
 * made.
 */
import { Alert, Button, Modal, Progress, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { counted, showEvidence, useCase, useWorkspace } from '../../panel-api.ts';
import { errorInfoOf } from '../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import type {
  VerifyFinding,
  VerifyProgress,
  VerifyReport,
} from '../../../engine/contract/verify-report.ts';
import {
  caseVerdict,
  evidenceVerdict,
  sampleVerdict,
} from '../../../engine/contract/words/verify-verdict.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import form from '../../widgets/inputs/form.module.css';
import { Problem } from '../../widgets/problem.tsx';
import { inWindow } from '../../widgets/texts/window-words.ts';
import { LocateEvidence } from './locate-evidence.tsx';
import css from './verify.module.css';

const PHASES: Readonly<Record<VerifyProgress['phase'], string>> = {
  catalog: 'Checking the catalog',
  segments: 'Checking segments',
  evidence: 'Checking evidence',
  sample: 'Comparing events with the evidence',
};

export function VerifyDialog() {
  const workspace = useWorkspace();
  const { connection, dialogs } = workspace;
  const { case: path } = useCase();
  const [progress, setProgress] = useState<VerifyProgress>();
  const [report, setReport] = useState<VerifyReport>();
  const [error, setError] = useState<ErrorInfo>();
  const [times, setTimes] = useState(1);
  useEffect(() => {
    const controller = new AbortController();
    connection
      .call(
        'case.verify',
        { case: path },
        { signal: controller.signal, onPart: (part) => setProgress(part) },
      )
      .then(setReport, (failure: unknown) => {
        if (controller.signal.aborted) return;
        setError(errorInfoOf(failure));
      });
    return () => controller.abort();
  }, [connection, path, times]);
  const again = (): void => {
    setReport(undefined);
    setProgress(undefined);
    setTimes((n) => n + 1);
  };
  const running = report === undefined && error === undefined;
  return (
    <Modal
      opened
      onClose={() => dialogs.close()}
      title="Verify the case and its evidence"
      size="xl"
    >
      <div className={form['stack']}>
        <Text size="sm" c="dimmed">
          Reads the whole case and the evidence, and compares events of each source with it. Nothing
          is changed.
        </Text>
        {running && <Running progress={progress} />}
        {error !== undefined && (
          <Problem margin={0} actions={null} error={error} title="The case could not be checked" />
        )}
        {report !== undefined && <Verdicts report={report} />}
        {report !== undefined && <Findings report={report} />}
        {report !== undefined && isElsewhere(report) && <LocateEvidence onLocated={again} />}
        <div className={form['actions']}>
          {report !== undefined && (
            <Button
              variant="default"
              onClick={() => {
                dialogs.close();
                showEvidence(workspace, { section: 'audit' });
              }}
            >
              Show audit log
            </Button>
          )}
          <Button variant="default" data-autofocus onClick={() => dialogs.close()}>
            {running ? 'Cancel' : 'Close'}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

/** Whether evidence may have moved: there is another file in its place, or none. */
function isElsewhere({ evidence: { changed, missing } }: VerifyReport): boolean {
  return changed + missing > 0;
}

function Running({ progress }: { readonly progress: VerifyProgress | undefined }) {
  const { phase = 'catalog', what = '', bytes = 0, totalBytes = 0 } = progress ?? {};
  const share = totalBytes > 0 ? Math.round((100 * bytes) / totalBytes) : 0;
  return (
    <div>
      <Text size="sm" className={css['what']}>
        {PHASES[phase]}
        {what === '' ? '…' : ': '}
        <EventText text={what} max={200} />
      </Text>
      <Progress value={share} aria-label={`Verified so far: ${share} %`} mt={6} />
    </div>
  );
}

const EVIDENCE_COLOURS = { unchanged: 'teal', incomplete: 'yellow', changed: 'red' } as const;

/** Green only for what was checked and found intact. */
function Verdicts({ report }: { readonly report: VerifyReport }) {
  const { segments, quarantined, auditEntries } = report.case;
  const { state, files } = report.evidence;
  const differs = report.sample.differing > 0;
  return (
    <div role="status" className={form['stack']}>
      <Alert color={report.case.intact ? 'teal' : 'red'} title={caseVerdict(report)}>
        {counted(segments, 'segment')}, {counted(quarantined, 'quarantined record')},{' '}
        {counted(auditEntries, 'audit entry', 'audit entries')}.{' '}
        {!report.case.intact &&
          'Work on a copy of the case, or import the evidence into a new case.'}
      </Alert>
      <Alert
        color={files === 0 ? 'gray' : differs ? 'red' : EVIDENCE_COLOURS[state]}
        title={evidenceVerdict(report)}
      >
        {sampleVerdict(report)}.
        {isElsewhere(report) &&
          ' Each file is listed below with its path: put it back there, or say where it is now.'}
      </Alert>
    </div>
  );
}

const LEVELS: Readonly<Record<VerifyFinding['level'], string>> = {
  error: 'Error',
  warning: 'Warning',
  note: 'Note',
  repaired: 'Repaired',
};

function Findings({ report: { findings, sample } }: { readonly report: VerifyReport }) {
  if (findings.length + sample.notCompared.length === 0) return null;
  return (
    <section className={css['list']} aria-label="Findings of the check" tabIndex={0}>
      <ul>
        {findings.map(({ about, level, message, advice }, at) => (
          <li key={at}>
            <b className={css[level]}>
              {LEVELS[level]} ({about})
            </b>{' '}
            <EventText text={message} />
            {advice !== undefined && (
              <span className={css['advice']}>
                <EventText text={inWindow(advice)} />
              </span>
            )}
          </li>
        ))}
        {sample.notCompared.map(({ source, name, reason }) => (
          <li key={`source ${source}`}>
            <b>Not compared</b> <EventText text={`${name}: ${reason}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}
