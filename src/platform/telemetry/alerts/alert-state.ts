/** The state that alert rules evaluate, updated as signals arrive. */
import {
  type ApiObject,
  type JourneyRecord,
  type PodReading,
  podTemplateOf,
  replicasOf,
  type Span,
  viewAs,
} from '#spec'
import type { PodVolume } from '../collect/measure-volumes.ts'
import type { PodIndex, PodState } from '../collect/pod-index.ts'
import type { AlertView, NodeState, WorkloadState } from './alert-rule.ts'
import { createContainerLoads } from './container-loads.ts'
import { createOutcomeWindow, type OutcomeWindow } from './outcome-window.ts'
import { createRestartCounts } from './restart-counts.ts'

/** Service names come from pods: an unlimited number of them would fill the memory. */
const MAX_NAMES = 1000

export interface AlertState {
  noteSpans(spans: readonly Span[], now: number): void
  noteJourneys(runs: readonly JourneyRecord[]): void
  notePod(pod: PodState, now: number): void
  removePod(pod: PodState): void
  noteReading(pod: PodState, reading: PodReading, now: number): void
  /** Replaces all known volumes. */
  noteVolumes(volumes: readonly PodVolume[]): void
  noteNode(object: ApiObject, isDeleted: boolean): void
  noteWorkload(object: ApiObject, isDeleted: boolean, now: number): void
  /** Fixes the baselines, because the system is healthy now, and drops all outcomes so far. */
  resetOutcomes(): void
  /** Drops everything that happened so far, except baselines, because the system was recreated or reset. */
  restart(now: number): void
  view(now: number): AlertView
}

const windowOf = (windows: Map<string, OutcomeWindow>, name: string): OutcomeWindow | undefined => {
  const known = windows.get(name)
  if (known !== undefined || windows.size >= MAX_NAMES) return known
  const window = createOutcomeWindow()
  windows.set(name, window)
  return window
}

const toNode = (object: ApiObject): NodeState => {
  const ready = viewAs('Node', object).status?.conditions?.find(({ type }) => type === 'Ready')
  return {
    name: object.metadata.name,
    ready: ready?.status === 'True',
    since: Date.parse(ready?.lastTransitionTime ?? '') || 0,
  }
}

const toWorkload = (object: ApiObject, before: WorkloadState | undefined, now: number): WorkloadState => {
  const { kind, metadata } = object
  const desired = replicasOf(object)
  const available = viewAs('Deployment', object).status?.availableReplicas ?? 0
  return {
    title: `${kind}/${metadata.name}`,
    service: podTemplateOf(object)?.metadata?.labels?.app ?? metadata.name,
    desired,
    available,
    ...(available >= desired ? {} : { missingSince: before?.missingSince ?? now }),
  }
}

const createOutcomes = () => {
  const journeys = new Map<string, OutcomeWindow>()
  const services = new Map<string, OutcomeWindow>()
  return {
    journeys,
    services,
    noteSpans(spans: readonly Span[], now: number): void {
      for (const { kind, service, durationMs, status } of spans)
        if (kind === 'server' || kind === 'consumer')
          // Uses the time of arrival, shortly after the end of the span, because the clock of a pod may be wrong.
          windowOf(services, service)?.add(now, { durationMs, failed: status === 'error' })
    },
    noteJourneys(runs: readonly JourneyRecord[]): void {
      for (const { journey, intended, latencyMs, ok } of runs)
        windowOf(journeys, journey)?.add(intended + latencyMs, { durationMs: latencyMs, failed: !ok })
    },
    fixBaselines(): void {
      for (const window of [...journeys.values(), ...services.values()]) {
        window.fixBaseline()
        window.clear()
      }
    },
    /** Windows without a baseline are removed. */
    clear(): void {
      for (const windows of [journeys, services])
        for (const [name, window] of windows)
          if (window.slowAboveMs() === undefined) windows.delete(name)
          else window.clear()
    },
  }
}

export const createAlertState = (pods: Pick<PodIndex, 'all'>, now: number): AlertState => {
  const outcomes = createOutcomes()
  const loads = createContainerLoads()
  const restarts = createRestartCounts()
  const nodes = new Map<string, NodeState>()
  const workloads = new Map<string, WorkloadState>()
  let volumes: readonly PodVolume[] = []
  let startedAt = now

  return {
    noteSpans: outcomes.noteSpans,
    noteJourneys: outcomes.noteJourneys,
    resetOutcomes: outcomes.fixBaselines,
    notePod: restarts.add,
    noteReading: loads.add,
    removePod({ uid }) {
      restarts.remove(uid)
      loads.remove(uid)
    },
    noteVolumes(found) {
      volumes = found
    },
    noteNode(object, isDeleted) {
      if (isDeleted) nodes.delete(object.metadata.name)
      else nodes.set(object.metadata.name, toNode(object))
    },
    noteWorkload(object, isDeleted, time) {
      const uid = viewAs('Deployment', object).metadata?.uid ?? ''
      if (isDeleted) workloads.delete(uid)
      else workloads.set(uid, toWorkload(object, workloads.get(uid), time))
    },
    restart(time) {
      startedAt = time
      volumes = []
      loads.clear()
      outcomes.clear()
      restarts.clear()
    },
    view: (time) => ({
      now: time,
      startedAt,
      journeys: outcomes.journeys,
      services: outcomes.services,
      pods: [...pods.all()],
      containers: loads.all(),
      volumes,
      nodes: nodes.values(),
      workloads: workloads.values(),
      restartsWithin: (uid, milliseconds) => restarts.within(uid, time, milliseconds),
    }),
  }
}
