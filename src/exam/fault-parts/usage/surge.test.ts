/** Tests the capacity of a service. */
import { expect, it } from 'vitest'
import type { ApiObject, FaultCase, ObjectsView } from '#spec'
import { coresOf, mayStillGrow, usableCoresOf } from './surge.ts'

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
