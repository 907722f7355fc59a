/** Answers probes and hooks of simulated containers. */
import type { ProbeAction, ProbeResult } from '#platform/kube/ports'
import type { SimulatedContainer } from './simulated-container.ts'

const timeoutText = ({ action, timeoutMs }: ProbeAction): string => {
  switch (action.type) {
    case 'exec':
      return `command timed out: "${action.command.join(' ')}" timed out after ${timeoutMs / 1000}s`
    case 'http':
      return `Get "${action.scheme.toLowerCase()}://${action.host}:${action.port}${action.path}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
    case 'tcp':
      return `dial tcp ${action.host}:${action.port}: i/o timeout`
    case 'grpc':
      return `timeout: failed to connect service "${action.host}:${action.port}" within ${timeoutMs / 1000}s: context deadline exceeded`
  }
}

export const answerProbe = ({ model, age }: SimulatedContainer, probe: ProbeAction): ProbeResult => {
  if ((model.probeMs ?? 0) > probe.timeoutMs) return { ok: false, output: timeoutText(probe) }
  return model.probe?.(probe, age()) ?? { ok: true, output: '' }
}
