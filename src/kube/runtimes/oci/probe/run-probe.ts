/** Runs one probe or life-cycle hook, within its time. */
import type { ProbeAction, ProbeResult } from '../../../ports/index.ts'
import { probeExec } from './exec-probe.ts'
import { probeGrpc } from './grpc-probe.ts'
import { probeHttp } from './http-probe.ts'
import { hostOf, type ProbeTarget } from './probe-target.ts'
import { probeTcp } from './tcp-probe.ts'

/** Rejects when it could not even be tried. */
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
