/** The HorizontalPodAutoscaler controller: every 15 seconds, as many replicas as the metrics call for. */
import type { HorizontalPodAutoscaler, MetricStatus } from 'kubernetes-types/autoscaling/v2.d.ts'
import { horizontalPodAutoscalers, pods } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import {
  type Controller,
  type ControllerContext,
  defineController,
  keyOf,
  splitKey,
  watching,
} from './define-controller.ts'
import { askMetric, MetricFailure } from './horizontal-pod-autoscaler/compute-metrics.ts'
import { createDraftStatus, type DraftStatus } from './horizontal-pod-autoscaler/draft-status.ts'
import { findTarget, rivalsOf } from './horizontal-pod-autoscaler/find-target.ts'
import { createHistory, type History, rememberScaling } from './horizontal-pod-autoscaler/history.ts'
import { holdBack } from './horizontal-pod-autoscaler/hold-back.ts'
import type { MetricsSource } from './horizontal-pod-autoscaler/pod-metrics.ts'
import { messageOf } from './message-of.ts'
import { type Scale, writeScale } from './scaling/scale-of.ts'

export type { MetricsSource, PodUsage } from './horizontal-pod-autoscaler/pod-metrics.ts'

type Autoscaler = Stored<HorizontalPodAutoscaler>

const SYNC_MS = 15_000

/** One look at one autoscaler. */
interface Look {
  context: ControllerContext
  autoscaler: Autoscaler
  scale: Scale
  draft: DraftStatus
  source: MetricsSource | undefined
}

interface Wanted {
  replicas: number
  /** Why, where it differs from what there is. */
  reason: string
  statuses: MetricStatus[] | undefined
}

/** The metrics give no number: this was told, and now the controller waits for better times. */
class NoNumber extends Error {
  readonly statuses: MetricStatus[] | undefined

  constructor(message: string, statuses?: MetricStatus[]) {
    super(message)
    this.statuses = statuses
  }
}

const checkSelector = ({ context, autoscaler, scale, draft }: Look): void => {
  const { client, events } = context
  const refuse = (reason: string, condition: string, message: string, told = message): never => {
    events.record(autoscaler, 'Warning', reason, message)
    draft.set('ScalingActive', false, condition, told)
    throw new NoNumber(message)
  }
  if (scale.selector === '') {
    const told = "the HPA target's scale is missing a selector"
    refuse('SelectorRequired', 'InvalidSelector', 'selector is required', told)
  }
  const { namespace } = autoscaler.metadata
  const selected = client.list(pods, namespace).filter(({ metadata }) => scale.matches(metadata.labels))
  const sharesPods = (other: Scale): boolean =>
    selected.some(({ metadata }) => other.matches(metadata.labels))
  const all = client.list(horizontalPodAutoscalers, namespace)
  const rivals = all.length < 2 ? [] : rivalsOf(client, autoscaler, sharesPods, all)
  if (rivals.length < 2) return
  const message = `pods by selector ${scale.selector} are controlled by multiple HPAs: [${rivals.join(' ')}]`
  refuse('AmbiguousSelector', 'AmbiguousSelector', message)
}

