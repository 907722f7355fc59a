/** Scrapes the metrics of annotated pods every few seconds. */
import type { Clock, Timer } from '#kit'
import type { ScrapeBatch } from './collected-sink.ts'
import type { PodState } from './pod-index.ts'
import type { MetricsEndpoint, MetricsText, ReadMetrics } from './read-metrics.ts'

const PERIOD_MS = 5000
/** A program needs some time until it listens. */
const FIRST_SCRAPE_MS = 100
/** Spreads the scrapes of pods that start together over the period. */
const SPREAD_MS = 397

export interface ScrapeOptions {
  readonly readMetrics: ReadMetrics
  readonly clock: Clock
  onScrape(batch: ScrapeBatch): void
}

export interface Scraping {
  /** Scrapes a new pod, or stores the new state of a known one. */
  update(pod: PodState): void
  remove(pod: PodState): void
  close(): void
}

interface Target {
  pod: PodState
  endpoint: MetricsEndpoint
  due: number
  hasReported: boolean
  timer?: Timer
}

const endpointOf = ({ annotations, phase, deleting }: PodState): MetricsEndpoint | undefined => {
  const port = Number(annotations['prometheus.io/port'])
  const isEnabled = annotations['prometheus.io/scrape'] === 'true' && phase === 'Running' && !deleting
  if (!isEnabled || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const path = annotations['prometheus.io/path'] ?? '/metrics'
  return { port, path: /^\/[\x21-\x7e]*$/.test(path) ? path : '/metrics' }
}

export const scrapePods = ({ readMetrics, clock, onScrape }: ScrapeOptions): Scraping => {
  /** By uid of the pod. */
  const targets = new Map<string, Target>()

  /** Ignores the answer of a pod that is no longer scraped. */
  const report = (target: Target, answer: { readonly text?: MetricsText }): void => {
    const { pod, hasReported } = target
    if (targets.get(pod.uid) !== target) return
    onScrape({ type: 'scrape', time: clock.now(), pod, isFirst: !hasReported, ...answer })
    if (answer.text !== undefined) target.hasReported = true
    schedule(target)
  }

  const scrape = (target: Target): void => {
    target.due = Math.max(target.due + PERIOD_MS, clock.now())
    const onText = (text: MetricsText): void => report(target, { text })
    const onFailure = (): void => report(target, {})
    let answer: MetricsText | Promise<MetricsText>
    try {
      answer = readMetrics(target.pod, target.endpoint)
    } catch {
      onFailure()
      return
    }
    if (answer instanceof Promise) answer.then(onText, onFailure)
    else onText(answer)
  }

  const schedule = (target: Target): void => {
    target.timer = clock.after(target.due - clock.now(), () => scrape(target))
  }

  const remove = ({ uid }: PodState): void => {
    targets.get(uid)?.timer?.cancel()
    targets.delete(uid)
  }

  return {
    update(pod) {
      const endpoint = endpointOf(pod)
      const known = targets.get(pod.uid)
      if (endpoint === undefined) remove(pod)
      else if (known !== undefined) Object.assign(known, { pod, endpoint })
      else {
        const due = clock.now() + FIRST_SCRAPE_MS + ((targets.size * SPREAD_MS) % PERIOD_MS)
        const target: Target = { pod, endpoint, due, hasReported: false }
        targets.set(pod.uid, target)
        schedule(target)
      }
    },
    remove,
    close() {
      for (const { timer } of targets.values()) timer?.cancel()
      targets.clear()
    },
  }
}
