/** Logins and requests of cloud services: the user, the origin, and the outcome, by the names of each service. */
import { expect, it } from 'vitest';
import { collect, inputOf } from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';

const TIME = '2026-11-21T00:00:01Z';
const CLIENT = 0xc0000211;
const SERVER = 0xc6336401;
const MAIL = 'alice@example.com';

const NAMES = { timestamp: TIME, user: { name: 'alice' }, source: { ip: '192.0.2.17' } };

type Fields = Record<string, unknown>;

async function readOne(record: object): Promise<Fields> {
  const line = JSON.stringify(record);
  const bytes = Buffer.from(`${line}\n${line}\n`);
  const found = flowCsvImporter.sniff(bytes, { name: 'x', complete: true });
  const { rows } = await collect(flowCsvImporter, inputOf(bytes), { format: found?.format ?? '' });
  return rows[0] ?? {};
}

const trail = (more: object): object => ({
  ...{ eventVersion: '1.08', eventTime: TIME, eventSource: 'signin.amazonaws.com' },
  ...{ eventName: 'ConsoleLogin', awsRegion: 'us-east-1', sourceIPAddress: '192.0.2.17' },
  userIdentity: { type: 'IAMUser', userName: 'alice' },
  ...more,
});
const google = (status: object): object => ({
  protoPayload: {
    ...{ status, serviceName: 'iam.googleapis.com', methodName: 'SetIamPolicy' },
    authenticationInfo: { principalEmail: MAIL },
    requestMetadata: { callerIp: '192.0.2.17', callerSuppliedUserAgent: 'gcloud' },
  },
  ...{ timestamp: TIME, logName: 'projects/p/logs/a', resource: { labels: { project_id: 'p' } } },
});
const cluster = (code: number): object => ({
  ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', auditID: 'a', stage: 'ResponseComplete' },
  ...{ verb: 'list', requestURI: '/api/v1/secrets', user: { username: 'alice' } },
  ...{ sourceIPs: ['192.0.2.17'], responseStatus: { code }, stageTimestamp: TIME },
});
const azureCluster = (log: unknown): object => ({
  ...{ time: TIME, category: 'kube-audit', operationName: 'Diagnostics/Read', resourceId: '/X' },
  properties: { log, stream: 'stdout' },
});
const entra = (errorCode: number): object => ({
  ...{ time: TIME, resourceId: '/tenants/t', operationName: 'Sign-in activity', tenantId: 't' },
  ...{ category: 'SignInLogs', resultType: `${errorCode}`, resultDescription: 'Invalid' },
  properties: { userPrincipalName: MAIL, ipAddress: '192.0.2.17', status: { errorCode } },
});
const office = (more: object): object => ({
  ...{ CreationTime: '2026-11-21T00:00:01', Workload: 'A', Operation: 'B', UserType: 0 },
  ...{ ClientIP: '192.0.2.17', ...more },
});
const falcon = (name: string): object => ({
  ...{ event_simpleName: name, aid: 'a', cid: 'c', timestamp: '1795219201000', UserName: 'alice' },
  ...{ LocalAddressIP4: '198.51.100.1', RemoteAddressIP4: '192.0.2.17', ComputerName: 'pc1' },
});
const defender = (ActionType: string): object => ({
  ...{ Timestamp: TIME, DeviceId: 'd', DeviceName: 'pc1', ActionType, AccountName: 'alice' },
  ...{ RemoteIP: '192.0.2.17', FailureReason: 'InvalidUserNameOrPassword', ReportId: 7 },
});

