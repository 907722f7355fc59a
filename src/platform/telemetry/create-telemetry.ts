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
import { createAlertEvaluator } from './alerts/alert-evaluator.ts'
import type { AlertRule } from './alerts/alert-rule.ts'
import { type AlertState, createAlertState } from './alerts/alert-state.ts'
import { DEFAULT_RULES } from './alerts/default-rules.ts'
import { collectEvents } from './collect/collect-events.ts'
import { createContainerSamples } from './collect/container-samples.ts'
import { createLogCollector, type FollowLogs } from './collect/log-collector.ts'
import { measureVolumes, volumeSamples } from './collect/measure-volumes.ts'
import { createPodIndex, type PodIndex } from './collect/pod-index.ts'
import { podSamples } from './collect/pod-samples.ts'
import { type ConnectToPod, scrapePods } from './collect/scrape-pods.ts'
import { createSpanSockets } from './collect/span-sockets.ts'
import { watchWithRetry } from './collect/watch-with-retry.ts'

const USAGE_PERIOD_MS = 2000
const EVALUATION_PERIOD_MS = 1000
const WORKLOADS = ['deployments', 'statefulsets']

export interface TelemetryOptions {
  /** Receives all signals. */
  store: TelemetrySink
  api: Pick<KubeApi, 'watch'>
  clock: Clock
  /** The namespace of the system. */
  namespace: string
  /** Contains one folder per pod with its span socket; see `makePodSocketFolder`. */
  socketFolder: string
  followLogs: FollowLogs
  /** Resource usage of containers; not collected if omitted. */
  statistics?: ContainerStatistics
  /** Usage of volumes; not collected if omitted. */
  volumes?: VolumeStatistics
  /** Connects to pods to scrape their metrics, which are not collected if omitted. */
  connect?: ConnectToPod
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
const createUsageCollector = (
  { store, clock, statistics }: TelemetryOptions,
  state: AlertState,
): ((index: PodIndex) => void) => {
  const samples = createContainerSamples()
  return (index) => {
    const now = clock.now()
    const pods = [...index.all()]
    samples.keepOnly(new Set(pods.map(({ uid }) => uid)))
    for (const pod of pods) {
      store.metrics(podSamples(pod, now))
      const reading = statistics?.read(pod.uid)
      if (reading === undefined) continue
      state.noteReading(pod, reading, now)
      store.metrics(samples.samplesOf(pod, reading, now))
    }
  }
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

/** Starts the optional collectors; returns functions that stop them. */
const startOptionalCollectors = (
  options: TelemetryOptions,
  index: PodIndex,
  state: AlertState,
): (() => void)[] => {
  const { store, clock, namespace, volumes, connect, onError } = options
  const cleanups: (() => void)[] = []
  if (volumes !== undefined) {
    const measuring = measureVolumes({
      pods: index,
      volumes,
      namespace,
      clock,
      onError,
      onVolumes(podVolumes) {
        state.noteVolumes(podVolumes)
        for (const volume of podVolumes) store.metrics(volumeSamples(volume, clock.now()))
      },
    })
    cleanups.push(measuring.close)
  }
  if (connect !== undefined) {
    const scraping = scrapePods({
      pods: index,
      connect,
      clock,
      onSamples: (samples) => store.metrics(samples),
    })
    cleanups.push(scraping.close)
  }
  return cleanups
}

/** Evaluates the alert rules while it is not paused. */
const createAlerting = (
  { store, clock, rules = DEFAULT_RULES, onError }: TelemetryOptions,
  state: AlertState,
) => {
  const evaluator = createAlertEvaluator(rules, { onAlert: (alert) => store.alert(alert), onError })
  let isRunning = false
  return {
    evaluate: () => isRunning && evaluator.evaluate(state.view(clock.now())),
    clear: () => evaluator.clear(clock.now()),
    active: evaluator.active,
    start() {
      isRunning = true
      state.restart(clock.now())
    },
    renew() {
      state.resetOutcomes()
      evaluator.clear(clock.now())
    },
    pause() {
      isRunning = false
      evaluator.clear(clock.now())
    },
  }
}

/** Resolves once all existing objects are known. */
export const createTelemetry = async (options: TelemetryOptions): Promise<Telemetry> => {
  const { store, clock, namespace, onError } = options
  const cleanups: (() => unknown)[] = []
  // The watch reports pods before the index exists.
  let pods: PodIndex | undefined
  const state = createAlertState({ all: () => pods?.all() ?? [].values() }, clock.now())
  const logs = createLogCollector(options.followLogs, (lines) => store.logs(lines))
  const alerting = createAlerting(options, state)
  const collectUsage = createUsageCollector(options, state)
  const sockets = createSpanSockets({
    folder: options.socketFolder,
    clock,
    onError,
    onSpans(spans) {
      store.spans(spans)
      state.noteSpans(spans, clock.now())
    },
  })
  cleanups.push(sockets.close)

  const close = async (): Promise<void> => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
    logs.close()
    alerting.clear()
  }

  try {
    const index = await createPodIndex(options, namespace, {
      onChange(pod) {
        sockets.update(pod)
        logs.update(pod)
        state.notePod(pod, clock.now())
      },
      onRemoved(pod) {
        sockets.remove(pod)
        logs.remove(pod)
        state.removePod(pod)
      },
    })
    pods = index
    cleanups.push(index.close)
    cleanups.push(await collectEvents(options, { namespace, pods: index }, (events) => store.events(events)))
    await watchStates(options, state, cleanups)
    cleanups.push(every(clock, USAGE_PERIOD_MS, () => collectUsage(index)))
    cleanups.push(every(clock, EVALUATION_PERIOD_MS, alerting.evaluate))
    cleanups.push(...startOptionalCollectors(options, index, state))
  } catch (error) {
    await close()
    throw error
  }
  return {
    startAlerts: alerting.start,
    renewAlerts: alerting.renew,
    pauseAlerts: alerting.pause,
    activeAlerts: alerting.active,
    recordRequests: (requests) => store.requests(requests),
    recordJourneys(runs) {
      store.journeys(runs)
      state.noteJourneys(runs)
    },
    rejectedSpans: sockets.rejected,
    droppedLines: logs.dropped,
    close,
  }
}
