/** Converts metrics between autoscaling/v2 and v2beta1, which is the format of the autoscaling/v1 annotations. */
import { defined } from '#kit'

export type Json = Record<string, any>

export const isCpuTarget = (metric: Json): boolean =>
  metric.type === 'Resource' &&
  metric.resource?.name === 'cpu' &&
  metric.resource.target?.averageUtilization !== undefined

export const utilizationTarget = (percent: number): Json => ({
  type: 'Utilization',
  averageUtilization: percent,
})
const averageTarget = (amount: string): Json => ({ type: 'AverageValue', averageValue: amount })

const resourceToV2Beta1 = ({ name, container, target }: Json): Json =>
  defined({
    name,
    container,
    targetAverageUtilization: target?.averageUtilization,
    targetAverageValue: target?.averageValue,
  })

const resourceFromV2Beta1 = ({ name, container, targetAverageUtilization, targetAverageValue }: Json): Json =>
  defined({
    name,
    container,
    target:
      targetAverageUtilization === undefined
        ? averageTarget(targetAverageValue)
        : utilizationTarget(targetAverageUtilization),
  })

export const metricToV2Beta1 = ({ type, resource, containerResource, pods, object, external }: Json): Json =>
  defined({
    type,
    resource: resource && resourceToV2Beta1(resource),
    containerResource: containerResource && resourceToV2Beta1(containerResource),
    pods:
      pods &&
      defined({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue,
        selector: pods.metric.selector,
      }),
    object:
      object &&
      defined({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? '0',
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    external:
      external &&
      defined({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  })

const valueTarget = (value: string | undefined, average: string | undefined): Json =>
  average === undefined ? { type: 'Value', value } : averageTarget(average)

export const metricFromV2Beta1 = ({
  type,
  resource,
  containerResource,
  pods,
  object,
  external,
}: Json): Json =>
  defined({
    type,
    resource: resource && resourceFromV2Beta1(resource),
    containerResource: containerResource && resourceFromV2Beta1(containerResource),
    pods: pods && {
      metric: defined({ name: pods.metricName, selector: pods.selector }),
      target: averageTarget(pods.targetAverageValue),
    },
    object: object && {
      describedObject: object.target,
      metric: defined({ name: object.metricName, selector: object.selector }),
      target: valueTarget(object.targetValue, object.averageValue),
    },
    external: external && {
      metric: defined({ name: external.metricName, selector: external.metricSelector }),
      target: valueTarget(external.targetValue, external.targetAverageValue),
    },
  })

export const currentToV2Beta1 = ({
  type,
  resource,
  containerResource,
  pods,
  object,
  external,
}: Json): Json => {
  const resourceMetric = ({ name, container, current }: Json): Json =>
    defined({
      name,
      container,
      currentAverageUtilization: current?.averageUtilization,
      currentAverageValue: current?.averageValue ?? '0',
    })
  return defined({
    type,
    resource: resource && resourceMetric(resource),
    containerResource: containerResource && resourceMetric(containerResource),
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