it.each<[string, object, Fields]>([
  [
    'CloudTrail: a login that its answer refuses, without a code',
    trail({ errorMessage: 'Failed', responseElements: { ConsoleLogin: 'Failure' } }),
    { user: 'alice', outcome: 'failure', reason: 'Failed' },
  ],
  [
    'CloudTrail: a login that its answer allows',
    trail({ responseElements: { ConsoleLogin: 'Success' } }),
    { user: 'alice', outcome: 'success' },
  ],
  [
    'CloudTrail: who is made is the target, not who makes it',
    trail({ userIdentity: { type: 'Root' }, responseElements: { user: { userName: 'bob' } } }),
    { user: undefined, user_target: 'bob' },
  ],
  [
    'Google Cloud: refused',
    google({ code: 7, message: 'PERMISSION_DENIED' }),
    { user: MAIL, outcome: 'failure', error_code: '7', reason: 'PERMISSION_DENIED' },
  ],
  ['Google Cloud: done', google({}), { user: MAIL, outcome: 'success', user_agent: 'gcloud' }],
  ['Kubernetes: refused', cluster(403), { outcome: 'failure', http_status: '403', user: 'alice' }],
  ['Kubernetes: done', cluster(200), { outcome: 'success', event_code: undefined }],
  ...[cluster(403), JSON.stringify(cluster(403))].map((log): [string, object, Fields] => [
    `Kubernetes of Azure: ${typeof log}`,
    azureCluster(log),
    { outcome: 'failure', http_status: '403', user: 'alice', url: '/api/v1/secrets' },
  ]),
  ['a request by its path', { ...NAMES, url: { path: '/a' } }, { url: '/a' }],
  [
    'Mattermost: a refused request',
    {
      ...{ ts: 1_795_219_200, level: 'error', msg: 'Login failed', path: '/api/v4/users/login' },
      ...{ request_id: 'r', ip_addr: '192.0.2.17', method: 'POST', err_where: 'x', http_code: 401 },
    },
    { url: '/api/v4/users/login', http_method: 'POST', http_status: '401', src_ip4: CLIENT },
  ],
  ['a request by its address', { ...NAMES, httpUrl: '/a', url_path: '/b' }, { url: '/a' }],
  [
    'Entra: any number but 0 is a failure',
    entra(50126),
    { user: 'alice', user_domain: 'example.com', outcome: 'failure', error_code: '50126' },
  ],
  ['Entra: 0 is a success', entra(0), { outcome: 'success', user_email: MAIL }],
  [
    'Entra, as Graph writes it',
    {
      ...{ createdDateTime: TIME, userPrincipalName: MAIL, appDisplayName: 'Portal' },
      ...{ ipAddress: '192.0.2.17', status: { errorCode: 50126, failureReason: 'Invalid' } },
    },
    { user: 'alice', outcome: 'failure', reason: 'Invalid' },
  ],
  [
    'Sentinel, sign-ins',
    {
      ...{ TimeGenerated: TIME, OperationName: 'Sign-in activity', ResultType: '50126' },
      ...{ UserPrincipalName: MAIL, IPAddress: '192.0.2.17', ResultDescription: 'Invalid' },
    },
    { user: 'alice', outcome: 'failure', reason: 'Invalid', action: 'Sign-in activity' },
  ],
  [
    'Sentinel, activity',
    {
      ...{ TimeGenerated: TIME, Caller: MAIL, CallerIpAddress: '192.0.2.17' },
      ...{ OperationNameValue: 'MICROSOFT.COMPUTE/DELETE', ActivityStatusValue: 'Failure' },
    },
    { user: 'alice', outcome: 'failure', action: 'MICROSOFT.COMPUTE/DELETE' },
  ],
  [
    'Sentinel, common security log',
    {
      ...{ TimeGenerated: TIME, DeviceVendor: 'A', DeviceEventClassID: '13', DeviceAction: 'deny' },
      ...{ SourceIP: '192.0.2.17', DestinationIP: '198.51.100.1', DestinationPort: 443 },
      ...{ Protocol: 'TCP', SourceUserName: 'alice', DeviceName: 'fw1' },
    },
    {
      dst_ip4: SERVER,
      dst_port: 443,
      event_code: '13',
      action: 'deny',
      user: 'alice',
      host: 'fw1',
    },
  ],
  [
    'Snowflake',
    {
      ...{ EVENT_ID: 1, EVENT_TIMESTAMP: TIME, EVENT_TYPE: 'LOGIN', USER_NAME: 'ALICE' },
      ...{ CLIENT_IP: '192.0.2.17', IS_SUCCESS: 'NO', ERROR_MESSAGE: 'INCORRECT' },
    },
    { user: 'ALICE', outcome: 'failure', reason: 'INCORRECT', event_code: undefined },
  ],
  [
    'Auth0',
    {
      ...{ date: TIME, type: 'fp', description: 'Wrong email or password.', ip: '192.0.2.17' },
      ...{ user_name: MAIL, log_id: '9', tenant_name: 't' },
    },
    { user: MAIL, outcome: 'failure', reason: 'Wrong email or password.' },
  ],
  [
    '1Password',
    {
      ...{ uuid: 'A', session_uuid: 'B', timestamp: TIME, category: 'credentials_failed' },
      ...{ target_user: { name: 'Alice', email: MAIL }, client: { ip_address: '192.0.2.17' } },
    },
    { user: MAIL, user_target: undefined, outcome: 'failure' },
  ],
  [
    'Salesforce',
    {
      ...{ EVENT_TYPE: 'Login', TIMESTAMP_DERIVED: TIME, REQUEST_ID: 'r', USER_ID: '005' },
      ...{ CLIENT_IP: '192.0.2.17', LOGIN_STATUS: 'LOGIN_ERROR_INVALID_PASSWORD', USER_NAME: MAIL },
    },
    { user: MAIL, outcome: 'failure', reason: 'LOGIN_ERROR_INVALID_PASSWORD' },
  ],
  ['Kubernetes: a request that is to be sent elsewhere', cluster(307), { outcome: 'success' }],
  [
    'CloudTrail: an error that is empty is none',
    trail({ errorCode: '', errorMessage: '', eventName: 'GetUser' }),
    { outcome: 'success' },
  ],
  [
    'Google: an error without its code',
    google({ message: 'PERMISSION_DENIED' }),
    { user: MAIL, outcome: 'failure', reason: 'PERMISSION_DENIED' },
  ],
  ...['200', '204'].map((resultSignature): [string, object, Fields] => [
    `Azure: a request that was answered with ${resultSignature}`,
    {
      ...{ time: TIME, resourceId: '/SUBSCRIPTIONS/S', category: 'RequestResponse' },
      ...{ operationName: 'ListKey', resultSignature, callerIpAddress: '192.0.2.17' },
    },
    { outcome: 'success' },
  ]),
  [
    'Salesforce: what is neither refused nor done',
    {
      ...{ EVENT_TYPE: 'BulkApi', TIMESTAMP_DERIVED: TIME, REQUEST_ID: 'r', USER_ID: '005' },
      ...{ CLIENT_IP: '192.0.2.17', Status: 'Queued' },
    },
    { outcome: undefined, reason: 'Queued' },
  ],
  [
    'Salesforce: a verification that succeeded',
    {
      ...{ EventIdentifier: 'e', EventDate: TIME, Username: MAIL, Status: 'Succeeded' },
      SourceIp: '192.0.2.17',
    },
    { user: MAIL, outcome: 'success', reason: 'Succeeded' },
  ],
  [
    'Falcon: a logon comes from the other side',
    falcon('UserLogonFailed2'),
    { dst_ip4: SERVER, user: 'alice', outcome: 'failure', host: 'pc1' },
  ],
  [
    'Falcon: a connection that was accepted',
    falcon('NetworkReceiveAcceptIP4'),
    { dst_ip4: SERVER },
  ],
  [
    'Defender: a logon that failed',
    defender('LogonFailed'),
    { user: 'alice', outcome: 'failure', reason: 'InvalidUserNameOrPassword' },
  ],
  ['Defender: a logon', defender('LogonSuccess'), { outcome: 'success', host: 'pc1' }],
  [
    'Keycloak',
    {
      ...{ time: TIME, type: 'LOGIN_ERROR', realmId: 'r', clientId: 'c', ipAddress: '192.0.2.17' },
      ...{ error: 'invalid_user_credentials', details: { username: 'alice' } },
    },
    { user: 'alice', outcome: 'failure', reason: 'invalid_user_credentials' },
  ],
  [
    'Google Workspace',
    {
      ...{ id: { time: TIME, applicationName: 'login' }, actor: { email: MAIL } },
      ...{ ipAddress: '192.0.2.17', events: [{ type: 'login', name: 'login_failure' }] },
    },
    { user: 'alice', outcome: 'failure', action: 'login_failure' },
  ],
  [
    'OneLogin',
    {
      ...{ account_id: 1, actor_user_name: 'alice', event_type_id: 6, created_at: TIME },
      ...{ ipaddr: '192.0.2.17', user_name: 'alice' },
    },
    { user: 'alice', outcome: 'failure', event_code: '6' },
  ],
  [
    'Duo: activity',
    {
      ...{ access_device: { ip: { address: '192.0.2.17' } }, action: { name: 'login_attempt' } },
      ...{ activity_id: 'a', actor: { key: 'D', name: 'alice' }, outcome: { result: 'FAILURE' } },
      ts: TIME,
    },
    { user: 'alice', outcome: 'failure', action: 'login_attempt' },
  ],
  [
    'Box: the account, not the name of its owner',
    {
      ...{ created_at: TIME, event_id: 'e', event_type: 'LOGIN', ip_address: '192.0.2.17' },
      created_by: { id: '1', login: MAIL, name: 'Alice' },
    },
    { user: MAIL, action: 'LOGIN' },
  ],
  [
    'F5: a request that its firewall blocked',
    {
      ...{ date_time: '2026-11-21 00:00:01', ip_client: '192.0.2.17', dest_ip: '198.51.100.1' },
      ...{ dest_port: '443', method: 'GET', uri: '/a', response_code: '0', support_id: '1' },
      ...{ request_status: 'blocked', username: 'alice', hostname: 'bigip1' },
    },
    {
      ...{ dst_ip4: SERVER, dst_port: 443, http_method: 'GET', url: '/a', action: 'blocked' },
      ...{ http_status: undefined, user: 'alice', host: 'bigip1' },
    },
  ],
  [
    'Google Cloud DNS',
    {
      ...{ timestamp: TIME, resource: { labels: { project_id: 'p' } } },
      jsonPayload: {
        ...{ queryName: 'www.example.com.', queryType: 'A', responseCode: 'NOERROR' },
        ...{ sourceIP: '192.0.2.17', protocol: 'UDP' },
      },
    },
    { query: 'www.example.com', query_type: 'A', proto: 17 },
  ],
  [
    'CyberArk Endpoint Privilege Manager',
    {
      ...{
        fileName: 'a.exe',
        hash: 'C09AA822157967C4A27728F5C33D0226C2889954',
        eventType: 'Launch',
      },
      ...{ sourceType: 'Windows', lastEventDate: TIME, userName: 'EXAMPLE\\alice' },
      ...{ threatProtectionAction: 'ALL', accessTargetType: 'Internet', computerName: 'pc1' },
      ...{ sourceWSIp: '192.0.2.17', filePath: 'C:\\a.exe', processCommandLine: '-x' },
    },
    {
      ...{ user: 'alice', user_domain: 'EXAMPLE', host: 'pc1', process: 'C:\\a.exe' },
      ...{ command: '-x', sha1: 'C09AA822157967C4A27728F5C33D0226C2889954' },
    },
  ],
  [
    'Snyk: the account that it happened to',
    {
      ...{ event: 'org.user.remove', created: TIME, orgId: 'o', userId: 'u' },
      content: { email: MAIL, username: MAIL, userPublicId: 'c' },
    },
    { src_ip4: undefined, user: undefined, user_target: MAIL, user_id: 'u' },
  ],
  [
    'Push Security: a login',
    {
      ...{ id: 'd', object: 'LOGIN', timestamp: 1_795_219_201, version: '1' },
      new: { email: MAIL, loginType: 'OIDC', sourceIpAddress: '192.0.2.17', userAgent: 'curl' },
    },
    { user: MAIL, user_agent: 'curl' },
  ],
  [
    'Push Security',
    {
      ...{ id: 'c', object: 'PASSWORD_PHISHING', timestamp: 1_795_219_201, version: '1' },
      new: {
        ...{ employee: { id: 'e', email: MAIL }, sourceIpAddress: '192.0.2.17', mode: 'BLOCK' },
        url: 'https://login.example.com/',
      },
    },
    {
      user: MAIL,
      src_ip4: CLIENT,
      url: 'https://login.example.com/',
      event_type: 'PASSWORD_PHISHING',
    },
  ],
  [
    'Carbon Black: the identifier of an event is no code',
    {
      eventTime: 1_795_219_201_000,
      eventId: 'x8ac7bd',
      loginName: 'alice',
      clientIp: '192.0.2.17',
    },
    { user: 'alice', event_code: undefined },
  ],
  [
    'Microsoft 365: a guest of SharePoint, without how SharePoint encodes it',
    office({ RecordType: 6, UserId: `urn:spo:guest#${MAIL}` }),
    { user: MAIL },
  ],
  [
    'Microsoft 365: the service that raised an alert, and whom it is about',
    office({ RecordType: 40, UserId: 'SecurityAlerts', Data: `{"a":"b","f3u":"${MAIL}","c":1}` }),
    { user: 'SecurityAlerts', user_target: MAIL },
  ],
  [
    'Infoblox: the server that gave a lease, and the client by its name',
    {
      ...{ address: '192.0.2.17', hardware: '00:00:5E:00:53:00', ha_group: 'g', host: 'dhcp1' },
      ...{ hostname: 'pc1.example.com', starts: TIME, state: 'used' },
    },
    { host: 'dhcp1', src_domain: 'pc1.example.com' },
  ],
  [
    'Windows: an account of Kerberos without its realm',
    {
      '@timestamp': TIME,
      winlog: {
        ...{ event_id: 4769, provider_name: 'Microsoft-Windows-Security-Auditing' },
        event_data: {
          ...{ TargetUserName: 'alice@EXAMPLE.COM', TargetDomainName: 'EXAMPLE.COM' },
          IpAddress: '192.0.2.17',
        },
      },
    },
    { user: 'alice', user_domain: 'EXAMPLE.COM' },
  ],
  [
    'Entra: a request of Graph, named twice as the tables of Defender name things',
    {
      ...{ time: TIME, resourceId: '/TENANTS/t', category: 'MicrosoftGraphActivityLogs' },
      ...{
        operationName: 'Microsoft Graph Activity',
        tenantId: 't',
        callerIpAddress: '192.0.2.17',
      },
      properties: {
        ...{ category: 'x', tenantId: 't', userId: 'u', requestMethod: 'GET' },
        ...{ responseStatusCode: 403, requestUri: 'https://graph.example.com/v1.0/users' },
      },
    },
    { http_method: 'GET', http_status: '403', url: 'https://graph.example.com/v1.0/users' },
  ],
  [
    'Entra: a changed account, and with what it was changed',
    {
      ...{
        time: TIME,
        resourceId: '/tenants/t',
        category: 'AuditLogs',
        operationName: 'Update user',
      },
      properties: {
        ...{ category: 'UserManagement', result: 'failure', resultReason: 'No licence' },
        initiatedBy: { user: { userPrincipalName: MAIL, ipAddress: '192.0.2.17' } },
        targetResources: [{ type: 'User', userPrincipalName: 'bob@example.com' }],
        additionalDetails: [{ key: 'User-Agent', value: 'curl/8' }],
      },
    },
    {
      ...{ user: 'alice', user_target: 'bob', outcome: 'failure' },
      ...{ reason: 'No licence', user_agent: 'curl/8', action: 'Update user' },
    },
  ],
  [
    'AWS Network Firewall: an alert, whose firewall is no host',
    {
      ...{ firewall_name: 'fw', availability_zone: 'z', event_timestamp: '1795219201' },
      event: {
        ...{ timestamp: '2026-11-21T00:00:01.000000+0000', flow_id: 7, event_type: 'alert' },
        ...{ src_ip: '192.0.2.17', src_port: 4000, dest_ip: '198.51.100.1', dest_port: 80 },
        ...{ proto: 'TCP', alert: { action: 'blocked', signature_id: 5, signature: 'A rule' } },
      },
    },
    { action: 'blocked', rule: 'A rule', host: undefined },
  ],
  [
    'SQL Server: a failed login, whose client its event names in a text',
    {
      '@timestamp': TIME,
      winlog: {
        ...{ event_id: 18456, provider_name: 'MSSQLSERVER', channel: 'Application' },
        event_data: {
          param1: 'sa',
          param2: ' Reason: A bad password.',
          param3: ' [CLIENT: 192.0.2.17]',
        },
      },
    },
    { user: 'sa', outcome: 'failure', reason: 'A bad password.', event_code: '18456' },
  ],
  [
    'what another event of Windows names is none of SQL Server',
    {
      '@timestamp': TIME,
      winlog: {
        ...{ event_id: 307, provider_name: 'Microsoft-Windows-PrintService', channel: 'x' },
        event_data: {
          param1: 'event_time:1\na\nclient_ip:192.0.2.17\nb\nserver_principal_name:admin\nc',
          param2: 'Reason: A name of a document.',
          param3: '[CLIENT: 192.0.2.17]',
        },
      },
    },
    { src_ip4: undefined, user: undefined, reason: undefined, event_code: '307' },
  ],
  [
    'SQL Server: its audit, and not what a statement states',
    {
      '@timestamp': TIME,
      winlog: {
        ...{ event_id: 33205, provider_name: 'MSSQLSERVER$AUDIT', channel: 'Security' },
        user: { name: 'MSSQLSERVER', domain: 'NT SERVICE' },
        event_data: {
          param1: [
            ...['audit_schema_version:1', 'event_time:2026-11-21 00:00:01', 'client_ip:192.0.2.17'],
            ...[
              'session_server_principal_name:EXAMPLE\\carol',
              'server_principal_name:EXAMPLE\\alice',
            ],
            ...['server_instance_name:db1', 'statement:SELECT 1', 'additional_information:'],
          ].join('\n'),
        },
      },
    },
    { user: 'alice', user_domain: 'EXAMPLE' },
  ],
  [
    'MySQL: a statement that failed',
    {
      ...{ timestamp: '2026-11-21 00:00:01', id: 0, class: 'general', event: 'status' },
      ...{ connection_id: 15, account: { user: 'alice', host: 'pc1' } },
      ...{ login: { user: 'bob', os: '', ip: '192.0.2.17', proxy: '' } },
      general_data: { command: 'Query', sql_command: 'create_user', status: 1396 },
    },
    { user: 'alice', outcome: 'failure', host: undefined },
  ],
  [
    'Elasticsearch: a refused login',
    {
      ...{ type: 'audit', timestamp: TIME, 'node.id': 'n', 'event.type': 'rest' },
      ...{ 'event.action': 'authentication_failed', 'user.name': 'alice' },
      'origin.address': '192.0.2.17:4000',
    },
    { user: 'alice', action: 'authentication_failed', outcome: 'failure' },
  ],
  [
    'Palo Alto Networks: a login to GlobalProtect that failed',
    {
      ...{
        TimeReceived: '2026-11-21T00:00:05.000000Z',
        DeviceSN: '0123',
        LogType: 'GLOBALPROTECT',
      },
      ...{ TimeGenerated: TIME, EventIDValue: 'gateway-auth', SourceUserName: 'example\\alice' },
      ...{ PublicIPv4: '192.0.2.17', PrivateIPv4: '0.0.0.0', EndpointDeviceName: 'pc1' },
      ...{ EventStatus: 'failure', DeviceName: 'fw1' },
    },
    {
      ...{ user: 'alice', user_domain: 'example', action: 'gateway-auth', outcome: 'failure' },
      ...{ host: 'fw1', src_domain: 'pc1' },
    },
  ],
  [
    'CrowdStrike: a connection that came in',
    {
      metadata: {
        eventType: 'FirewallMatchEvent',
        offset: 1,
        eventCreationTime: 1_795_219_201_000,
      },
      event: {
        ...{ ConnectionDirection: '1', HostName: 'pc1', Protocol: '6' },
        ...{ LocalAddress: '198.51.100.1', LocalPort: '445' },
        ...{ RemoteAddress: '192.0.2.17', RemotePort: '54952' },
      },
    },
    { dst_ip4: SERVER, src_port: 54_952, dst_port: 445, host: 'pc1' },
  ],
  [
    'CrowdStrike: a connection that went out',
    {
      metadata: {
        eventType: 'FirewallMatchEvent',
        offset: 1,
        eventCreationTime: 1_795_219_201_000,
      },
      event: {
        ...{ ConnectionDirection: '0', LocalAddress: '192.0.2.17', LocalPort: '54952' },
        ...{ RemoteAddress: '198.51.100.1', RemotePort: '443' },
      },
    },
    { dst_ip4: SERVER, src_port: 54_952, dst_port: 443 },
  ],
  [
    'GuardDuty: a connection that the instance began',
    {
      ...{ schemaVersion: '2.0', type: 'Trojan:EC2/DropPoint', updatedAt: TIME },
      service: {
        detectorId: 'd',
        action: {
          actionType: 'NETWORK_CONNECTION',
          networkConnectionAction: {
            ...{ connectionDirection: 'OUTBOUND', protocol: 'TCP' },
            localIpDetails: { ipAddressV4: '192.0.2.17' },
            localPortDetails: { port: 39_677 },
            remoteIpDetails: { ipAddressV4: '198.51.100.1' },
            remotePortDetails: { port: 80 },
          },
        },
      },
    },
    { dst_ip4: SERVER, src_port: 39_677, dst_port: 80 },
  ],
  [
    'Untangle: a session, whose client and server are not as translated',
    {
      ...{ class: 'class com.untangle.uvm.app.SessionEvent', timeStamp: '2026-11-21 00:00:01.1' },
      ...{ CClientAddr: '192.0.2.17', CClientPort: 40_001, CServerAddr: '198.51.100.1' },
      ...{ CServerPort: 443, SClientAddr: '203.0.113.9', SClientPort: 7, localAddr: '192.0.2.17' },
      ...{ remoteAddr: '203.0.113.8', protocol: 6, hostname: 'pc1', username: 'alice' },
    },
    {
      ...{ dst_ip4: SERVER, src_port: 40_001, dst_port: 443, user: 'alice', src_domain: 'pc1' },
      host: undefined,
    },
  ],
  [
    'Cisco Secure Endpoint: a connection that came in',
    {
      data: {
        ...{ date: TIME, event_type: 'DFC Threat Detected', event_type_id: 1_090_519_084 },
        computer: { connector_guid: 'g', hostname: 'pc1', user: MAIL },
        network_info: {
          ...{ local_ip: '198.51.100.1', local_port: 445, remote_ip: '192.0.2.17' },
          ...{
            remote_port: 40_001,
            nfm: { direction: 'Incoming connection from', protocol: 'TCP' },
          },
        },
      },
    },
    {
      ...{ dst_ip4: SERVER, src_port: 40_001, dst_port: 445, host: 'pc1', user: MAIL },
      ...{ action: 'DFC Threat Detected', event_code: '1090519084' },
    },
  ],
  [
    'Darktrace: the device of a breach',
    {
      ...{ pbid: 6, score: 0.871, time: Date.parse(TIME), breachUrl: 'https://dt.example/#6' },
      model: { name: 'Device::Attack and Recon Tools', created: { by: 'System' } },
      device: { did: 7, ip: '192.0.2.17', hostname: 'pc1' },
    },
    { host: 'pc1', rule: 'Device::Attack and Recon Tools', user: undefined },
  ],
  [
    'Carbon Black: a computer that is named with its domain',
    {
      ...{ type: 'WATCHLIST', create_time: TIME, device_external_ip: '203.0.113.9' },
      ...{ device_name: 'EXAMPLE\\pc1', device_username: 'EXAMPLE\\alice' },
      device_internal_ip: '192.0.2.17',
    },
    { host: 'pc1', user: 'alice', user_domain: 'EXAMPLE' },
  ],
  [
    'a number drawn by chance is no code',
    { time: TIME, user: 'alice', event_id: '0123456789abcdef', src_ip: '192.0.2.17' },
    { user: 'alice', event_code: undefined },
  ],
])('%s', async (_, record, expected) => {
  const row = await readOne(record);
  const all: Fields = { src_ip4: CLIENT, ...expected };
  expect(Object.fromEntries(Object.keys(all).map((name) => [name, row[name]]))).toEqual(all);
});

