/** Runs the startup, readiness and liveness probes of one container. */
import type { Container, HTTPGetAction, Pod, Probe } from 'kubernetes-types/core/v1.d.ts'
import type { Timer } from '#kit'
import type { Stored } from '#platform/kube/meta'
import type { Outcome, ProbeAction, ProbeResult } from '#platform/kube/ports'
import { attempt } from '../attempt.ts'
import type { KubeletContext } from '../kubelet-context.ts'
import { type ContainerRecord, fieldPathOf, podText } from './container-record.ts'

type ProbeKind = 'startup' | 'readiness' | 'liveness'

export interface ProbeTarget {
  context: KubeletContext
  pod: Stored<Pod>
  podIP: string
  record: ContainerRecord
  /** Called when the container's `started` or `ready` has changed. */
  onChange(): void
  /** Called when the container must be killed. */
  onUnhealthy(kind: 'startup' | 'liveness', probe: Probe): void
}

/**
 * The delay before the first probe of a container without an initial delay. The real kubelet sends the first
 * probe when its relist, which runs once a second, finds the container running. Few programs answer earlier.
 */
const MIN_INITIAL_DELAY_MS = 300
/** Spreads the probes of containers that start at the same time. */
const SPREAD_MS = 300

const portNumber = (container: Container, port: number | string): number =>
  typeof port === 'number'
    ? port
    : (container.ports?.find(({ name }) => name === port)?.containerPort ?? (Number.parseInt(port, 10) || 0))

type Handler = Pick<Probe, 'exec' | 'tcpSocket' | 'grpc'> & { httpGet?: HTTPGetAction }

/** The action of a probe or hook, with port names and the pod's address resolved. */
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

/** Runs one probe periodically and calls `onResult` when a threshold of consecutive results is reached. */
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
  let consecutive = 0
  let lastOk: boolean | undefined
  let stopped = false
  let timer: Timer | undefined

  const source = `${kind} probe of ${record.spec.name} in ${podText(pod)}`

  const handleOutcome = (outcome: Outcome<ProbeResult>): void => {
    const ok = outcome.ok && outcome.value.ok
    if (!ok) {
      const text = outcome.ok ? `failed: ${outcome.value.output}` : `errored: ${outcome.error.message}`
      const message = `${TITLES[kind]} probe ${text}`
      events.record(pod, 'Warning', 'Unhealthy', message, fieldPathOf(record))
    }
    if (!outcome.ok) return
    consecutive = ok === lastOk ? consecutive + 1 : 1
    lastOk = ok
    const threshold = ok ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3)
    if (consecutive >= threshold) onResult(ok)
  }

  const schedule = (milliseconds: number): void => {
    timer = clock.after(milliseconds, run)
  }

  const run = (): void => {
    const { instance } = record
    if (stopped || action === undefined || instance === undefined) return
    const sentAt = clock.now()
    const isSent =
      context.isAlive() &&
      attempt(context, source, () =>
        runtime.probe(pod, record.spec, instance.id, { kind, action, timeoutMs }, (outcome) => {
          if (stopped) return
          // The period runs from the start of one probe to the start of the next.
          // A clock that is set back must not delay the next probe.
          const elapsedMs = Math.max(0, clock.now() - sentAt)
          schedule(Math.max(0, periodMs - elapsedMs))
          attempt(context, source, () => handleOutcome(outcome))
        }),
      )
    if (!isSent) schedule(periodMs)
  }

  const firstDelayMs =
    Math.max((probe.initialDelaySeconds ?? 0) * 1000, MIN_INITIAL_DELAY_MS) + random.below(SPREAD_MS)
  schedule(firstDelayMs)
  return () => {
    stopped = true
    timer?.cancel()
  }
}

/** Starts the probes of a container that has just started; returns a function that stops them. */
export const startProbes = (target: ProbeTarget): (() => void) => {
  const { record, onChange, onUnhealthy } = target
  const { startupProbe, readinessProbe, livenessProbe } = record.spec
  const stopFunctions: (() => void)[] = []

  const setReady = (ready: boolean): void => {
    if (record.ready === ready) return
    record.ready = ready
    onChange()
  }

  const markStarted = (): void => {
    record.started = true
    if (readinessProbe === undefined) record.ready = true
    else stopFunctions.push(startProbe(target, 'readiness', readinessProbe, setReady))
    if (livenessProbe !== undefined)
      stopFunctions.push(
        startProbe(target, 'liveness', livenessProbe, (ok) => {
          if (!ok) onUnhealthy('liveness', livenessProbe)
        }),
      )
  }

  if (startupProbe === undefined) markStarted()
  else {
    const stop = startProbe(target, 'startup', startupProbe, (ok) => {
      stop()
      if (!ok) return onUnhealthy('startup', startupProbe)
      markStarted()
      onChange()
    })
    stopFunctions.push(stop)
  }
  return () => {
    for (const stop of stopFunctions) stop()
  }
}
