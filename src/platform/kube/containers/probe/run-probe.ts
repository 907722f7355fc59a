/** Runs one probe or lifecycle hook within its timeout, as a kubelet does. */
import type { Clock } from '#kit'
import type { ProbeAction, ProbeResult } from '#platform/kube/ports'
import { dialProbe } from './dial-probe.ts'
import type { ProbeAddress, ProbeClient } from './probe-client.ts'
import { probeGrpc } from './probe-grpc.ts'
import { probeHttp } from './probe-http.ts'

const probeExec = async <Connection>(
  client: ProbeClient<Connection>,
  command: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const ended = await client.exec(command, signal)
  if (ended !== undefined) return { ok: ended.exitCode === 0, output: ended.output }
  const timeout = `"${command.join(' ')}" timed out after ${timeoutMs / 1000}s`
  return { ok: false, output: `command timed out: ${timeout}` }
}

/** Probes whether a port accepts connections. */
const probeTcp = async <Connection>(
  client: ProbeClient<Connection>,
  address: ProbeAddress,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  try {
    client.close(await dialProbe(client, address, signal))
    return { ok: true, output: '' }
  } catch (error) {
    return { ok: false, output: (error as Error).message }
  }
}

export interface RunProbeOptions<Connection> {
  readonly client: ProbeClient<Connection>
  readonly clock: Clock
  /** The host of a probe that names none. */
  readonly podIP: string
}

/** Rejects if the probe could not be run. */
export const runProbe = async <Connection>(
  { client, clock, podIP }: RunProbeOptions<Connection>,
  { action, timeoutMs }: ProbeAction,
): Promise<ProbeResult> => {
  const controller = new AbortController()
  const timer = clock.after(timeoutMs, () => controller.abort())
  const { signal } = controller
  try {
    if (action.type === 'exec') return await probeExec(client, action.command, timeoutMs, signal)
    const { port } = action
    const host = action.host || podIP
    switch (action.type) {
      case 'http':
        return await probeHttp(client, action, host, signal)
      case 'tcp':
        return await probeTcp(client, { host, port }, signal)
      case 'grpc':
        return await probeGrpc({ client, clock, address: { host, port }, timeoutMs, signal }, action)
    }
  } finally {
    timer.cancel()
  }
}