it.each([
  ['CloudTrail', trail({}), 'authentication'],
  ['CloudTrail, anything else', trail({ eventName: 'ListUsers' }), undefined],
  ['Azure Monitor', entra(50126), 'authentication'],
  [
    'Microsoft Graph',
    {
      ...{ createdDateTime: TIME, userPrincipalName: MAIL, appDisplayName: 'Office' },
      ...{ ipAddress: '192.0.2.17', status: { errorCode: 0 } },
    },
    'authentication',
  ],
  [
    'Okta',
    {
      ...{ published: TIME, eventType: 'user.session.start', uuid: 'u' },
      ...{ actor: { id: 'a', alternateId: MAIL }, outcome: { result: 'FAILURE' } },
    },
    'authentication',
  ],
  [
    'Google Workspace',
    {
      id: { time: TIME, applicationName: 'login' },
      actor: { email: MAIL },
      events: [{ type: 'login', name: 'login_failure' }],
    },
    'authentication',
  ],
])('a login of %s is of the category that logins have', async (_, record, category) => {
  expect((await readOne(record))['category']).toBe(category);
});

it.each([
  ['UserLoginFailed', 'Success', 'failure'],
  ['UserLoginFailed', 'Failed', 'failure'],
  ['UserLoggedIn', 'Success', 'success'],
  ['New-InboxRule', 'Failed', 'failure'],
])('Microsoft 365: %s with the status %s is a %s', async (Operation, ResultStatus, outcome) => {
  const record = await readOne(office({ Operation, ResultStatus, RecordType: 15 }));
  expect(record['outcome']).toBe(outcome);
});

