/** Connects to the target of a probe, with the messages of Go's network library. */
import type { ProbeAddress, ProbeClient } from './probe-client.ts'

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
  ECONNRESET: 'connect: connection reset by peer',
}

const reasonOf = (error: Error): string =>
  REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? error.message

/** Rejects with Go's message: `dial tcp 10.244.0.5:80: ...`. */
export const dialProbe = async <Connection>(
  client: ProbeClient<Connection>,
  { host, port }: ProbeAddress,
  signal: AbortSignal,
): Promise<Connection> => {
  try {
    return await client.connect({ host, port }, signal)
  } catch (error) {
    // The network already uses this form for unknown host names.
    if ((error as Error).message.startsWith('dial tcp')) throw error
    const reason = signal.aborted ? 'i/o timeout' : reasonOf(error as Error)
    throw Object.assign(new Error(`dial tcp ${host}:${port}: ${reason}`), { cause: error })
  }
}
