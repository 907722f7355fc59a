/** The HorizontalPodAutoscaler controller: adjusts replicas to the metrics every 5 seconds. */
import type { HorizontalPodAutoscaler, MetricStatus } from 'kubernetes-types/autoscaling/v2.d.ts'
import { defined } from '#kit'
import { horizontalPodAutoscalers, pods } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import {
  type Controller,
  type ControllerContext,
  defineController,
  keyOf,
  splitKey,
  watching,
} from '../define-controller.ts'
import { messageOf } from '../message-of.ts'
import { createDraftStatus, type DraftStatus } from './horizontal-pod-autoscaler/draft-status.ts'
import { evaluateMetric, MetricFailure } from './horizontal-pod-autoscaler/evaluate-metric.ts'
import { findTarget, listOverlapping } from './horizontal-pod-autoscaler/find-target.ts'
import { createHistory, type History, recordScaling } from './horizontal-pod-autoscaler/history.ts'
import { limitScaling } from './horizontal-pod-autoscaler/limit-scaling.ts'
import type { MetricsSource } from './horizontal-pod-autoscaler/pod-metrics.ts'
import { type Scale, writeScale } from './scale-of.ts'

export type { MetricsSource, PodUsage } from './horizontal-pod-autoscaler/pod-metrics.ts'

type Autoscaler = Stored<HorizontalPodAutoscaler>

/** As with `--horizontal-pod-autoscaler-sync-period=5s`; the default of 15 s would dominate the length of episodes. */
const SYNC_MS = 5_000

/** One evaluation of an autoscaler. */
interface Evaluation {
  context: ControllerContext
  autoscaler: Autoscaler
  scale: Scale
  draft: DraftStatus
  source: MetricsSource | undefined
}

interface DesiredScale {
  replicas: number
  /** The reason for a change. */
  reason: string
  statuses: MetricStatus[] | undefined
}

/** No replica count can be computed from the metrics. The condition is already set. */
class ReplicaCountError extends Error {
  readonly statuses: MetricStatus[] | undefined

  constructor(message: string, statuses?: MetricStatus[]) {
    super(message)
    this.statuses = statuses
  }
}

const checkSelector = ({ context, autoscaler, scale, draft }: Evaluation): void => {
  const { client, events } = context
  const fail = (eventReason: string, reason: string, message: string, conditionMessage = message): never => {
    events.record(autoscaler, 'Warning', eventReason, message)
    draft.set('ScalingActive', false, reason, conditionMessage)
    throw new ReplicaCountError(message)
  }
  if (scale.selector === '') {
    const text = "the HPA target's scale is missing a selector"
    fail('SelectorRequired', 'InvalidSelector', 'selector is required', text)
  }
  const { namespace } = autoscaler.metadata
  const selected = client.list(pods, namespace).filter(({ metadata }) => scale.matches(metadata.labels))
  const sharesPods = (otherScale: Scale): boolean =>
    selected.some(({ metadata }) => otherScale.matches(metadata.labels))
  const all = client.list(horizontalPodAutoscalers, namespace)
  const overlapping = all.length < 2 ? [] : listOverlapping(client, autoscaler, sharesPods, all)
  if (overlapping.length < 2) return
  const message = `pods by selector ${scale.selector} are controlled by multiple HPAs: [${overlapping.join(' ')}]`
  fail('AmbiguousSelector', 'AmbiguousSelector', message)
}

/** Returns the largest replica count of all metrics. The target must not shrink while a metric fails. */
const evaluateMetrics = (
  evaluation: Evaluation,
): { replicas: number; metric: string; statuses: MetricStatus[] } => {
  const { context, autoscaler, scale, draft, source } = evaluation
  checkSelector(evaluation)
  const { namespace = '' } = autoscaler.metadata
  const selected = context.client.list(pods, namespace).filter((pod) => scale.matches(pod.metadata.labels))
  const query = { source, namespace, pods: selected, replicas: scale.replicas, now: context.clock.now() }
  const specs = autoscaler.spec.metrics ?? []
  const failures: MetricFailure[] = []
  let [replicas, metric] = [0, '']
  const statuses = specs.map((spec): MetricStatus => {
    try {
      const result = evaluateMetric(spec, query, autoscaler.spec.scaleTargetRef)
      if (replicas === 0 || result.replicas > replicas) [replicas, metric] = [result.replicas, result.name]
      return result.status
    } catch (error) {
      if (!(error instanceof MetricFailure)) throw error
      context.events.record(autoscaler, 'Warning', error.reason, error.detail)
      failures.push(error)
      return { type: '' }
    }
  })
  const [first] = failures
  if (first !== undefined && (failures.length === specs.length || replicas < scale.replicas)) {
    const message = `the HPA was unable to compute the replica count: ${first.detail}`
    draft.set('ScalingActive', false, first.reason, message)
    throw new ReplicaCountError(
      `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.message}`,
      statuses,
    )
  }
  const found = `the HPA was able to successfully calculate a replica count from ${metric}`
  draft.set('ScalingActive', true, 'ValidMetricFound', found)
  return { replicas, metric, statuses }
}

