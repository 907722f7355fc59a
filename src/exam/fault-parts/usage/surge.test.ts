/** Tests the capacity of a service. */
import { expect, it } from 'vitest'
import type { ApiObject, FaultCase, ObjectsView } from '#spec'
import { coresOf, lastingCoresOf, mayStillGrow, usableCoresOf } from './surge.ts'

const workload = (replicas: number): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'front' },
  spec: {
    replicas,
    template: { spec: { containers: [{ name: 'main', resources: { limits: { cpu: '200m' } } }] } },
  },
})
const autoscaler = (name: string): ApiObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'more' },
  spec: { scaleTargetRef: { kind: 'Deployment', name }, maxReplicas: 4 },
})
const viewOf = (...objects: ApiObject[]): ObjectsView => ({
  get: (kind, name) => objects.find((object) => object.kind === kind && object.metadata.name === name),
  list: (kind) => objects.filter((object) => object.kind === kind),
})
const faultCase = {
  target: { service: 'front' },
  system: { workloadOf: () => ({ kind: 'Deployment', name: 'front' }) },
} as unknown as FaultCase

it.each([
  ['its pods', [workload(2)], 0.4],
  ['the pods that an autoscaler may add', [workload(1), autoscaler('front')], 0.8],
  ['no pods of an autoscaler of another service', [workload(1), autoscaler('back')], 0.2],
])('counts %s', (_, objects, cores) => {
  expect(coresOf(viewOf(...objects), faultCase)).toBe(cores)
})

const withStatus = (object: ApiObject, readyReplicas: number): ApiObject => ({
  ...object,
  status: { replicas: readyReplicas, readyReplicas, updatedReplicas: readyReplicas },
})
const autoscalerByUtilisation = (averageUtilization: number, spec: object = {}): ApiObject => {
  const base = autoscaler('front')
  const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization } }
  return { ...base, spec: { ...(base.spec as object), metrics: [{ type: 'Resource', resource }], ...spec } }
}

it.each([
  ['counts pods that are ready', [withStatus(workload(2), 2)], 0.4, false],
  ['does not count pods that are not ready, but waits for them', [withStatus(workload(2), 1)], 0.2, true],
  [
    'waits for an autoscaler that will add pods',
    [withStatus(workload(1), 1), autoscalerByUtilisation(80)],
    0.2,
    true,
  ],
  [
    'waits for the minimum of an autoscaler',
    [workload(1), autoscalerByUtilisation(1e5, { minReplicas: 2 })],
    0.2,
    true,
  ],
  [
    'does not wait for a target above the limit',
    [withStatus(workload(1), 1), autoscalerByUtilisation(1e5)],
    0.2,
    false,
  ],
  [
    'does not wait within the tolerance',
    [withStatus(workload(1), 1), autoscalerByUtilisation(95)],
    0.2,
    false,
  ],
  ['does not wait at the maximum', [workload(4), autoscalerByUtilisation(80)], 0.8, false],
  [
    'does not wait for an autoscaler whose scale-up is disabled',
    [workload(1), autoscalerByUtilisation(80, { behavior: { scaleUp: { selectPolicy: 'Disabled' } } })],
    0.2,
    false,
  ],
])('%s', (_, objects, cores, isPending) => {
  expect(usableCoresOf(viewOf(...objects), faultCase)).toBe(cores)
  expect(mayStillGrow(viewOf(...objects), faultCase)).toBe(isPending)
})

const resourceMetric = (name: string, averageUtilization: number): object => ({
  type: 'Resource',
  resource: { name, target: { type: 'Utilization', averageUtilization } },
})
const containerMetric = (container: string): object => ({
  type: 'ContainerResource',
  containerResource: { name: 'cpu', container, target: { type: 'Utilization', averageUtilization: 70 } },
})
const byMemory = [resourceMetric('memory', 80)]
const slowly = (selectPolicy: string): object => ({
  scaleUp: {
    selectPolicy,
    policies: [
      { type: 'Pods', value: 1, periodSeconds: 15 },
      { type: 'Pods', value: 1, periodSeconds: 1800 },
    ],
  },
})

it.each<[string, object, number]>([
  ['all pods of one that adds pods under load', {}, 0.6],
  ['no more than its maximum', { maxReplicas: 2 }, 0.4],
  ['its minimum if it cannot add pods', { behavior: { scaleUp: { selectPolicy: 'Disabled' } } }, 0.2],
  ['its minimum if it scales by memory', { metrics: byMemory }, 0.2],
  ['a sufficient minimum', { metrics: byMemory, minReplicas: 3 }, 0.6],
  ['all pods if one of its metrics is the CPU', { metrics: [...byMemory, resourceMetric('cpu', 70)] }, 0.6],
  [
    'all pods if it must not remove any',
    { metrics: byMemory, behavior: { scaleDown: { selectPolicy: 'Disabled' } } },
    0.6,
  ],
  ['its minimum if it measures a sidecar', { metrics: [containerMetric('sidecar')] }, 0.2],
  ['all pods if it measures the main container', { metrics: [containerMetric('main')] }, 0.6],
  ['all pods if one policy is quick', { behavior: slowly('Max') }, 0.6],
  ['its minimum if the slowest policy counts', { behavior: slowly('Min') }, 0.2],
])('under load, an autoscaler keeps %s', (_, spec, cores) => {
  const objects = viewOf(withStatus(workload(3), 3), autoscalerByUtilisation(70, spec))
  expect(lastingCoresOf(objects, faultCase)).toBeCloseTo(cores)
  expect(usableCoresOf(objects, faultCase)).toBeCloseTo(0.6)
})

it('an idle sidecar lowers the utilisation of the pod', () => {
  const [deployment] = [withStatus(workload(3), 3)]
  const { template } = deployment!.spec as { template: { spec: { containers: object[] } } }
  template.spec.containers.push({ name: 'sidecar', resources: { requests: { cpu: '200m' } } })
  const coresWith = (utilisation: number): number =>
    lastingCoresOf(viewOf(deployment!, autoscalerByUtilisation(utilisation)), faultCase)
  expect(coresWith(40)).toBeCloseTo(0.6)
  expect(coresWith(60)).toBeCloseTo(0.2)
  template.spec.containers.push({ name: 'without-a-request' })
  expect(coresWith(40)).toBeCloseTo(0.2)
})
