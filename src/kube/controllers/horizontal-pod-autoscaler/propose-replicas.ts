/** How many replicas a resource metric calls for, given what its pods use. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../../meta/index.ts'
import {
  groupPods,
  type Measured,
  type Metrics,
  type MetricsSource,
  readMetrics,
  requestsOf,
} from './pod-metrics.ts'

/** Deviations from the target up to this share are let be. */
const TOLERANCE = 0.1

export interface Question {
  source: MetricsSource | undefined
  namespace: string
  pods: readonly Stored<Pod>[]
  replicas: number
  measured: Measured
  now: number
}

export interface Proposal {
  replicas: number
  /** Percent of what is requested; absent where the target is an amount. */
  utilization?: number
  /** What a pod uses on average, in thousandths. */
  average: number
}

interface Reading {
  ratio: number
  utilization?: number
  average: number
}

interface Target {
  read(metrics: Metrics): Reading
  /** What a pod without figures is taken to use when there seems to be too little load. */
  assumed(pod: string): number
}

const total = (metrics: Metrics): number => [...metrics.values()].reduce((sum, { value }) => sum + value, 0)
const isClose = (ratio: number): boolean => Math.abs(1 - ratio) <= TOLERANCE

/** Percent of requests. */
const utilizationTarget = (requests: ReadonlyMap<string, number>, percent: number): Target => ({
  read(metrics) {
    const known = new Map([...metrics].filter(([pod]) => requests.has(pod)))
    const requested = [...known.keys()].reduce((sum, pod) => sum + (requests.get(pod) ?? 0), 0)
    if (requested === 0) throw new Error('no metrics returned matched known pods')
    const utilization = Math.trunc((total(known) * 100) / requested)
    return { ratio: utilization / percent, utilization, average: Math.trunc(total(known) / known.size) }
  },
  assumed: (pod) => ((requests.get(pod) ?? 0) * Math.max(100, percent)) / 100,
})

/** An amount for each pod, in thousandths. */
const averageTarget = (amount: number): Target => ({
  read(metrics) {
    const average = Math.trunc(total(metrics) / metrics.size)
    return { ratio: average / amount, average }
  },
  assumed: () => amount,
})

/** Pods of which nothing is known are taken to weigh against the change that the others call for. */
const propose = (question: Question, target: (metrics: Metrics) => Target, metrics: Metrics): Proposal => {
  const { pods, replicas: current, measured, now } = question
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, measured.resource, now)
  for (const pod of [...ignored, ...unready]) metrics.delete(pod)
  if (metrics.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)')
  const { read, assumed } = target(metrics)
  const { ratio, ...rest } = read(metrics)
  const growsWithUnready = unready.length > 0 && ratio > 1
  if (!growsWithUnready && missing.length === 0)
    return { replicas: isClose(ratio) ? current : Math.ceil(ratio * ready), ...rest }

  const assume = (pod: string, value: number): unknown => metrics.set(pod, { value, windowMs: 0 })
  for (const pod of missing) if (ratio !== 1) assume(pod, ratio < 1 ? assumed(pod) : 0)
  if (growsWithUnready) for (const pod of unready) assume(pod, 0)
  const { ratio: cautious } = read(metrics)
  if (isClose(cautious) || (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1))
    return { replicas: current, ...rest }
  const proposed = Math.ceil(cautious * metrics.size)
  const isBackwards = (cautious < 1 && proposed > current) || (cautious > 1 && proposed < current)
  return { replicas: isBackwards ? current : proposed, ...rest }
}

const measure = ({ source, namespace, pods, measured }: Question): Metrics => {
  const names = new Set(pods.map(({ metadata }) => metadata.name))
  try {
    return readMetrics(source, namespace, names, measured)
  } catch (error) {
    throw new Error(`unable to get metrics for resource ${measured.resource}: ${(error as Error).message}`)
  }
}

const askPods = (question: Question): Metrics => {
  const metrics = measure(question)
  if (question.pods.length === 0)
    throw new Error('no pods returned by selector while calculating replica count')
  return metrics
}

/** Towards `percent` of what the pods request. */
export const proposeForUtilization = (question: Question, percent: number): Proposal =>
  propose(
    question,
    () => utilizationTarget(requestsOf(question.pods, question.measured), percent),
    askPods(question),
  )

/** Towards `amount` (in thousandths) for each pod. */
export const proposeForAverage = (question: Question, amount: number): Proposal =>
  propose(question, () => averageTarget(amount), askPods(question))
