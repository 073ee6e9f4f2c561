/** Fields in records of web servers, gateways and sensors, by their dialects. */
import { expect, it } from 'vitest';
import { collect, inputOf, type CollectedRow } from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';

const TIME = '2026-11-21T00:00:01Z';
const ip = (text: string): number =>
  text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const CLIENT = { src_ip4: ip('192.0.2.17') };

async function rowsOf(record: object): Promise<CollectedRow[]> {
  const line = JSON.stringify(record);
  const bytes = Buffer.from(`${line}\n${line}\n`);
  const found = flowCsvImporter.sniff(bytes, { name: 'x', complete: true });
  const { rows, quarantined } = await collect(flowCsvImporter, inputOf(bytes), {
    format: found?.format ?? '',
  });
  expect(quarantined).toEqual([]);
  return rows;
}

it.each<[string, object, Record<string, unknown>]>([
  [
    'Akamai',
    {
      attackData: { clientIP: '192.0.2.17', configId: '1' },
      httpMessage: {
        start: '1795219201',
        method: 'GET',
        status: '403',
        host: 'a.example',
        path: '/x',
      },
    },
    { ...CLIENT, http_method: 'GET', http_status: '403', url: '/x', dst_domain: 'a.example' },
  ],
  [
    'Caddy',
    {
      ...{ ts: 1_795_219_201.5, status: 404, size: 7, user_id: 'alice' },
      request: { remote_ip: '192.0.2.17', method: 'GET', uri: '/x', host: 'a.example' },
    },
    { ...CLIENT, http_status: '404', url: '/x', user: 'alice', ts: 1_795_219_201_500_000 },
  ],
  [
    'MinIO',
    {
      ...{ version: '1', deploymentid: 'd1', time: TIME, remotehost: '192.0.2.17' },
      api: { name: 'PutObject', bucket: 'b', statusCode: 403 },
      ...{ requestPath: '/b/a.txt', userAgent: 'curl', accessKey: 'alice', requestID: 'R1' },
      requestHeader: { 'X-Forwarded-For': '203.0.113.9' },
    },
    { ...CLIENT, user: 'alice', http_status: '403', action: 'PutObject', url: '/b/a.txt' },
  ],
  [
    'Rancher, whose client is the address before its proxy',
    {
      ...{ auditID: 'a1', requestURI: '/v3/users?action=login', sourceIPs: ['192.0.2.17'] },
      ...{ user: { name: 'u-1' }, userLoginName: 'alice', method: 'POST', responseCode: 401 },
      ...{ remoteAddr: '198.51.100.1:40001', requestTimestamp: TIME },
    },
    { ...CLIENT, user: 'alice', http_method: 'POST', http_status: '401' },
  ],
  [
    'TrueNAS',
    {
      TNAUDIT: {
        ...{
          aid: 'a1',
          addr: '192.0.2.17',
          user: 'alice',
          sess: 's1',
          time: '2026-11-21 00:00:01',
        },
        ...{ svc: 'SMB', event: 'AUTHENTICATION', event_data: '{}', success: false },
      },
    },
    { ...CLIENT, user: 'alice', action: 'AUTHENTICATION', outcome: 'failure', session: 's1' },
  ],
  [
    'Elasticsearch',
    {
      timestamp: TIME,
      node: { id: 'n1', name: 'node1' },
      event: { type: 'rest', action: 'authentication_failed' },
      origin: { address: '192.0.2.17:40112' },
      user: { name: 'alice' },
      url: { path: '/_search' },
      request: { method: 'POST' },
    },
    { ...CLIENT, host: 'node1', user: 'alice', action: 'authentication_failed', url: '/_search' },
  ],
  [
    'ModSecurity, whose time has the name of a month',
    {
      transaction: {
        ...{ client_ip: '192.0.2.17', time_stamp: 'Sat Nov 21 00:00:01 2026', client_port: 40112 },
        ...{ host_ip: '198.51.100.1', host_port: 443, id: 't1' },
        request: { method: 'GET', uri: '/x' },
        response: { http_code: 403 },
      },
    },
    {
      ...{ ...CLIENT, src_port: 40112, dst_port: 443, http_method: 'GET', http_status: '403' },
      ...{ url: '/x', session: 't1', ts: Date.parse(TIME) * 1000 },
    },
  ],
  [
    'ntfy',
    {
      time: TIME,
      visitor_id: 'ip:192.0.2.17',
      visitor_ip: '192.0.2.17',
      http_method: 'PUT',
      http_path: '/t',
      http_status: 429,
    },
    { ...CLIENT, http_method: 'PUT', url: '/t', http_status: '429' },
  ],
  [
    'OGO Shield',
    {
      timestamp: TIME,
      clientIP: '192.0.2.17',
      requestUrl: '/x',
      ogo: { appliedAction: 'block' },
      responseCode: 403,
      site: 'a.example',
    },
    { ...CLIENT, url: '/x', action: 'block', http_status: '403', dst_domain: 'a.example' },
  ],
  [
    'open-appsec',
    {
      ...{ eventTime: TIME, eventName: 'Web Request' },
      eventData: {
        sourceIP: '192.0.2.17',
        httpMethod: 'GET',
        httpUriPath: '/x',
        securityAction: 'Detect',
      },
    },
    { ...CLIENT, http_method: 'GET', url: '/x', action: 'Detect', event_type: 'Web Request' },
  ],
  [
    'Traefik',
    {
      ...{
        StartUTC: TIME,
        ClientAddr: '192.0.2.17:40112',
        ClientHost: '192.0.2.17',
        ClientPort: '40112',
      },
      ...{
        RequestMethod: 'GET',
        RequestPath: '/x',
        DownstreamStatus: 200,
        ClientUsername: 'alice',
      },
    },
    {
      ...CLIENT,
      src_port: 40112,
      http_method: 'GET',
      url: '/x',
      http_status: '200',
      user: 'alice',
    },
  ],
  [
    'Envoy',
    {
      ...{
        start_time: TIME,
        downstream_remote_address: '192.0.2.17:40112',
        upstream_host: '198.51.100.1:9080',
      },
      ...{
        upstream_cluster: 'c',
        path: '/x',
        method: 'GET',
        response_code: 200,
        response_flags: '-',
      },
    },
    {
      ...CLIENT,
      src_port: 40112,
      dst_ip4: ip('198.51.100.1'),
      dst_port: 9080,
      url: '/x',
      http_status: '200',
    },
  ],
  [
    'Carbon Black EDR: the server that forwards is the host',
    {
      cb_server: 'cb1',
      computer_name: 'pc1',
      type: 'ingress.event.netconn',
      timestamp: 1_795_219_201,
      username: 'EXAMPLE\\alice',
      path: 'c:\\a.exe',
    },
    { host: 'cb1', src_domain: 'pc1', user: 'alice', user_domain: 'EXAMPLE', process: 'c:\\a.exe' },
  ],
  [
    'Sophos, as its script writes it',
    {
      rt: TIME,
      dhost: 'pc1',
      endpoint_id: 'e1',
      customer_id: 'c1',
      type: 'Event::Endpoint::UpdateSuccess',
      suser: 'EXAMPLE\\alice',
      source_info: { ip: '192.0.2.17' },
    },
    { ...CLIENT, host: 'pc1', user: 'alice', event_code: 'Event::Endpoint::UpdateSuccess' },
  ],
  [
    'Stormshield',
    {
      ...{ TypeComputedMap: 'NetworkConnect', EventGuid: '{AD0E}', Timestamp: TIME },
      SpecificData: {
        ...{
          LocalAddress: '192.0.2.17',
          LocalPort: 40112,
          RemoteAddress: '198.51.100.1',
          RemotePort: 443,
        },
        SourceProcess: { ProcessImageName: 'C:\\a.exe', UserNameLookup: 'alice' },
      },
    },
    { ...CLIENT, dst_port: 443, event_code: 'NetworkConnect', user: 'alice', process: 'C:\\a.exe' },
  ],
  [
    'a record within `event`, as Splunk is sent it',
    {
      sourcetype: 'zscalernss-audit',
      event: {
        time: 'Sat Nov 21 00:00:01 2026',
        recordid: '7',
        clientip: '192.0.2.17',
        adminid: 'alice',
        action: 'SIGN_IN',
        auditlogtype: 'ZIA',
      },
    },
    { ...CLIENT, user: 'alice', action: 'SIGN_IN', ts: Date.parse(TIME) * 1000 },
  ],
  [
    'Akamai DataStream',
    {
      ...{ reqTimeSec: '1795219201', cliIP: '192.0.2.17', statusCode: '206', reqId: 'a1' },
      ...{ reqHost: 'a.example', reqMethod: 'GET', reqPath: '/x', xForwardedFor: '203.0.113.9' },
    },
    { ...CLIENT, http_method: 'GET', http_status: '206', url: '/x', dst_domain: 'a.example' },
  ],
  [
    'Sekoia.io',
    {
      timestamp: '2026-11-21T00:00:01.5',
      visit: { ip: '192.0.2.17', user_agent: 'curl/8.5.0' },
      action: { name: 'search', url: 'http://a.example/v1', method: 'POST' },
      identity: { profile_type: 'avatar', profile_name: 'Alice' },
    },
    { ...CLIENT, http_method: 'POST', url: 'http://a.example/v1', action: 'search' },
  ],
  [
    'Teleport',
    {
      ...{ time: TIME, event: 'session.join', code: 'T2001I', ei: 12, uid: 'b1', user: 'alice' },
      ...{ 'addr.local': '198.51.100.1:443', 'addr.remote': '192.0.2.17:40112' },
    },
    { ...CLIENT, src_port: 40112, dst_ip4: ip('198.51.100.1'), dst_port: 443, user: 'alice' },
  ],
  [
    'Trapster',
    {
      ...{ channel: 'http', logtype: 'http.query', timestamp: TIME, src_ip: '192.0.2.17' },
      ...{ src_port: 40112, dst_ip: '198.51.100.1', dst_port: 80 },
      device: { id: 'd1', name: 'pot1' },
      extra: { method: 'GET', target: '/', status_code: 200 },
    },
    { ...CLIENT, dst_port: 80, host: 'pot1', http_method: 'GET', http_status: '200' },
  ],
  [
    'Zimperium',
    {
      ...{ threatTypeName: 'ACTIVE EXPLOIT', threatTypeId: 172, zappInstanceId: 'z1' },
      ...{ timestamp: 1_795_219_201_000, deviceOwner: 'alice@example.com' },
      device: { id: 'd1', model: 'phone', os: { name: 'ANDROID' }, zdeviceId: 'z2' },
      generalInfo: { deviceIp: '192.0.2.17', externalIp: '203.0.113.9' },
      processList: [{ user: '10286', processName: 'zips' }],
    },
    { ...CLIENT, user: 'alice@example.com', rule: 'ACTIVE EXPLOIT' },
  ],
  [
    'an answer of HTTP that has a status',
    {
      '@timestamp': TIME,
      source: { ip: '192.0.2.17' },
      http: { request: { method: 'GET' }, response: { bytes: 10, status: 404 } },
    },
    { ...CLIENT, http_method: 'GET', http_status: '404' },
  ],
  [
    'an answer of HTTP whose body says another status',
    {
      '@timestamp': TIME,
      source: { ip: '192.0.2.17' },
      http: { request: { method: 'GET' }, response: { body: { statusCode: 500 } }, status: 200 },
    },
    { ...CLIENT, http_method: 'GET', http_status: '200' },
  ],
])('%s', async (_, record, expected) => {
  const rows = await rowsOf(record);
  expect(rows.length).toBe(2);
  expect(rows[0]).toMatchObject(expected);
});

