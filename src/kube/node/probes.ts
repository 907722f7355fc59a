/** Startup, readiness and liveness probes of one running container. */
import type { Container, HTTPGetAction, Pod, Probe } from 'kubernetes-types/core/v1.d.ts'
import type { Timer } from '../../kit/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Outcome, ProbeAction, ProbeResult } from '../ports/index.ts'
import { attempt } from './attempt.ts'
import { type ContainerRecord, fieldPathOf, podText } from './container-record.ts'
import type { KubeletContext } from './kubelet-context.ts'

type ProbeKind = 'startup' | 'readiness' | 'liveness'

export interface ProbeTarget {
  context: KubeletContext
  pod: Stored<Pod>
  podIP: string
  record: ContainerRecord
  /** The container's `started` or `ready` has changed. */
  onChange(): void
  /** The container must be killed. */
  onUnhealthy(kind: 'startup' | 'liveness', probe: Probe): void
}

/**
 * When a container without an initial delay is first probed. A real kubelet does that when it sees that the container
 * runs, for which it looks once a second; at once hardly any program answers.
 */
const FIRST_MS = 300
/** Probes of containers that started together should not fire together. */
const SPREAD_MS = 300

const portNumber = (container: Container, port: number | string): number =>
  typeof port === 'number'
    ? port
    : (container.ports?.find(({ name }) => name === port)?.containerPort ?? (Number.parseInt(port, 10) || 0))

type Handler = Pick<Probe, 'exec' | 'tcpSocket' | 'grpc'> & { httpGet?: HTTPGetAction }

/** What a probe or hook does, with names of ports and the pod's address filled in. */
export const actionOf = (
  handler: Handler,
  container: Container,
  podIP: string,
): ProbeAction['action'] | undefined => {
  const { exec, httpGet, tcpSocket, grpc } = handler
  if (exec !== undefined) return { type: 'exec', command: exec.command ?? [] }
  if (httpGet !== undefined)
    return {
      type: 'http',
      scheme: httpGet.scheme === 'HTTPS' ? 'HTTPS' : 'HTTP',
      host: httpGet.host || podIP,
      port: portNumber(container, httpGet.port),
      path: httpGet.path ?? '/',
      headers: httpGet.httpHeaders ?? [],
    }
  if (tcpSocket !== undefined)
    return { type: 'tcp', host: tcpSocket.host || podIP, port: portNumber(container, tcpSocket.port) }
  return grpc === undefined
    ? undefined
    : { type: 'grpc', host: podIP, port: grpc.port, service: grpc.service ?? '' }
}

const TITLES: Readonly<Record<ProbeKind, string>> = {
  startup: 'Startup',
  readiness: 'Readiness',
  liveness: 'Liveness',
}

/** Repeats one probe, and tells when enough results in a row agree. */
const startProbe = (
  target: ProbeTarget,
  kind: ProbeKind,
  probe: Probe,
  onResult: (ok: boolean) => void,
): (() => void) => {
  const { context, pod, record, podIP } = target
  const { clock, events, runtime, random } = context
  const action = actionOf(probe, record.spec, podIP)
  const periodMs = (probe.periodSeconds ?? 10) * 1000
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000
  let inARow = 0
  let last: boolean | undefined
  let stopped = false
  let timer: Timer | undefined

  const where = `${kind} probe of ${record.spec.name} in ${podText(pod)}`

  const judge = (outcome: Outcome<ProbeResult>): void => {
    const ok = outcome.ok && outcome.value.ok
    if (!ok) {
      const text = outcome.ok ? `failed: ${outcome.value.output}` : `errored: ${outcome.error.message}`
      const message = `${TITLES[kind]} probe ${text}`
      events.record(pod, 'Warning', 'Unhealthy', message, fieldPathOf(record))
    }
    if (!outcome.ok) return
    inARow = ok === last ? inARow + 1 : 1
    last = ok
    const threshold = ok ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3)
    if (inARow >= threshold) onResult(ok)
  }

  const runLater = (milliseconds: number): void => {
    timer = clock.after(milliseconds, run)
  }

  const run = (): void => {
    const { instance } = record
    if (stopped || action === undefined || instance === undefined) return
    const askedAt = clock.now()
    const asked =
      context.isAlive() &&
      attempt(context, where, () =>
        runtime.probe(pod, record.spec, instance.id, { kind, action, timeoutMs }, (outcome) => {
          if (stopped) return
          // Periods count from one question to the next; a clock that is set back must not stop them.
          const passedMs = Math.max(0, clock.now() - askedAt)
          runLater(Math.max(0, periodMs - passedMs))
          attempt(context, where, () => judge(outcome))
        }),
      )
    if (!asked) runLater(periodMs)
  }

  const firstMs = Math.max((probe.initialDelaySeconds ?? 0) * 1000, FIRST_MS) + random.below(SPREAD_MS)
  runLater(firstMs)
  return () => {
    stopped = true
    timer?.cancel()
  }
}

/** Begins to probe a container that has just started; gives a function that ends it. */
export const startProbes = (target: ProbeTarget): (() => void) => {
  const { record, onChange, onUnhealthy } = target
  const { startupProbe, readinessProbe, livenessProbe } = record.spec
  const stops: (() => void)[] = []

  const setReady = (ready: boolean): void => {
    if (record.ready === ready) return
    record.ready = ready
    onChange()
  }

  const begin = (): void => {
    record.started = true
    if (readinessProbe === undefined) record.ready = true
    else stops.push(startProbe(target, 'readiness', readinessProbe, setReady))
    if (livenessProbe !== undefined)
      stops.push(
        startProbe(target, 'liveness', livenessProbe, (ok) => {
          if (!ok) onUnhealthy('liveness', livenessProbe)
        }),
      )
  }

  if (startupProbe === undefined) begin()
  else {
    const stop = startProbe(target, 'startup', startupProbe, (ok) => {
      stop()
      if (!ok) return onUnhealthy('startup', startupProbe)
      begin()
      onChange()
    })
    stops.push(stop)
  }
  return () => {
    for (const stop of stops) stop()
  }
}
