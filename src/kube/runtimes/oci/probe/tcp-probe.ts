/** Whether somebody listens at a port. */
import type { ProbeResult } from '../../../ports/index.ts'
import { dial, type ProbeTarget } from './probe-target.ts'

export const probeTcp = async (
  target: ProbeTarget,
  place: { host: string; port: number },
  signal: AbortSignal,
): Promise<ProbeResult> => {
  try {
    const socket = await dial(target, place, signal)
    socket.destroy()
    return { ok: true, output: '' }
  } catch (error) {
    return { ok: false, output: (error as Error).message }
  }
}
