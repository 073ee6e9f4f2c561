/** The importers, one line each. Their order is the order of preference when two are equally sure. */
import type { Importer } from '../engine/evidence/importer.ts';
import { cmtraceImporter } from './cmtrace/index.ts';
import { evtxImporter } from './evtx/index.ts';
import { flowCsv } from './flow-csv/index.ts';
import { journalImporter } from './journal/index.ts';
import { modsecurityImporter } from './modsecurity/index.ts';
import { pcapImporter } from './pcap/index.ts';
import { remoteAccessImporter } from './remote-access/index.ts';
import { setupApiImporter } from './setupapi/index.ts';
import { shellImporter } from './shell/index.ts';
import { readMixedLines, syslogImporter } from './syslog/index.ts';
import { nfcapdImporter } from './nfcapd/index.ts';
import { utmpImporter } from './utmp/index.ts';

/** Whether `--map` may name this field. */
export { isMappable } from './flow-csv/index.ts';

export const flowCsvImporter = flowCsv(readMixedLines);

export const importers: readonly Importer[] = [
  pcapImporter,
  evtxImporter,
  journalImporter,
  nfcapdImporter,
  utmpImporter,
  shellImporter,
  cmtraceImporter,
  modsecurityImporter,
  remoteAccessImporter,
  setupApiImporter,
  flowCsvImporter,
  syslogImporter,
];
