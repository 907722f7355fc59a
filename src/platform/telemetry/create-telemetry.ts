/** Collects the telemetry of a running system: connects collectors, alert rules and the store. */
import type { Clock, Timer } from '#kit'
import type {
  Alert,
  ContainerStatistics,
  JourneyRecord,
  KubeApi,
  RequestRecord,
  TelemetrySink,
  VolumeStatistics,
} from '#spec'
import type { AlertRule } from './alerts/alert-rule.ts'
import { type AlertState, createAlertState } from './alerts/alert-state.ts'
import { type AlertingSnapshot, createAlerting } from './alerts/alerting.ts'
import { DEFAULT_RULES } from './alerts/default-rules.ts'
import { collectEvents } from './collect/collect-events.ts'
import type { CollectedSink } from './collect/collected-sink.ts'
import { createLogCollector, type FollowLogs } from './collect/log-collector.ts'
import { measureVolumes, volumeSamples } from './collect/measure-volumes.ts'
import { createPodIndex, type PodIndex, type PodState } from './collect/pod-index.ts'
import type { ReadMetrics } from './collect/read-metrics.ts'
import { type Scraping, scrapePods } from './collect/scrape-pods.ts'
import type { OpenSpanSource } from './collect/span-source.ts'
import { toCollectedSink } from './collect/to-collected-sink.ts'
import { watchWithRetry } from './collect/watch-with-retry.ts'

const USAGE_PERIOD_MS = 2000
const EVALUATION_PERIOD_MS = 1000
const WORKLOADS = ['deployments', 'statefulsets']

export interface TelemetryOptions {
  /** Receives all signals. A `CollectedSink` receives samples and log lines as they are collected. */
  store: TelemetrySink
  api: Pick<KubeApi, 'watch'>
  clock: Clock
  /** The namespace of the system. */
  namespace: string
  openSpans: OpenSpanSource
  followLogs: FollowLogs
  /** Resource usage of containers; not collected if omitted. */
  statistics?: ContainerStatistics
  /** Usage of volumes; not collected if omitted. */
  volumes?: VolumeStatistics
  /** Metrics of pods; not collected if omitted. */
  readMetrics?: ReadMetrics
  rules?: readonly AlertRule[]
  onError(error: Error): void
}

export interface Telemetry {
  /** Starts the evaluation of alert rules; ignores earlier signals. */
  startAlerts(): void
  /** Clears active alerts and earlier outcomes, and fixes the baselines, because the system is healthy now. */
  renewAlerts(): void
  /** Stops the evaluation and clears active alerts, for example during a reset. */
  pauseAlerts(): void
  activeAlerts(): readonly Alert[]
  recordRequests(requests: readonly RequestRecord[]): void
  recordJourneys(runs: readonly JourneyRecord[]): void
  /** The state of the alerts, independent of later changes; can be restored any number of times. */
  snapshotAlerts(): AlertingSnapshot
  restoreAlerts(snapshot: AlertingSnapshot): void
  /** Number of invalid lines and spans from pods. */
  rejectedSpans(): number
  /** Number of log lines dropped above the rate limits of containers. */
  droppedLines(): number
  close(): Promise<void>
}

/** Runs `task` periodically; returns a function that stops it. */
const every = (clock: Clock, milliseconds: number, task: () => void): (() => void) => {
  let timer: Timer
  const run = (): void => {
    timer = clock.after(milliseconds, run)
    task()
  }
  timer = clock.after(milliseconds, run)
  return () => timer.cancel()
}

/** Returns a function that records the states and the resource usage of pods. */
const createUsageCollector =
  ({ clock, statistics }: TelemetryOptions, sink: CollectedSink, state: AlertState) =>
  (pods: readonly PodState[]): void => {
    const now = clock.now()
    const readings = pods.map((pod) => statistics?.read(pod.uid))
    for (const [index, pod] of pods.entries()) {
      const reading = readings[index]
      if (reading !== undefined) state.noteReading(pod, reading, now)
    }
    sink.samples({ type: 'usage', time: now, pods, readings })
  }