it('takes no method of HTTP for the kind of an event', async () => {
  const about = { requestId: 'r1', requestTime: '21/Nov/2026:00:00:01 +0000', ip: '192.0.2.17' };
  const [row] = await rowsOf({ ...about, httpMethod: 'GET', protocol: 'HTTP/1.1', status: '200' });
  expect(row).toMatchObject({ ...CLIENT, http_method: 'GET', http_status: '200' });
  expect(row).not.toHaveProperty('event_type');
});

it.each(['event_created', 'entry_time', 'LogTimestamp', 'activityDateTime', 'createdOn'])(
  'takes %s for the time of a record that names no other',
  async (name) => {
    const [row] = await rowsOf({ [name]: TIME, user: 'alice' });
    expect(row).toMatchObject({ ts: 1_795_219_201_000_000, user: 'alice' });
    const [both] = await rowsOf({ [name]: '2020-01-01T00:00:00Z', timestamp: TIME, user: 'alice' });
    expect(both).toMatchObject({ ts: 1_795_219_201_000_000 });
  },
);

it.each([
  { createdOn: '2026-11-21', user: 'alice' },
  { data: { creationTime: TIME }, user: 'alice' },
  { updatedAt: TIME, user: 'alice' },
])('takes no time from %j', async (record) => {
  const [row] = await rowsOf(record);
  expect(row).toMatchObject({ user: 'alice' });
  expect(row).not.toHaveProperty('ts');
});

it('takes none of several addresses for the client of Rancher, nor its last proxy', async () => {
  const [row] = await rowsOf({
    ...{ auditID: 'a1', requestURI: '/v3/x', sourceIPs: ['203.0.113.9', '192.0.2.17'] },
    ...{ method: 'POST', remoteAddr: '198.51.100.1:40001', responseCode: 401 },
    requestTimestamp: TIME,
  });
  expect(row).not.toHaveProperty('src_ip4');
  expect(row).not.toHaveProperty('src_port');
});
