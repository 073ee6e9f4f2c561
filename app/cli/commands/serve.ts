/** `daybook serve`: the window in a browser, on this machine only. */
import { resolve } from 'node:path';
import { isClusterAddress } from '../../../engine/contract/cluster-address.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { serve } from '../../web/serve.ts';
import type { Command } from '../command.ts';
import { withCredentials } from '../on-cluster.ts';
import { visible } from '../output.ts';

/** How a cluster is opened: the window's address has no password; the engine's environment does. */
function clusterOf(asked: string) {
  const { name, user, password } = withCredentials(asked);
  const env = { DAYBOOK_CLUSTER: name, CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password };
  return { openCase: name, env };
}

export const serveCommand: Command = {
  spec: {
    name: 'serve',
    usage: '[CASE]',
    summary: 'Serves the window to a browser on this machine and prints its address.',
    positionals: { least: 0, most: 1 },
    options: {
      port: { type: 'string', value: 'N', help: 'port on 127.0.0.1 (default: any free one)' },
    },
    details:
      'CASE may be clickhouse://HOST/DATABASE, where a case was attached. The address holds a token that works once: the first browser that opens it may use the window, and the address for another browser is printed then. Ctrl-C ends the server; an import that is running stops, and can be resumed later.',
  },
  async run(parsed, { streams, signal }) {
    const port = parsed.whole('port', 0);
    if (port !== undefined && port > 65_535) {
      throw new DaybookError('usage', `--port ${port} is out of range`, 'give a port up to 65535');
    }
    const asked = parsed.positionals[0];
    const onCluster = asked !== undefined && isClusterAddress(asked);
    const cluster = onCluster ? clusterOf(asked) : undefined;
    await serve({
      port,
      openCase: cluster?.openCase ?? (asked === undefined ? undefined : resolve(asked)),
      env: { ...process.env, ...cluster?.env },
      say: (text) => void streams.err.write(`daybook: ${visible(text)}\n`),
      onUrl: (url) => {
        streams.out.write(`${url}\n`);
        streams.err.write('open this address in a browser on this machine; ctrl-C ends it\n');
      },
      signal,
    });
    return 0;
  },
};
