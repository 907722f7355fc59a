/** What a service may use: judged of it when many more users come than it was made for. */
import { expect, it } from 'vitest'
import type { ApiObject, FaultCase, ObjectsView } from '../spec/index.ts'
import { coresOf } from './surge.ts'

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
  get: (kind, name) => objects.find((one) => one.kind === kind && one.metadata.name === name),
  list: (kind) => objects.filter((one) => one.kind === kind),
})
const about = {
  target: { service: 'front' },
  system: { workloadOf: () => ({ kind: 'Deployment', name: 'front' }) },
} as unknown as FaultCase

it.each([
  ['its pods', [workload(2)], 0.4],
  ['those that an autoscaler may add', [workload(1), autoscaler('front')], 0.8],
  ['none that an autoscaler of others may', [workload(1), autoscaler('back')], 0.2],
])('counts %s', (_, objects, cores) => {
  expect(coresOf(viewOf(...objects), about)).toBe(cores)
})
