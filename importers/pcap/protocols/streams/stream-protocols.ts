/** Protocols over TCP, in the order in which the first bytes of a connection are tried. */
import { DCE_RPC } from '../windows/dce-rpc.ts';
import { DNP3 } from '../industrial/dnp3.ts';
import { DNS_STREAM } from '../dns.ts';
import { FTP_OR_SMTP } from './greeted.ts';
import { HTTP } from '../http/http.ts';
import { HTTP2 } from '../http/http2.ts';
import { KERBEROS } from '../windows/kerberos.ts';
import { LDAP } from '../windows/ldap.ts';
import { IPFIX } from '../netflow/ipfix-stream.ts';
import { IMAP, POP3 } from '../mail/mailbox.ts';
import type { StreamProtocol } from '../messages.ts';
import { MODBUS } from '../industrial/modbus.ts';
import { RDP } from '../windows/rdp.ts';
import { SIP_STREAM } from '../sip.ts';
import { SMB } from '../windows/smb.ts';
import { SSH } from '../ssh.ts';
import { TLS } from '../tls/tls.ts';

export const STREAM_PROTOCOLS: readonly StreamProtocol[] = [
  ...[TLS, HTTP, HTTP2, SSH, FTP_OR_SMTP, POP3, IMAP, SMB, DNS_STREAM],
  ...[KERBEROS, LDAP, RDP, SIP_STREAM, DCE_RPC, DNP3, MODBUS, IPFIX],
];