const analytics = (members: object): object => ({
  ...{
    TimeGenerated: TIME,
    FlowStartTime: TIME,
    FlowType: 'ExternalPublic',
    SrcIp: '',
    DestIp: '',
  },
  ...{ DestPort: 443, L4Protocol: 'T', FlowDirection: 'Outbound', FlowStatus: 'Allowed' },
  ...{ AclRule: 'r1', BytesSrcToDest: 100, BytesDestToSrc: 200, ...members },
});
const older = (FlowDirection_s: string, members: object = {}): object => ({
  ...{ TimeGenerated: TIME, FlowStartTime_t: TIME, FlowType_s: 'IntraVNet', FlowStatus_s: 'D' },
  ...{ SrcIP_s: '192.0.2.17', DestIP_s: '198.51.100.5', DestPort_d: 22, L4Protocol_s: 'U' },
  ...{ FlowDirection_s, NSGRule_s: 'r1', InboundBytes_d: 100, OutboundBytes_d: 200, ...members },
});
const ENDS = { src_ip4: 0xc0000211, dst_ip4: 0xc6336405 };

it.each<[string, object, object]>([
  [
    'one public destination',
    analytics({ SrcIp: '192.0.2.17', DestPublicIps: '198.51.100.5|1|1|10|12|100|200' }),
    { ...ENDS, kind: 'flow', proto: 6, dst_port: 443, bytes: 100, bytes_rev: 200, rule: 'r1' },
  ],
  [
    'one public source',
    analytics({ SrcPublicIps: '192.0.2.17|1|1|10|12|100|200', DestIp: '198.51.100.5' }),
    { ...ENDS, kind: 'flow', action: 'Allowed', category: 'network' },
  ],
  [
    'a private flow that came in',
    older('I'),
    { ...ENDS, kind: 'flow', proto: 17, bytes: 200, bytes_rev: 100, action: 'Denied', rule: 'r1' },
  ],
  ['one that went out', older('O'), { ...ENDS, kind: 'flow', bytes: 200, bytes_rev: 100 }],
])('Traffic Analytics: %s', async (_, record, fields) => {
  expect(await readOne(record)).toMatchObject(fields);
});

it('letters are protocols in Traffic Analytics only', async () => {
  const ends = { src_ip: '192.0.2.17', dst_ip: '198.51.100.5', bytes: 1 };
  const row = await readOne({ time: TIME, ...ends, proto: 'U' });
  expect(row).not.toHaveProperty('proto');
});

it('Traffic Analytics: no destination of several', async () => {
  const row = await readOne(
    analytics({
      SrcIp: '192.0.2.17',
      DestPublicIps: '198.51.100.5|1|1|10|12|100|200 198.51.100.6|1|1|10|12|100|200',
    }),
  );
  expect(row).toMatchObject({ src_ip4: 0xc0000211, action: 'Allowed' });
  expect(row).not.toHaveProperty('dst_ip4');
});
