/** Probes whether a port accepts connections. */
import type { ProbeResult } from '#platform/kube/ports'
import { dial, type ProbeTarget } from './probe-target.ts'

export const probeTcp = async (
  target: ProbeTarget,
  address: { host: string; port: number },
  signal: AbortSignal,
): Promise<ProbeResult> => {
  try {
    const socket = await dial(target, address, signal)
    socket.destroy()
    return { ok: true, output: '' }
  } catch (error) {
    return { ok: false, output: (error as Error).message }
  }
}