const decideByMetrics = (evaluation: Evaluation, history: History): DesiredScale => {
  const { context, autoscaler, scale, draft } = evaluation
  const { replicas: desired, metric, statuses } = evaluateMetrics(evaluation)
  const current = scale.replicas
  const recommendation = { spec: autoscaler.spec, history, current, desired, now: context.clock.now() }
  const { stabilized, limited } = limitScaling(recommendation)
  draft.set('AbleToScale', true, stabilized.reason, stabilized.message)
  draft.set('ScalingLimited', limited.replicas !== stabilized.replicas, limited.reason, limited.message)
  const reason = desired > current ? `${metric} above target` : 'All metrics below target'
  return { replicas: limited.replicas, reason, statuses }
}

/** Returns undefined if the user has scaled the target to zero. */
const decide = (evaluation: Evaluation, history: History): DesiredScale | undefined => {
  const { autoscaler, scale, draft } = evaluation
  const { minReplicas = 1, maxReplicas } = autoscaler.spec
  if (scale.replicas === 0 && minReplicas !== 0) {
    const message = 'scaling is disabled since the replica count of the target is zero'
    draft.set('ScalingActive', false, 'ScalingDisabled', message)
    return undefined
  }
  if (scale.replicas > maxReplicas) {
    const reason = 'Current number of replicas above Spec.MaxReplicas'
    return { replicas: maxReplicas, reason, statuses: undefined }
  }
  if (scale.replicas < minReplicas) {
    const reason = 'Current number of replicas below Spec.MinReplicas'
    return { replicas: minReplicas, reason, statuses: undefined }
  }
  return decideByMetrics(evaluation, history)
}

/** Writes the replica count to the target; returns whether it succeeded. */
const rescale = (
  { context, autoscaler, scale, draft }: Evaluation,
  { replicas, reason }: DesiredScale,
): boolean => {
  const { client, events } = context
  try {
    writeScale(client, scale, replicas)
  } catch (error) {
    const message = messageOf(error)
    const text = `New size: ${replicas}; reason: ${reason}; error: ${message}`
    events.record(autoscaler, 'Warning', 'FailedRescale', text)
    const condition = `the HPA controller was unable to update the target scale: ${message}`
    draft.set('AbleToScale', false, 'FailedUpdateScale', condition)
    return false
  }
  const message = `the HPA controller was able to update the target scale to ${replicas}`
  draft.set('AbleToScale', true, 'SucceededRescale', message)
  events.record(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`)
  return true
}

const sync = (evaluation: Evaluation, history: History): HorizontalPodAutoscaler['status'] => {
  const { context, autoscaler, scale, draft } = evaluation
  const current = scale.replicas
  let desired: DesiredScale | undefined
  try {
    desired = decide(evaluation, history)
  } catch (error) {
    if (!(error instanceof ReplicaCountError)) throw error
    context.events.record(autoscaler, 'Warning', 'FailedComputeMetricsReplicas', error.message)
    return draft.finish(current, autoscaler.status.desiredReplicas ?? 0, error.statuses, false)
  }
  if (desired === undefined) return draft.finish(current, 0, undefined, false)
  if (desired.replicas === current) return draft.finish(current, current, desired.statuses, false)
  if (!rescale(evaluation, desired))
    return draft.finish(current, autoscaler.status.desiredReplicas ?? 0, desired.statuses, false)
  recordScaling(history, current, desired.replicas, context.clock.now())
  return draft.finish(current, desired.replicas, desired.statuses, true)
}

/** `source` returns the usage of pods. If omitted, autoscalers report that the metrics API is unavailable. */
export const createHorizontalPodAutoscaler = (source?: MetricsSource): Controller => {
  const histories = new Map<string, History>()

  const evaluate = (
    context: ControllerContext,
    autoscaler: Autoscaler,
  ): HorizontalPodAutoscaler['status'] => {
    const { client, clock, events } = context
    const draft = createDraftStatus(autoscaler, clock.now())
    let scale: Scale
    try {
      scale = findTarget(client, autoscaler)
    } catch (error) {
      events.record(autoscaler, 'Warning', 'FailedGetScale', messageOf(error))
      const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`
      draft.set('AbleToScale', false, 'FailedGetScale', message)
      return draft.withConditionsOnly()
    }
    const message = "the HPA controller was able to get the target's current scale"
    draft.set('AbleToScale', true, 'SucceededGetScale', message)
    const history = histories.get(keyOf(autoscaler)) ?? createHistory(scale.replicas, clock.now())
    histories.set(keyOf(autoscaler), history)
    return sync({ context, autoscaler, scale, draft, source }, history)
  }

  return defineController({
    name: 'horizontal-pod-autoscaler',
    user: 'system:serviceaccount:kube-system:horizontal-pod-autoscaler',
    component: 'horizontal-pod-autoscaler',
    watches: [
      watching(horizontalPodAutoscalers, ({ type, object }, { requeue }) => {
        if (type === 'DELETED') return [keyOf(object)]
        // A new autoscaler is first evaluated after one period.
        requeue(keyOf(object), SYNC_MS)
        return []
      }),
    ],
    reconcile(key, context) {
      const { namespace, name } = splitKey(key)
      const autoscaler = context.client.get(horizontalPodAutoscalers, namespace, name)
      if (autoscaler === undefined) {
        histories.delete(key)
        return
      }
      context.requeue(key, SYNC_MS)
      const status = evaluate(context, autoscaler)
      context.client.updateStatus(horizontalPodAutoscalers, {
        ...autoscaler,
        ...defined({ status }),
      })
    },
  })
}
