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
import { type ContainerLoadsState, createContainerLoads } from './container-loads.ts'
import { createOutcomes, type OutcomesState } from './outcomes.ts'
import { createRestartCounts, type RestartCountsState } from './restart-counts.ts'

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
  /** Fixes the baselines, because the system is healthy now, and drops all earlier outcomes. */
  resetOutcomes(): void
  /** Drops all state except baselines, because the system was recreated or reset. */
  restart(now: number): void
  view(now: number): AlertView
  /** Independent of later changes; can be restored any number of times. */
  snapshot(): AlertStateSnapshot
  restore(snapshot: AlertStateSnapshot): void
}

export interface AlertStateSnapshot {
  readonly outcomes: OutcomesState
  readonly loads: ContainerLoadsState
  readonly restarts: RestartCountsState
  readonly nodes: ReadonlyMap<string, NodeState>
  readonly workloads: ReadonlyMap<string, WorkloadState>
  readonly volumes: readonly PodVolume[]
  readonly startedAt: number
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

/** Ready pods whose containers all run for the first time raise no alert. Init containers end as Completed. */
const mayHaveProblem = ({ ready, unscheduled, containers }: PodState): boolean =>
  !ready ||
  unscheduled !== undefined ||
  containers.some(
    ({ restarts, waitingReason, endedReason }) =>
      restarts > 0 ||
      waitingReason !== undefined ||
      (endedReason !== undefined && endedReason !== 'Completed'),
  )

/** Returns a function that filters the list again only if it is another one. */
const createPodFilter = (pods: Pick<PodIndex, 'all'>): (() => readonly PodState[]) => {
  let list: readonly PodState[] | undefined
  let found: readonly PodState[] = []
  return () => {
    const all = pods.all()
    if (all !== list) found = all.filter(mayHaveProblem)
    list = all
    return found
  }
}

const missingOf = (workloads: ReadonlyMap<string, WorkloadState>): WorkloadState[] => {
  const missing: WorkloadState[] = []
  for (const workload of workloads.values()) if (workload.missingSince !== undefined) missing.push(workload)
  return missing
}

export const createAlertState = (pods: Pick<PodIndex, 'all'>, now: number): AlertState => {
  let outcomes = createOutcomes()
  let loads = createContainerLoads()
  let restarts = createRestartCounts()
  let nodes = new Map<string, NodeState>()
  let workloads = new Map<string, WorkloadState>()
  let volumes: readonly PodVolume[] = []
  let startedAt = now
  const podsWithProblems = createPodFilter(pods)

  return {
    noteSpans: (spans, time) => outcomes.noteSpans(spans, time),
    noteJourneys: (runs) => outcomes.noteJourneys(runs),
    resetOutcomes: () => outcomes.fixBaselines(),
    notePod: (pod, time) => restarts.add(pod, time),
    noteReading: (pod, reading, time) => loads.add(pod, reading, time),
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
      ...outcomes.troubled(time),
      pods: podsWithProblems(),
      containers: loads.short(),
      volumes,
      nodes: [...nodes.values()].filter(({ ready }) => !ready),
      workloads: missingOf(workloads),
      restartsWithin: (uid, milliseconds) => restarts.within(uid, time, milliseconds),
    }),
    snapshot: () => ({
      outcomes: outcomes.snapshot(),
      loads: loads.snapshot(),
      restarts: restarts.snapshot(),
      nodes: new Map(nodes),
      workloads: new Map(workloads),
      volumes,
      startedAt,
    }),
    restore(snapshot) {
      outcomes = createOutcomes(snapshot.outcomes)
      loads = createContainerLoads(snapshot.loads)
      restarts = createRestartCounts(snapshot.restarts)
      nodes = new Map(snapshot.nodes)
      workloads = new Map(snapshot.workloads)
      volumes = snapshot.volumes
      startedAt = snapshot.startedAt
    },
  }
}
