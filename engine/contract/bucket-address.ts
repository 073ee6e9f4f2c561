/** The address of a place in a bucket: `s3://BUCKET/PREFIX`. */
import { DaybookError } from './errors.ts';

export function isBucketAddress(text: string): boolean {
  return /^s3:\/\//i.test(text);
}

/** @returns `prefix` is empty or ends with a slash. @throws DaybookError usage */
export function bucketAddress(text: string): { bucket: string; prefix: string; name: string } {
  const [, bucket, rest = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/is.exec(text) ?? [];
  const parts = rest.split('/').filter((part) => part !== '');
  const isPlain = parts.every((part) => part !== '.' && part !== '..' && !/\p{Cc}/u.test(part));
  if (bucket === undefined || !isPlain)
    throw new DaybookError(
      'usage',
      `${JSON.stringify(text)} is not a place in a bucket`,
      'write s3://BUCKET/PREFIX',
    );
  const prefix = parts.map((part) => `${part}/`).join('');
  return { bucket, prefix, name: `s3://${bucket}/${prefix}`.replace(/\/$/, '') };
}
