import { describe, expect, it } from 'vitest';
import { clusterAddress, isClusterAddress } from './cluster-address.ts';

const given = { user: 'env', password: 'word' };

describe('the address of a cluster', () => {
  it.each([
    ['clickhouse://host/acme', 'http://host:8123', 'acme', 'env', 'word'],
    ['clickhouse://host:80/acme', 'http://host:80', 'acme', 'env', 'word'],
    ['ClickHouse://ann:p%40ss@host:9/a-1', 'http://host:9', 'a-1', 'ann', 'p@ss'],
    ['clickhouse://host/acme?secure=true', 'https://host:8443', 'acme', 'env', 'word'],
    ['clickhouse://host:443/acme?secure=1', 'https://host:443', 'acme', 'env', 'word'],
    ['clickhouse://[::1]:8123/acme', 'http://[::1]:8123', 'acme', 'env', 'word'],
  ])('reads %s', (text, url, database, user, password) => {
    expect(isClusterAddress(text)).toBe(true);
    expect(clusterAddress(text, given)).toMatchObject({ url, database, user, password });
  });

  it('shows no password', () => {
    const { name, url } = clusterAddress('clickhouse://ann:secret@host/acme');
    expect(`${name} ${url}`).not.toContain('secret');
  });

  it.each([
    'clickhouse://host',
    'clickhouse://host/',
    'clickhouse://host/a/b',
    'clickhouse://host/a`b',
    'clickhouse:///acme',
    'clickhouse://host/acme?password=x',
    'clickhouse://host/%E0%A4%A',
    'clickhouse://%ff@host/acme',
    'https://host/acme',
  ])('refuses %s', (text) => {
    expect(() => clusterAddress(text)).toThrow(/the address of the cluster/);
  });
});
