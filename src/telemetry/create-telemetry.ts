/** All that watches a running system: collectors, rules of alerts, and the store that they fill. */
import type { Clock, Timer } from '../kit/index.ts'
import type {
  Alert,
  ContainerStatistics,
  JourneyRecord,
  KubeApi,
  RequestRecord,
  TelemetrySink,
  VolumeStatistics,
} from '../spec/index.ts'
import type { AlertRule } from './alerts/alert-rule.ts'
import { createAlertState } from './alerts/alert-state.ts'
import { createAlertWatch } from './alerts/alert-watch.ts'
import { DEFAULT_RULES } from './alerts/default-rules.ts'
import { collectEvents } from './collect/collect-events.ts'
import { createLogCollector, type FollowLogs } from './collect/collect-logs.ts'
import { createContainerSamples } from './collect/container-samples.ts'
import { measureVolumes, volumeSamples } from './collect/measure-volumes.ts'
import { createPodIndex, type PodIndex } from './collect/pod-index.ts'
import { type ConnectToPod, scrapePods } from './collect/scrape-pods.ts'
import { createSpanSockets } from './collect/span-sockets.ts'
import { podSamples } from './collect/state-samples.ts'
import { watchAlways } from './collect/watch-always.ts'

const USAGE_MS = 2000
const RULES_MS = 1000
const WORKLOADS = ['deployments', 'statefulsets']

export interface TelemetryOptions {
  /** Where signals go. */
  store: TelemetrySink
  api: Pick<KubeApi, 'watch'>
  clock: Clock
  /** Of the system. */
  namespace: string
  /** Where each pod has a folder with its socket for spans, as `makePodSocketFolder` has it. */
  socketFolder: string
  followLogs: FollowLogs
  /** What containers use; nothing is known of it where absent. */
  statistics?: ContainerStatistics
  /** How full volumes are; nothing is known of it where absent. */
  volumes?: VolumeStatistics
  /** How pods are asked for their metrics; they are not where absent. */
  connect?: ConnectToPod
  rules?: readonly AlertRule[]
  onError(error: Error): void
}

export interface Telemetry {
  /** Lets the rules look from now on, without regard to what was before. */
  beginAlerts(): void
  /** Clears what is active, and lets them look at what comes from now on; they know what is usual. */
  renewAlerts(): void
  /** Lets them look no more and clears what is active: while the system is changed on purpose. */
  pauseAlerts(): void
  activeAlerts(): readonly Alert[]
  recordRequests(requests: readonly RequestRecord[]): void
  recordJourneys(walks: readonly JourneyRecord[]): void
  /** Lines and spans from pods that were none. */
  refusedSpans(): number
  /** Lines that were more than one container may print in a second. */
  droppedLines(): number
  close(): Promise<void>
}

/** Runs `task` over and over; the result ends it. */
const every = (clock: Clock, milliseconds: number, task: () => void): (() => void) => {
  let timer: Timer
  const run = (): void => {
    timer = clock.after(milliseconds, run)
    task()
  }
  timer = clock.after(milliseconds, run)
  return () => timer.cancel()
}

/** Resolves when it sees what there is. */
export const createTelemetry = async (options: TelemetryOptions): Promise<Telemetry> => {
  const { store, api, clock, namespace, statistics, volumes, connect, onError } = options
  const ends: (() => unknown)[] = []
  const parts = { api, clock, onError }
  // The watch of pods tells of them before there is an index to ask.
  let pods: PodIndex | undefined
  const state = createAlertState({ all: () => pods?.all() ?? [].values() }, clock.now())
  const logs = createLogCollector(options.followLogs, (lines) => store.logs(lines))
  const samples = createContainerSamples()
  const alerts = createAlertWatch(options.rules ?? DEFAULT_RULES, {
    onAlert: (alert) => store.alert(alert),
    onError,
  })
  let looking = false

  const measure = (index: PodIndex): void => {
    const now = clock.now()
    const all = [...index.all()]
    samples.keepOnly(new Set(all.map(({ uid }) => uid)))
    for (const pod of all) {
      store.metrics(podSamples(pod, now))
      const reading = statistics?.read(pod.uid)
      if (reading === undefined) continue
      state.noteReading(pod, reading, now)
      store.metrics(samples.of(pod, reading, now))
    }
  }

  const watchStates = async (): Promise<void> => {
    for (const plural of WORKLOADS)
      ends.push(
        await watchAlways(parts, { apiVersion: 'apps/v1', plural, namespace }, ({ type, object }) =>
          state.noteWorkload(object, type === 'DELETED', clock.now()),
        ),
      )
    ends.push(
      await watchAlways(parts, { apiVersion: 'v1', plural: 'nodes' }, ({ type, object }) =>
        state.noteNode(object, type === 'DELETED'),
      ),
    )
  }

  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end()
    logs.close()
    alerts.clear(clock.now())
  }

  try {
    const sockets = createSpanSockets({
      folder: options.socketFolder,
      clock,
      onError,
      onSpans(spans) {
        store.spans(spans)
        state.noteSpans(spans, clock.now())
      },
    })
    ends.push(sockets.close)
    const index = await createPodIndex(parts, namespace, {
      onChange(pod) {
        sockets.notice(pod)
        logs.notice(pod)
        state.notePod(pod, clock.now())
      },
      onGone(pod) {
        sockets.forget(pod)
        logs.forget(pod)
        state.forgetPod(pod)
      },
    })
    pods = index
    ends.push(index.close)
    ends.push(await collectEvents(parts, { namespace, pods: index }, (events) => store.events(events)))
    await watchStates()
    ends.push(every(clock, USAGE_MS, () => measure(index)))
    ends.push(every(clock, RULES_MS, () => looking && alerts.look(state.view(clock.now()))))
    if (volumes !== undefined) {
      const measuring = measureVolumes({
        pods: index,
        volumes,
        namespace,
        clock,
        onError,
        onVolumes(found) {
          state.noteVolumes(found)
          for (const one of found) store.metrics(volumeSamples(one, clock.now()))
        },
      })
      ends.push(measuring.close)
    }
    if (connect !== undefined) {
      const scraping = scrapePods({ pods: index, connect, clock, onSamples: (one) => store.metrics(one) })
      ends.push(scraping.close)
    }
    return {
      beginAlerts() {
        looking = true
        state.begin(clock.now())
      },
      renewAlerts() {
        state.forgetOutcomes()
        alerts.clear(clock.now())
      },
      pauseAlerts() {
        looking = false
        alerts.clear(clock.now())
      },
      activeAlerts: alerts.active,
      recordRequests: (requests) => store.requests(requests),
      recordJourneys(walks) {
        store.journeys(walks)
        state.noteJourneys(walks)
      },
      refusedSpans: sockets.refused,
      droppedLines: logs.dropped,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
