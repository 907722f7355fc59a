/** Collects the telemetry of the system on a simulated cluster, in memory and without sockets. */
import type { Clock } from '#kit'
import type { SimNetwork } from '#platform/engines/sim/network'
import type { SimContainer, SimPod, SimPods } from '#platform/engines/sim/runtime'
import {
  createDirectSpans,
  createMemoryTelemetryStore,
  createTelemetry,
  type FollowLogs,
} from '#platform/telemetry'
import type { ClusterTelemetry, ContainerStatistics, KubeApi, Span, VolumeStatistics } from '#spec'
import { readMetricsInside } from './read-metrics-inside.ts'

export interface SimTelemetry {
  readonly telemetry: ClusterTelemetry
  onSpan(pod: SimPod, span: Span): void
  /** Starts the evaluation of alerts; must be called when the system is healthy. */
  startAlerts(epoch: string): void
  pause(): void
  close(): Promise<void>
}

export interface SimTelemetryOptions {
  readonly api: KubeApi
  readonly clock: Clock
  readonly pods: SimPods
  readonly network: SimNetwork
  readonly namespace: string
  readonly volumes: VolumeStatistics
  onError(error: Error): void
}

/** Containers are found by their id even after they have ended, because their last lines often matter most. */
const createLogFollower = ({ pods, clock }: SimTelemetryOptions): FollowLogs => {
  const byPod = new Map<string, SimContainer[]>()
  pods.onContainerStart((container) => {
    const started = byPod.get(container.pod.uid)
    if (started === undefined) byPod.set(container.pod.uid, [container])
    else started.push(container)
  })
  pods.onRemoval((uid) => byPod.delete(uid))
  return (pod, name, { onLine, onEnd }) => {
    const state = pod.containers.find((each) => each.name === name)
    const container = byPod.get(pod.uid)?.find(({ id }) => state?.containerId?.endsWith(id) === true)
    let stop = (): void => {}
    let isStopped = false
    // Callbacks must not be called synchronously.
    clock.defer(() => {
      if (isStopped) return
      if (container === undefined) return onEnd()
      stop = container.followLog(({ at, text }) => onLine(at, text))
    })
    return () => {
      isStopped = true
      stop()
    }
  }
}

const createStatistics = ({ pods }: SimTelemetryOptions): ContainerStatistics => ({
  read(uid) {
    const pod = pods.find(uid)
    if (pod === undefined) return undefined
    return {
      containers: Object.fromEntries(
        pod.containers().map(({ name, resources }) => [name, resources.read()] as const),
      ),
      network: pod.network.reading(),
    }
  },
})

/** Must be called before the system is deployed. */
export const startSimTelemetry = async (options: SimTelemetryOptions): Promise<SimTelemetry> => {
  const { api, clock, network, namespace, volumes, onError } = options
  const store = createMemoryTelemetryStore({ clock })
  const spans = createDirectSpans()
  const collector = await createTelemetry({
    store,
    api,
    clock,
    namespace,
    onError,
    openSpans: spans.open,
    followLogs: createLogFollower(options),
    readMetrics: readMetricsInside(network, clock),
    statistics: createStatistics(options),
    volumes,
  })
  return {
    telemetry: {
      query: store.query,
      sql: store.sql,
      renewAlerts: collector.renewAlerts,
      flush: store.flush,
      record(requests, journeys) {
        collector.recordRequests(requests)
        collector.recordJourneys(journeys)
      },
    },
    onSpan: ({ uid }, span) => spans.send(uid, span),
    startAlerts(epoch) {
      store.mark(epoch)
      collector.startAlerts()
    },
    pause: collector.pauseAlerts,
    async close() {
      await collector.close()
      await store.close()
    },
  }
}