/** Adds the functions that stop the watches to `cleanups`. */
const watchStates = async (
  options: TelemetryOptions,
  state: AlertState,
  cleanups: (() => unknown)[],
): Promise<void> => {
  const { clock, namespace } = options
  for (const plural of WORKLOADS)
    cleanups.push(
      await watchWithRetry(options, { apiVersion: 'apps/v1', plural, namespace }, ({ type, object }) =>
        state.noteWorkload(object, type === 'DELETED', clock.now()),
      ),
    )
  cleanups.push(
    await watchWithRetry(options, { apiVersion: 'v1', plural: 'nodes' }, ({ type, object }) =>
      state.noteNode(object, type === 'DELETED'),
    ),
  )
}

/** Returns a function that stops the measurements. */
const startVolumes = (
  { volumes, namespace, clock, onError }: TelemetryOptions,
  { index, sink, state }: { index: PodIndex; sink: CollectedSink; state: AlertState },
): (() => void) => {
  if (volumes === undefined) return () => {}
  const measuring = measureVolumes({
    pods: index,
    volumes,
    namespace,
    clock,
    onError,
    onVolumes(podVolumes) {
      state.noteVolumes(podVolumes)
      for (const volume of podVolumes) sink.metrics(volumeSamples(volume, clock.now()))
    },
  })
  return measuring.close
}

/** Collectors that follow single pods. */
type PodCollector = Pick<Scraping, 'update' | 'remove'>

const startPodCollectors = (
  { clock, followLogs, openSpans, readMetrics, onError }: TelemetryOptions,
  sink: CollectedSink,
  state: AlertState,
) => {
  const logs = createLogCollector(followLogs, sink.lines)
  const spans = openSpans({
    clock,
    onError,
    onSpans(batch) {
      sink.spans(batch)
      state.noteSpans(batch, clock.now())
    },
  })
  const scraping =
    readMetrics === undefined ? undefined : scrapePods({ readMetrics, clock, onScrape: sink.samples })
  const collectors: PodCollector[] = [spans, logs, ...(scraping === undefined ? [] : [scraping])]
  return {
    collectors,
    rejectedSpans: spans.rejected,
    droppedLines: logs.dropped,
    async close() {
      scraping?.close()
      await spans.close()
      logs.close()
    },
  }
}

/** Resolves once all existing objects are known. */
export const createTelemetry = async (options: TelemetryOptions): Promise<Telemetry> => {
  const { store, clock, namespace, rules = DEFAULT_RULES, onError } = options
  const sink = toCollectedSink(store)
  const cleanups: (() => unknown)[] = []
  // The watch reports pods before the index exists.
  let pods: PodIndex | undefined
  const state = createAlertState({ all: () => pods?.all() ?? [] }, clock.now())
  const alerting = createAlerting({ state, rules, clock, onAlert: (alert) => sink.alert(alert), onError })
  const collectUsage = createUsageCollector(options, sink, state)
  const { collectors, rejectedSpans, droppedLines, ...ofPods } = startPodCollectors(options, sink, state)
  const close = async (): Promise<void> => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
    await ofPods.close()
    alerting.clear()
  }
  try {
    const index = await createPodIndex(options, namespace, {
      onChange(pod) {
        for (const collector of collectors) collector.update(pod)
        state.notePod(pod, clock.now())
      },
      onRemoved(pod) {
        for (const collector of collectors) collector.remove(pod)
        state.removePod(pod)
      },
    })
    pods = index
    cleanups.push(index.close)
    cleanups.push(await collectEvents(options, { namespace, pods: index }, (events) => sink.events(events)))
    await watchStates(options, state, cleanups)
    cleanups.push(every(clock, USAGE_PERIOD_MS, () => collectUsage(index.all())))
    cleanups.push(every(clock, EVALUATION_PERIOD_MS, alerting.evaluate))
    cleanups.push(startVolumes(options, { index, sink, state }))
  } catch (error) {
    await close()
    throw error
  }

  return {
    startAlerts: alerting.start,
    renewAlerts: alerting.renew,
    pauseAlerts: alerting.pause,
    activeAlerts: alerting.active,
    snapshotAlerts: alerting.snapshot,
    restoreAlerts: alerting.restore,
    recordRequests: (requests) => sink.requests(requests),
    recordJourneys(runs) {
      sink.journeys(runs)
      state.noteJourneys(runs)
    },
    rejectedSpans,
    droppedLines,
    close,
  }
}
