/** Tests that the record limits the size of huge objects that a solver creates, and that they are judged. */
import { describe, expect, it } from 'vitest'
import { type ApiObject, containersOf, podTemplateOf } from '#spec'
import { isIntentChange } from '../objects/is-intent-change.ts'
import {
  deployment,
  inLaboratory,
  NAMESPACE,
  plain,
  pod,
  prepareRecord,
  stress,
  withSpec,
} from '../testing/record-builder.ts'
import { baselineObject, finish, judge } from '../testing/trial.ts'
import { toRecordedObject } from './to-recorded-object.ts'
import { WATCHED_KINDS } from './watched-kinds.ts'

const HUGE_ANNOTATIONS = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((key) => [key, key.repeat(60_000)]))

const makeHuge = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: HUGE_ANNOTATIONS },
})

const workload = (kind: string): ApiObject => ({ ...deployment('extra'), kind })
const template = podTemplateOf(deployment('extra'))
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
const chaosObject = (kind: string): ApiObject => inLaboratory({ ...stress, kind })
const webhookList = { webhooks: [{ name: 'a.b.c' }] }

/** One object of each watched kind, by its plural. */
const OBJECTS_BY_PLURAL: Readonly<Record<string, ApiObject>> = {
  deployments: workload('Deployment'),
  statefulsets: workload('StatefulSet'),
  daemonsets: workload('DaemonSet'),
  replicasets: workload('ReplicaSet'),
  replicationcontrollers: { ...workload('ReplicationController'), apiVersion: 'v1' },
  pods: pod('cart', 'extra', 'extra'),
  services: plain('v1', 'Service', 'extra', { spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] } }),
  endpoints: plain('v1', 'Endpoints', 'extra', { subsets: [{ addresses: [{ ip: '10.0.0.9' }] }] }),
  configmaps: plain('v1', 'ConfigMap', 'extra', { data: { a: 'b' } }),
  secrets: plain('v1', 'Secret', 'extra', { data: { a: 'Yg==' } }),
  persistentvolumeclaims: plain('v1', 'PersistentVolumeClaim', 'extra', { spec: { resources: {} } }),
  resourcequotas: plain('v1', 'ResourceQuota', 'extra', { spec: { hard: { pods: '1' } } }),
  limitranges: plain('v1', 'LimitRange', 'extra', { spec: { limits: [{ type: 'Container' }] } }),
  serviceaccounts: plain('v1', 'ServiceAccount', 'extra', {}),
  networkpolicies: plain('networking.k8s.io/v1', 'NetworkPolicy', 'extra', { spec: { podSelector: {} } }),
  ingresses: plain('networking.k8s.io/v1', 'Ingress', 'extra', { spec: { rules: [] } }),
  horizontalpodautoscalers: plain('autoscaling/v2', 'HorizontalPodAutoscaler', 'extra', {
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' }, maxReplicas: 2 },
  }),
  poddisruptionbudgets: plain('policy/v1', 'PodDisruptionBudget', 'extra', { spec: { minAvailable: 1 } }),
  roles: plain('rbac.authorization.k8s.io/v1', 'Role', 'extra', { rules }),
  rolebindings: plain('rbac.authorization.k8s.io/v1', 'RoleBinding', 'extra', { subjects: [] }),
  jobs: plain('batch/v1', 'Job', 'extra', { spec: { template } }),
  cronjobs: plain('batch/v1', 'CronJob', 'extra', { spec: { jobTemplate: { spec: { template } } } }),
  stresschaos: chaosObject('StressChaos'),
  networkchaos: chaosObject('NetworkChaos'),
  iochaos: chaosObject('IOChaos'),
  podchaos: chaosObject('PodChaos'),
  dnschaos: chaosObject('DNSChaos'),
  timechaos: chaosObject('TimeChaos'),
  namespaces: plain('v1', 'Namespace', 'extra', { spec: { finalizers: ['kubernetes'] } }),
  nodes: plain('v1', 'Node', 'node-1', { spec: {} }),
  persistentvolumes: plain('v1', 'PersistentVolume', 'extra', { spec: { claimRef: { name: 'extra' } } }),
  validatingwebhookconfigurations: plain(
    ...(['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'extra', webhookList] as const),
  ),
  mutatingwebhookconfigurations: plain(
    ...(['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'extra', webhookList] as const),
  ),
}

it('covers each watched kind', () => {
  const watched = Object.values(WATCHED_KINDS).flatMap((kinds) => kinds.map(({ plural }) => plural))
  expect(Object.keys(OBJECTS_BY_PLURAL)).toEqual(watched)
})

describe('a huge object', () => {
  it.each(Object.entries(OBJECTS_BY_PLURAL))('of %s keeps its structure and is judged', (_, object) => {
    const recorded = toRecordedObject(makeHuge(object))
    const { metadata, ...form } = toRecordedObject(object)
    expect(recorded).toMatchObject({ ...form, fingerprint: expect.stringMatching(/^sha256:/) })
    expect(recorded.metadata).toMatchObject(metadata)
    expect(JSON.stringify(recorded).length).toBeLessThan(2000)
    const record = prepareRecord().replacePod('cart').add(recorded).change(recorded).remove(recorded)
    expect(judge(finish(record.add(recorded)).events).outcome).not.toBe('void')
  })

  const env = Array.from({ length: 5 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(60_000) }))

  it('in place of the target is damage by the agent, not a failure of the harness', () => {
    const huge = toRecordedObject(deployment('cart', { env }))
    const record = prepareRecord().replacePod('cart').change(huge)
    expect(judge(finish(record).events)).toMatchObject({ outcome: 'unresolved', blame: 'agent' })
  })

  it('has the same intent after a change of its status', () => {
    const before = toRecordedObject(deployment('cart', { env }))
    const object = toRecordedObject({ ...deployment('cart', { env }), status: { replicas: 1 } })
    const change = { at: 0, change: 'modified', before } as const
    expect(object).not.toEqual(before)
    expect(isIntentChange({ ...change, object })).toBe(false)
    const changedEnv = [...env.slice(1), { name: 'V0', value: 'y'.repeat(60_000) }]
    expect(
      isIntentChange({ ...change, object: toRecordedObject(deployment('cart', { env: changedEnv })) }),
    ).toBe(true)
  })

  it('with very many entries keeps the first of them', () => {
    const manyVariables = Array.from({ length: 2000 }, (_, index) => ({ name: `V${index}`, value: 'v' }))
    const containers = Array.from({ length: 50 }, (_, index) => ({ name: `c${index}`, env: manyVariables }))
    const object = withSpec(baselineObject('Deployment', 'cart'), { template: { spec: { containers } } })
    const recorded = toRecordedObject(object)
    const kept = containersOf(recorded)
    expect(kept.map(({ name }) => name)).toEqual(containers.slice(0, kept.length).map(({ name }) => name))
    expect(kept[0]?.env).toEqual(manyVariables.slice(0, 8))
    expect(JSON.stringify(recorded).length).toBeLessThan(65_536)
  })

  it.each(['Deployment', 'NetworkPolicy'])('without a spec, as in older records, is judged: %s', (kind) => {
    const metadata = { name: 'stock', namespace: NAMESPACE, uid: 'stock' }
    const object = { apiVersion: 'apps/v1', kind, metadata, fingerprint: 'sha256:1' }
    const record = finish(prepareRecord().replacePod('cart').add(object))
    const damage = [{ object: `${kind}/stock` }]
    expect(judge(record.events)).toMatchObject({ outcome: 'unresolved', damage })
  })
})
