/** Runs one probe or lifecycle hook within its timeout. */
import type { ProbeAction, ProbeResult } from '#platform/kube/ports'
import { probeExec } from './probe-exec.ts'
import { probeGrpc } from './probe-grpc.ts'
import { probeHttp } from './probe-http.ts'
import { hostOf, type ProbeTarget } from './probe-target.ts'
import { probeTcp } from './probe-tcp.ts'

/** Rejects if the probe could not be run. */
export const runProbe = async (
  target: ProbeTarget,
  { action, timeoutMs }: ProbeAction,
): Promise<ProbeResult> => {
  const controller = new AbortController()
  const timer = target.clock.after(timeoutMs, () => controller.abort())
  const { signal } = controller
  try {
    switch (action.type) {
      case 'exec':
        return await probeExec(target, action.command, timeoutMs, signal)
      case 'http':
        return await probeHttp(target, action, signal)
      case 'tcp':
        return await probeTcp(target, { host: hostOf(target, action.host), port: action.port }, signal)
      case 'grpc':
        return await probeGrpc(target, action, timeoutMs, signal)
    }
  } finally {
    timer.cancel()
  }
}
