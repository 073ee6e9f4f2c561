/** The child's side of a store in a process of its own: a JSON request a line, a JSON answer a line. */
import { createInterface } from 'node:readline';

/** Answers `{"ms":…,"rows":[…]}`, or `{"error":…}`, to each line of standard input, in order. */
export async function serveLines(
  answer: (request: string) => Promise<{ ms: number; rows: unknown }>,
): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    let reply: unknown;
    try {
      reply = await answer(line);
    } catch (error) {
      reply = { error: error instanceof Error ? error.message : String(error) };
    }
    process.stdout.write(
      `${JSON.stringify(reply, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))}\n`,
    );
  }
}