/** The largest number that a metric calls for. Metrics without an answer may not make the target smaller. */
const askMetrics = (look: Look): { replicas: number; metric: string; statuses: MetricStatus[] } => {
  const { context, autoscaler, scale, draft, source } = look
  checkSelector(look)
  const { namespace = '' } = autoscaler.metadata
  const selected = context.client.list(pods, namespace).filter((pod) => scale.matches(pod.metadata.labels))
  const question = { source, namespace, pods: selected, replicas: scale.replicas, now: context.clock.now() }
  const specs = autoscaler.spec.metrics ?? []
  const failures: MetricFailure[] = []
  let [replicas, metric] = [0, '']
  const statuses = specs.map((spec): MetricStatus => {
    try {
      const answer = askMetric(spec, question, autoscaler.spec.scaleTargetRef)
      if (replicas === 0 || answer.replicas > replicas) [replicas, metric] = [answer.replicas, answer.name]
      return answer.status
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
    throw new NoNumber(
      `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.message}`,
      statuses,
    )
  }
  const found = `the HPA was able to successfully calculate a replica count from ${metric}`
  draft.set('ScalingActive', true, 'ValidMetricFound', found)
  return { replicas, metric, statuses }
}

const followMetrics = (look: Look, history: History): Wanted => {
  const { context, autoscaler, scale, draft } = look
  const { replicas: desired, metric, statuses } = askMetrics(look)
  const current = scale.replicas
  const advice = { spec: autoscaler.spec, history, current, desired, now: context.clock.now() }
  const { stabilized, limited } = holdBack(advice)
  draft.set('AbleToScale', true, stabilized.reason, stabilized.message)
  draft.set('ScalingLimited', limited.replicas !== stabilized.replicas, limited.reason, limited.message)
  const reason = desired > current ? `${metric} above target` : 'All metrics below target'
  return { replicas: limited.replicas, reason, statuses }
}

/** Undefined when the target has been switched off by hand. */
const decide = (look: Look, history: History): Wanted | undefined => {
  const { autoscaler, scale, draft } = look
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
  return followMetrics(look, history)
}

/** Writes the number to the target; tells whether that went well. */
const rescale = ({ context, autoscaler, scale, draft }: Look, { replicas, reason }: Wanted): boolean => {
  const { client, events } = context
  try {
    writeScale(client, scale, replicas)
  } catch (error) {
    const message = messageOf(error)
    const told = `New size: ${replicas}; reason: ${reason}; error: ${message}`
    events.record(autoscaler, 'Warning', 'FailedRescale', told)
    const condition = `the HPA controller was unable to update the target scale: ${message}`
    draft.set('AbleToScale', false, 'FailedUpdateScale', condition)
    return false
  }
  const message = `the HPA controller was able to update the target scale to ${replicas}`
  draft.set('AbleToScale', true, 'SucceededRescale', message)
  events.record(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`)
  return true
}

const attend = (look: Look, history: History): HorizontalPodAutoscaler['status'] => {
  const { context, autoscaler, scale, draft } = look
  const current = scale.replicas
  let wanted: Wanted | undefined
  try {
    wanted = decide(look, history)
  } catch (error) {
    if (!(error instanceof NoNumber)) throw error
    context.events.record(autoscaler, 'Warning', 'FailedComputeMetricsReplicas', error.message)
    return draft.finish(current, autoscaler.status.desiredReplicas ?? 0, error.statuses, false)
  }
  if (wanted === undefined) return draft.finish(current, 0, undefined, false)
  if (wanted.replicas === current) return draft.finish(current, current, wanted.statuses, false)
  if (!rescale(look, wanted))
    return draft.finish(current, autoscaler.status.desiredReplicas ?? 0, wanted.statuses, false)
  rememberScaling(history, current, wanted.replicas, context.clock.now())
  return draft.finish(current, wanted.replicas, wanted.statuses, true)
}

/** `source` gives the usage of pods; without one, the autoscaler says that there is no metrics API. */
export const createHorizontalPodAutoscaler = (source?: MetricsSource): Controller => {
  const histories = new Map<string, History>()

  const look = (context: ControllerContext, autoscaler: Autoscaler): HorizontalPodAutoscaler['status'] => {
    const { client, clock, events } = context
    const draft = createDraftStatus(autoscaler, clock.now())
    let scale: Scale
    try {
      scale = findTarget(client, autoscaler)
    } catch (error) {
      events.record(autoscaler, 'Warning', 'FailedGetScale', messageOf(error))
      const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`
      draft.set('AbleToScale', false, 'FailedGetScale', message)
      return draft.unfinished()
    }
    const message = "the HPA controller was able to get the target's current scale"
    draft.set('AbleToScale', true, 'SucceededGetScale', message)
    const history = histories.get(keyOf(autoscaler)) ?? createHistory(scale.replicas, clock.now())
    histories.set(keyOf(autoscaler), history)
    return attend({ context, autoscaler, scale, draft, source }, history)
  }

  return defineController({
    name: 'horizontal-pod-autoscaler',
    user: 'system:serviceaccount:kube-system:horizontal-pod-autoscaler',
    component: 'horizontal-pod-autoscaler',
    watches: [
      watching(horizontalPodAutoscalers, ({ type, object }, { requeue }) => {
        if (type === 'DELETED') return [keyOf(object)]
        // A new one is first looked at when a period has passed, like any other.
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
      const status = look(context, autoscaler)
      context.client.updateStatus(horizontalPodAutoscalers, {
        ...autoscaler,
        ...(status === undefined ? {} : { status }),
      })
    },
  })
}
