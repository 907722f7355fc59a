/** What the rules of alerts look at, kept up to date as signals come. */
import type { ApiObject, JourneyRecord, PodReading, Span } from '../../spec/index.ts'
import type { PodVolume } from '../collect/measure-volumes.ts'
import type { PodIndex, PodState } from '../collect/pod-index.ts'
import type { AlertView, ContainerLoad, NodeState, WorkloadState } from './alert-rule.ts'
import { createOutcomeWindow, type OutcomeWindow } from './outcome-window.ts'

const LOAD_MS = 30_000
const RESTARTS_MS = 300_000
const MEMORY_SHARE = 0.9
/** Names that come from pods must not fill the memory. */
const MOST_NAMES = 1000

export interface AlertState {
  noteSpans(spans: readonly Span[], now: number): void
  noteJourneys(walks: readonly JourneyRecord[]): void
  notePod(pod: PodState, now: number): void
  forgetPod(pod: PodState): void
  noteReading(pod: PodState, reading: PodReading, now: number): void
  /** All there are. */
  noteVolumes(volumes: readonly PodVolume[]): void
  noteNode(object: ApiObject, gone: boolean): void
  noteWorkload(object: ApiObject, gone: boolean, now: number): void
  /** All is well now: forgets what users and services went through until then, and knows what is usual for them. */
  forgetOutcomes(): void
  /** Forgets what happened: a new life of the same system begins, and what is usual for it stays so. */
  begin(now: number): void
  view(now: number): AlertView
}

interface ContainerHistory {
  readonly pod: PodState
  readonly readings: { time: number; periods: number; throttled: number }[]
  memory: number
  memoryLimit: number | undefined
  memoryHighSince: number | undefined
}

const windowOf = (windows: Map<string, OutcomeWindow>, name: string): OutcomeWindow | undefined => {
  const known = windows.get(name)
  if (known !== undefined || windows.size >= MOST_NAMES) return known
  const window = createOutcomeWindow()
  windows.set(name, window)
  return window
}

const toNode = (object: ApiObject): NodeState => {
  const conditions: { type: string; status: string; lastTransitionTime?: string }[] =
    (object as any).status?.conditions ?? []
  const ready = conditions.find(({ type }) => type === 'Ready')
  return {
    name: object.metadata.name,
    ready: ready?.status === 'True',
    since: Date.parse(ready?.lastTransitionTime ?? '') || 0,
  }
}

const toWorkload = (object: ApiObject, before: WorkloadState | undefined, now: number): WorkloadState => {
  const { spec, status, metadata, kind } = object as any
  const wanted = spec?.replicas ?? 1
  const available = status?.availableReplicas ?? 0
  return {
    title: `${kind}/${metadata.name}`,
    service: spec?.template?.metadata?.labels?.app ?? metadata.name,
    wanted,
    available,
    ...(available >= wanted ? {} : { missingSince: before?.missingSince ?? now }),
  }
}

const toLoad = (container: string, history: ContainerHistory): ContainerLoad => {
  const [first, last] = [history.readings[0]!, history.readings.at(-1)!]
  const { pod, memory, memoryLimit, memoryHighSince } = history
  return {
    pod,
    container,
    memory,
    periods: last.periods - first.periods,
    throttledPeriods: last.throttled - first.throttled,
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
    ...(memoryHighSince === undefined ? {} : { memoryHighSince }),
  }
}

export const createAlertState = (pods: Pick<PodIndex, 'all'>, now: number): AlertState => {
  const journeys = new Map<string, OutcomeWindow>()
  const services = new Map<string, OutcomeWindow>()
  const containers = new Map<string, Map<string, ContainerHistory>>()
  const nodes = new Map<string, NodeState>()
  const workloads = new Map<string, WorkloadState>()
  const restarts = new Map<string, { total: number; times: number[] }>()
  let volumes: readonly PodVolume[] = []
  let began = now

  const noteContainer = (
    histories: Map<string, ContainerHistory>,
    pod: PodState,
    [name, reading]: [string, PodReading['containers'][string]],
    time: number,
  ): void => {
    const known = histories.get(name)
    const anew = known === undefined || reading.cpuPeriods < (known.readings.at(-1)?.periods ?? 0)
    const history = anew
      ? { pod, readings: [], memory: 0, memoryLimit: undefined, memoryHighSince: undefined }
      : known
    histories.set(name, history)
    const { memoryWorkingSet: memory, memoryLimit } = reading
    const high = memoryLimit !== undefined && memory > MEMORY_SHARE * memoryLimit
    Object.assign(history, { memory, memoryLimit })
    history.memoryHighSince = high ? (history.memoryHighSince ?? time) : undefined
    history.readings.push({ time, periods: reading.cpuPeriods, throttled: reading.cpuThrottledPeriods })
    while (history.readings.length > 2 && time - history.readings[1]!.time > LOAD_MS) history.readings.shift()
  }

  return {
    noteSpans(spans, now) {
      for (const { kind, service, durationMs, status } of spans)
        if (kind === 'server' || kind === 'consumer')
          // When it came, which is soon after it ended: the clock of a pod may be wrong.
          windowOf(services, service)?.add(now, { durationMs, failed: status === 'error' })
    },
    noteJourneys(walks) {
      for (const { journey, intended, latencyMs, ok } of walks)
        windowOf(journeys, journey)?.add(intended + latencyMs, { durationMs: latencyMs, failed: !ok })
    },
    notePod(pod, time) {
      const total = pod.containers.reduce((sum, container) => sum + container.restarts, 0)
      const known = restarts.get(pod.uid) ?? { total, times: [] }
      for (let more = known.total; more < total; more += 1) known.times.push(time)
      restarts.set(pod.uid, { total, times: known.times.filter((one) => time - one < RESTARTS_MS) })
    },
    forgetPod({ uid }) {
      restarts.delete(uid)
      containers.delete(uid)
    },
    noteReading(pod, reading, time) {
      const histories = containers.get(pod.uid) ?? new Map<string, ContainerHistory>()
      containers.set(pod.uid, histories)
      for (const name of histories.keys())
        if (!Object.hasOwn(reading.containers, name)) histories.delete(name)
      for (const one of Object.entries(reading.containers)) noteContainer(histories, pod, one, time)
    },
    noteVolumes(found) {
      volumes = found
    },
    noteNode(object, gone) {
      if (gone) nodes.delete(object.metadata.name)
      else nodes.set(object.metadata.name, toNode(object))
    },
    noteWorkload(object, gone, time) {
      const { uid } = object.metadata as { uid?: string }
      if (gone) workloads.delete(uid!)
      else workloads.set(uid!, toWorkload(object, workloads.get(uid!), time))
    },
    forgetOutcomes() {
      for (const window of [...journeys.values(), ...services.values()]) {
        window.settle()
        window.forget()
      }
    },
    begin(time) {
      began = time
      volumes = []
      containers.clear()
      for (const windows of [journeys, services])
        for (const [name, window] of windows)
          if (window.slowFrom() === undefined) windows.delete(name)
          else window.forget()
      for (const one of restarts.values()) one.times = []
    },
    view: (time) => ({
      now: time,
      began,
      journeys,
      services,
      pods: [...pods.all()],
      containers: [...containers.values()].flatMap((histories) =>
        [...histories].map(([name, history]) => toLoad(name, history)),
      ),
      volumes,
      nodes: nodes.values(),
      workloads: workloads.values(),
      restartsWithin: (uid, milliseconds) =>
        restarts.get(uid)?.times.filter((one) => time - one <= milliseconds).length ?? 0,
    }),
  }
}
