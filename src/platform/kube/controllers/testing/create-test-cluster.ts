/** A small cluster for tests of controllers: the real write path, a virtual clock and a fake node. */
import type { Pod, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { createRandom, createVirtualClock, deepFreeze, type VirtualClock } from '#kit'
import { events, isPodTerminal, pods } from '#platform/kube/kinds'
import { type Stored, toTime } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { createResources } from '#platform/kube/resources'
import type { Controller } from '../define-controller.ts'
import { type RunningControllers, runControllers } from '../run-controllers.ts'

/** The outcome of a pod on the fake node: ready, unready, pending, or an exit. */
export type PodOutcome = 'ready' | 'unready' | 'pending' | { exitCode: number; afterMs: number }

export interface TestCluster {
  clock: VirtualClock
  client: Client
  controllers: RunningControllers
  errors: unknown[]
  /** Decides the outcome of each pod; can be replaced during a test. */
  podOutcome: (pod: Stored<Pod>) => PodOutcome
  /** Writes a pod's status as the kubelet does. */
  reportStatus(pod: Stored<Pod>, status: Partial<PodStatus>): void
  /** Returns all events about an object of this name, in order, as `reason: message`. */
  eventsOf(name: string): string[]
}

const SCHEDULE_MS = 100
const START_MS = 1000
const STOP_MS = 500

const readyConditions = (now: number, ready: boolean): PodStatus['conditions'] => [
  { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: toTime(now) },
]

const exitedStatus = (exitCode: number, now: number): Partial<PodStatus> => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  conditions: readyConditions(now, false)!,
  containerStatuses: [
    {
      name: 'c',
      image: 'i',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode, finishedAt: toTime(now) } },
    },
  ],
})

export const createTestCluster = (controllers: readonly Controller[], seed = 'test'): TestCluster => {
  const clock = createVirtualClock()
  const resources = createResources({ clock, random: createRandom(seed), store: { seal: deepFreeze } })
  const client = resources.clientFor({ username: 'tester', groups: ['system:masters'] }, 'test')
  const errors: unknown[] = []

  const findLatest = (pod: Stored<Pod>): Stored<Pod> | undefined => {
    const found = client.get(pods, pod.metadata.namespace ?? '', pod.metadata.name)
    return found?.metadata.uid === pod.metadata.uid ? found : undefined
  }
  const reportStatus: TestCluster['reportStatus'] = (pod, status) => {
    const latest = findLatest(pod)
    if (latest !== undefined)
      client.updateStatus(pods, { ...latest, status: { ...latest.status, ...status } })
  }
  const schedule = (pod: Stored<Pod>): void => {
    const waiting = findLatest(pod)
    if (waiting === undefined || waiting.spec.nodeName) return
    const required = waiting.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    const pinned = required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0]
    client.bind(waiting.metadata.namespace ?? '', waiting.metadata.name, pinned ?? 'node-1')
  }
  const start = (pod: Stored<Pod>): void => {
    const latest = findLatest(pod)
    if (latest === undefined || latest.metadata.deletionTimestamp !== undefined || isPodTerminal(latest))
      return
    const outcome = cluster.podOutcome(latest)
    if (outcome === 'pending') return
    reportStatus(latest, {
      phase: 'Running',
      conditions: readyConditions(clock.now(), outcome !== 'unready')!,
    })
    if (typeof outcome === 'object') {
      clock.after(outcome.afterMs, () => {
        if (findLatest(latest)?.metadata.deletionTimestamp === undefined)
          reportStatus(latest, exitedStatus(outcome.exitCode, clock.now()))
      })
    }
  }
  const stop = (pod: Stored<Pod>): void => {
    const latest = findLatest(pod)
    if (latest === undefined) return
    if (!isPodTerminal(latest)) reportStatus(latest, exitedStatus(137, clock.now()))
    if (findLatest(latest) !== undefined)
      client.delete(pods, latest.metadata.namespace ?? '', latest.metadata.name, { gracePeriodSeconds: 0 })
  }
  client.watch(pods, ({ type, object, old }) => {
    if (type === 'ADDED') {
      clock.after(SCHEDULE_MS, () => schedule(object))
      clock.after(START_MS, () => start(object))
    }
    const isMarkedForDeletion =
      old?.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp !== undefined
    if (type === 'MODIFIED' && isMarkedForDeletion) clock.after(STOP_MS, () => stop(object))
  })

  const cluster: TestCluster = {
    clock,
    client,
    controllers: runControllers(controllers, { ...resources, onError: (_, __, error) => errors.push(error) }),
    errors,
    podOutcome: () => 'ready',
    reportStatus,
    eventsOf: (name) =>
      client
        .list(events)
        .filter(({ involvedObject }) => involvedObject.name === name)
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(({ reason, message }) => `${reason}: ${message}`),
  }
  return cluster
}
