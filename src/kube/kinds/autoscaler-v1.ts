/** HorizontalPodAutoscalers in the older version autoscaling/v1, which can say only a CPU target. */
import { cloneJson } from '../../kit/index.ts'
import type { KubeObject } from '../meta/index.ts'
import type { ServedVersion } from './define-kind.ts'

type Json = Record<string, any>

/** What the older version has no fields for travels in annotations, in the notation of that age. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'
const CURRENT = 'autoscaling.alpha.kubernetes.io/current-metrics'
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions'
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior'

/** Drops members that are undefined. */
const compact = (value: Json): Json =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

const isCpuTarget = (metric: Json): boolean =>
  metric.type === 'Resource' &&
  metric.resource?.name === 'cpu' &&
  metric.resource.target?.averageUtilization !== undefined

const utilization = (percent: number): Json => ({ type: 'Utilization', averageUtilization: percent })
const averageOf = (amount: string): Json => ({ type: 'AverageValue', averageValue: amount })

const resourceToOld = ({ name, container, target }: Json): Json =>
  compact({
    name,
    container,
    targetAverageUtilization: target?.averageUtilization,
    targetAverageValue: target?.averageValue,
  })

const resourceFromOld = ({ name, container, targetAverageUtilization, targetAverageValue }: Json): Json =>
  compact({
    name,
    container,
    target:
      targetAverageUtilization === undefined
        ? averageOf(targetAverageValue)
        : utilization(targetAverageUtilization),
  })

const metricToOld = ({ type, resource, containerResource, pods, object, external }: Json): Json =>
  compact({
    type,
    resource: resource && resourceToOld(resource),
    containerResource: containerResource && resourceToOld(containerResource),
    pods:
      pods &&
      compact({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue,
        selector: pods.metric.selector,
      }),
    object:
      object &&
      compact({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? '0',
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    external:
      external &&
      compact({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  })

const valueTarget = (value: string | undefined, average: string | undefined): Json =>
  average === undefined ? { type: 'Value', value } : averageOf(average)

const metricFromOld = ({ type, resource, containerResource, pods, object, external }: Json): Json =>
  compact({
    type,
    resource: resource && resourceFromOld(resource),
    containerResource: containerResource && resourceFromOld(containerResource),
    pods: pods && {
      metric: compact({ name: pods.metricName, selector: pods.selector }),
      target: averageOf(pods.targetAverageValue),
    },
    object: object && {
      describedObject: object.target,
      metric: compact({ name: object.metricName, selector: object.selector }),
      target: valueTarget(object.targetValue, object.averageValue),
    },
    external: external && {
      metric: compact({ name: external.metricName, selector: external.metricSelector }),
      target: valueTarget(external.targetValue, external.targetAverageValue),
    },
  })

const currentToOld = ({ type, resource, containerResource, pods, object, external }: Json): Json => {
  const ofResource = ({ name, container, current }: Json): Json =>
    compact({
      name,
      container,
      currentAverageUtilization: current?.averageUtilization,
      currentAverageValue: current?.averageValue ?? '0',
    })
  return compact({
    type,
    resource: resource && ofResource(resource),
    containerResource: containerResource && ofResource(containerResource),
    pods: pods && { metricName: pods.metric.name, currentAverageValue: pods.current.averageValue },
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      currentValue: object.current.value ?? '0',
    },
    external: external && {
      metricName: external.metric.name,
      currentValue: external.current.value ?? '0',
    },
  })
}

/** The annotation spells members with capitals, as the server's own structs do. */
const renameKeys = (value: unknown, rename: (key: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((element) => renameKeys(element, rename))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [rename(key), renameKeys(member, rename)]),
  )
}
const capital = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1)
const small = (key: string): string => key.charAt(0).toLowerCase() + key.slice(1)

const statusToOld = ({ currentMetrics, conditions: _, ...status }: Json): Json =>
  compact({
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
  return compact({
    [METRICS]: metrics.length > 0 ? JSON.stringify(metrics.map(metricToOld)) : undefined,
    [CURRENT]: current.length > 0 ? JSON.stringify(current.map(currentToOld)) : undefined,
    [CONDITIONS]: conditions.length > 0 ? JSON.stringify(conditions) : undefined,
    [BEHAVIOR]: spec.behavior && JSON.stringify(renameKeys(spec.behavior, capital)),
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
    spec: compact({ scaleTargetRef, minReplicas, maxReplicas, targetCPUUtilizationPercentage: target }),
    ...(stored.status === undefined ? {} : { status: statusToOld(stored.status) }),
  }
}

const parsed = (text: string | undefined): any => {
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
    ...(parsed(others) ?? []).map(metricFromOld),
    ...(cpu === undefined ? [] : [{ type: 'Resource', resource: { name: 'cpu', target: utilization(cpu) } }]),
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
    spec: compact({
      ...spec,
      metrics: metrics.length > 0 ? metrics : undefined,
      behavior: renameKeys(parsed(behavior), small),
    }),
    ...(served.status === undefined
      ? {}
      : { status: compact({ ...status, conditions: parsed(conditions) }) }),
  })
}

export const autoscalerV1: ServedVersion = { group: 'autoscaling', version: 'v1', toServed, fromServed }
