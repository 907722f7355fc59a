/** Converts HorizontalPodAutoscalers to and from autoscaling/v1, which has fields for a CPU target only. */
import { cloneJson, defined } from '#kit'
import type { KubeObject } from '#platform/kube/meta'
import type { ServedVersion } from '../define-kind.ts'
import {
  currentToV2Beta1,
  isCpuTarget,
  type Json,
  metricFromV2Beta1,
  metricToV2Beta1,
  utilizationTarget,
} from './autoscaler-v1-metrics.ts'

/** Annotations for values without a field in autoscaling/v1, in the format of autoscaling/v2beta1. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'
const CURRENT = 'autoscaling.alpha.kubernetes.io/current-metrics'
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions'
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior'

/** Renames all keys. The behavior annotation uses the names of Go struct fields, which are capitalised. */
const renameKeys = (value: unknown, rename: (key: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((element) => renameKeys(element, rename))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [rename(key), renameKeys(member, rename)]),
  )
}
const capitalise = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1)
const uncapitalise = (key: string): string => key.charAt(0).toLowerCase() + key.slice(1)

const statusToV1 = ({ currentMetrics, conditions: _, ...status }: Json): Json =>
  defined({
    observedGeneration: status.observedGeneration,
    lastScaleTime: status.lastScaleTime,
    currentReplicas: status.currentReplicas ?? 0,
    desiredReplicas: status.desiredReplicas ?? 0,
    currentCPUUtilizationPercentage: (currentMetrics ?? []).find(
      (metric: Json) => metric.type === 'Resource' && metric.resource?.name === 'cpu',
    )?.resource.current.averageUtilization,
  })

const annotationsFor = ({ spec, status }: Json): Record<string, string> => {
  const metrics = (spec.metrics ?? []).filter((metric: Json) => !isCpuTarget(metric))
  const current = status?.currentMetrics ?? []
  const conditions = status?.conditions ?? []
  return defined({
    [METRICS]: metrics.length > 0 ? JSON.stringify(metrics.map(metricToV2Beta1)) : undefined,
    [CURRENT]: current.length > 0 ? JSON.stringify(current.map(currentToV2Beta1)) : undefined,
    [CONDITIONS]: conditions.length > 0 ? JSON.stringify(conditions) : undefined,
    [BEHAVIOR]: spec.behavior && JSON.stringify(renameKeys(spec.behavior, capitalise)),
  })
}

const toServed = (stored: KubeObject): KubeObject => {
  const { scaleTargetRef, minReplicas, maxReplicas, metrics } = stored.spec ?? {}
  const annotations = { ...stored.metadata.annotations, ...annotationsFor(stored) }
  const target = (metrics ?? []).find(isCpuTarget)?.resource.target.averageUtilization
  return {
    ...stored,
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...stored.metadata,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
    spec: defined({ scaleTargetRef, minReplicas, maxReplicas, targetCPUUtilizationPercentage: target }),
    ...(stored.status === undefined ? {} : { status: statusToV1(stored.status) }),
  }
}

const parseOrUndefined = (text: string | undefined): any => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

const fromServed = (served: KubeObject): KubeObject => {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = (served.spec ?? {}) as Json
  const {
    [METRICS]: others,
    [CURRENT]: _,
    [CONDITIONS]: conditions,
    [BEHAVIOR]: behavior,
    ...annotations
  } = served.metadata?.annotations ?? {}
  const metrics = [
    ...(parseOrUndefined(others) ?? []).map(metricFromV2Beta1),
    ...(cpu === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', target: utilizationTarget(cpu) } }]),
  ]
  const { annotations: __, ...metadata } = served.metadata ?? {}
  const { currentCPUUtilizationPercentage: ___, ...status } = (served.status ?? {}) as Json
  return cloneJson({
    ...served,
    apiVersion: 'autoscaling/v2',
    metadata: {
      ...metadata,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    } as KubeObject['metadata'],
    spec: defined({
      ...spec,
      metrics: metrics.length > 0 ? metrics : undefined,
      behavior: renameKeys(parseOrUndefined(behavior), uncapitalise),
    }),
    ...(served.status === undefined
      ? {}
      : { status: defined({ ...status, conditions: parseOrUndefined(conditions) }) }),
  })
}

export const autoscalerV1: ServedVersion = { group: 'autoscaling', version: 'v1', toServed, fromServed }
