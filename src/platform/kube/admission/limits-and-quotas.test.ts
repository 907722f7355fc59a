/** Tests of LimitRanges and ResourceQuotas, with the messages of the real plugins. */
import type {
  LimitRangeItem,
  Pod,
  ResourceQuotaSpec,
  ResourceRequirements,
} from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import {
  configMaps,
  deployments,
  limitRanges,
  persistentVolumeClaims,
  pods,
  resourceQuotas,
  services,
} from '#platform/kube/kinds'
import type { Draft, Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { createTestAdmission } from './testing/create-test-admission.ts'

const podDraft = (name: string, resources: ResourceRequirements = {}): Draft<Pod> => ({
  metadata: { name, namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'i:1', resources }] },
})

const clientWithLimits = (...limits: LimitRangeItem[]): Client => {
  const client = createTestAdmission()
  client.create(limitRanges, { metadata: { name: 'limits', namespace: 'shop' }, spec: { limits } })
  return client
}

/** Returns a client of a cluster with one quota. */
const clientWithQuota = (hard: Record<string, string>, rest: Partial<ResourceQuotaSpec> = {}): Client => {
  const client = createTestAdmission()
  addQuota(client, 'q', hard, rest)
  return client
}

/** Creates a quota with the status that its controller sets. */
const addQuota = (
  client: Client,
  name: string,
  hard: Record<string, string>,
  rest: Partial<ResourceQuotaSpec> = {},
): void => {
  const quota = client.create(resourceQuotas, {
    metadata: { name, namespace: 'shop' },
    spec: { hard, ...rest },
  })
  const used = Object.fromEntries(Object.keys(hard).map((resource) => [resource, '0']))
  client.updateStatus(resourceQuotas, { ...quota, status: { hard, used } })
}

const usedOf = (client: Client, name = 'q') => client.get(resourceQuotas, 'shop', name)?.status.used

const resourcesOf = (pod: Stored<Pod>): ResourceRequirements | undefined => pod.spec.containers[0]?.resources

describe('LimitRanger', () => {
  it('sets default requests and limits, and annotates the pod', () => {
    const client = clientWithLimits({
      type: 'Container',
      default: { cpu: '500m', memory: '256Mi' },
      defaultRequest: { cpu: '100m', memory: '128Mi' },
    })
    const pod = client.create(pods, podDraft('bare'))
    expect(resourcesOf(pod)).toEqual({
      limits: { cpu: '500m', memory: '256Mi' },
      requests: { cpu: '100m', memory: '128Mi' },
    })
    expect(pod.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c',
    })
    const partly = client.create(
      pods,
      podDraft('partly', { requests: { cpu: '200m' }, limits: { memory: '1Gi' } }),
    )
    expect(resourcesOf(partly)).toEqual({
      limits: { cpu: '500m', memory: '1Gi' },
      requests: { cpu: '200m', memory: '1Gi' },
    })
    expect(partly.metadata.annotations?.['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu limit for container c',
    )
  })

  it('rejects amounts below the minimum and above the maximum', () => {
    const client = clientWithLimits({
      type: 'Container',
      min: { cpu: '100m', memory: '64Mi' },
      max: { cpu: '1', memory: '1Gi' },
    })
    const small = { requests: { cpu: '10m', memory: '32Mi' }, limits: { cpu: '2', memory: '1Gi' } }
    expect(() => client.create(pods, podDraft('web', small))).toThrow(
      'pods "web" is forbidden: [minimum cpu usage per Container is 100m, but request is 10m, minimum memory usage per Container is 64Mi, but request is 32Mi, maximum cpu usage per Container is 1, but limit is 2]',
    )
  })

  it('enforces the limit-to-request ratio, and the maximum for a whole pod', () => {
    const client = clientWithLimits(
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      { type: 'Pod', max: { memory: '100Mi' } },
    )
    const wide = { requests: { cpu: '100m', memory: '10Mi' }, limits: { cpu: '300m', memory: '200Mi' } }
    expect(() => client.create(pods, podDraft('web', wide))).toThrow(
      'pods "web" is forbidden: [cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000, maximum memory usage per Pod is 100Mi, but limit is 200Mi]',
    )
    expect(() => client.create(pods, podDraft('web'))).toThrow(
      'pods "web" is forbidden: [cpu max limit to request ratio per Container is 2, but no request is specified or request is 0, maximum memory usage per Pod is 100Mi.  No limit is specified]',
    )
  })

  it('limits claims', () => {
    const client = clientWithLimits({
      type: 'PersistentVolumeClaim',
      min: { storage: '1Gi' },
      max: { storage: '2Gi' },
    })
    const claimDraft = (storage: string) => ({
      metadata: { name: 'data', namespace: 'shop' },
      spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage } } },
    })
    expect(() => client.create(persistentVolumeClaims, claimDraft('3Gi'))).toThrow(
      'persistentvolumeclaims "data" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
    )
    expect(() => client.create(persistentVolumeClaims, claimDraft('10Mi'))).toThrow(
      'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 10Mi',
    )
    expect(client.create(persistentVolumeClaims, claimDraft('2Gi')).metadata.name).toBe('data')
  })
})

describe('ResourceQuota', () => {
  it('records usage, and rejects writes above the quota', () => {
    const client = clientWithQuota({ pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' })
    const resources = { requests: { cpu: '400m' }, limits: { memory: '256Mi' } }
    client.create(pods, podDraft('a', resources))
    expect(usedOf(client)).toEqual({ pods: '1', 'requests.cpu': '400m', 'limits.memory': '256Mi' })
    client.create(pods, podDraft('b', resources))
    expect(() => client.create(pods, podDraft('c', resources))).toThrow(
      'pods "c" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=400m, used: pods=2,requests.cpu=800m, limited: pods=2,requests.cpu=1',
    )
    expect(usedOf(client)).toEqual({ pods: '2', 'requests.cpu': '800m', 'limits.memory': '512Mi' })
  })

  it('rejects pods that do not specify a limited resource', () => {
    const client = clientWithQuota({ cpu: '1', memory: '1Gi' })
    expect(() => client.create(pods, podDraft('web'))).toThrow(
      'pods "web" is forbidden: failed quota: q: must specify cpu for: c; memory for: c',
    )
  })

  it('counts objects of any kind, and does not charge duplicates', () => {
    const client = clientWithQuota({ 'count/deployments.apps': '1', configmaps: '2' })
    const deploymentDraft = (name: string) => ({
      metadata: { name, namespace: 'shop' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
      },
    })
    client.create(deployments, deploymentDraft('one'))
    // Admission runs before the check for duplicates.
    expect(() => client.create(deployments, deploymentDraft('one'))).toThrow('exceeded quota: q')
    expect(() => client.create(deployments, deploymentDraft('two'))).toThrow(
      'deployments.apps "two" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1',
    )
    const map = { metadata: { name: 'x', namespace: 'shop' } }
    client.create(configMaps, map)
    expect(() => client.create(configMaps, map)).toThrow('already exists')
    expect(usedOf(client)).toEqual({ 'count/deployments.apps': '1', configmaps: '1' })
  })

  it('charges no quota if one of several is exceeded', () => {
    const client = clientWithQuota({ pods: '5' })
    addQuota(client, 'tight', { pods: '0' })
    expect(() => client.create(pods, podDraft('web'))).toThrow('exceeded quota: tight')
    expect(usedOf(client)).toEqual({ pods: '0' })
  })

  it('measures storage in total and by class, and node ports of services', () => {
    const fast = 'fast.storageclass.storage.k8s.io/requests.storage'
    const client = clientWithQuota({ 'requests.storage': '5Gi', [fast]: '1Gi', 'services.nodeports': '1' })
    const claimDraft = (name: string, storage: string) => ({
      metadata: { name, namespace: 'shop' },
      spec: {
        storageClassName: 'fast',
        accessModes: ['ReadWriteOnce' as const],
        resources: { requests: { storage } },
      },
    })
    client.create(persistentVolumeClaims, claimDraft('a', '1Gi'))
    expect(() => client.create(persistentVolumeClaims, claimDraft('b', '1Gi'))).toThrow(
      `exceeded quota: q, requested: ${fast}=1Gi, used: ${fast}=1Gi, limited: ${fast}=1Gi`,
    )
    const service = client.create(services, {
      metadata: { name: 's', namespace: 'shop' },
      spec: { selector: { a: 'b' }, ports: [{ port: 80 }] },
    })
    const opened = client.update(services, { ...service, spec: { ...service.spec, type: 'NodePort' } })
    expect(usedOf(client)?.['services.nodeports']).toBe('1')
    const ports = [
      ...(opened.spec.ports ?? []).map((port) => ({ ...port, name: 'a' })),
      { name: 'b', port: 81 },
    ]
    expect(() => client.update(services, { ...opened, spec: { ...opened.spec, ports } })).toThrow(
      'exceeded quota: q, requested: services.nodeports=1',
    )
  })

  it('applies only to pods in its scopes', () => {
    const client = clientWithQuota({ pods: '0' }, { scopes: ['BestEffort'] })
    expect(() => client.create(pods, podDraft('bare'))).toThrow('exceeded quota: q')
    expect(client.create(pods, podDraft('sized', { requests: { cpu: '1' } })).metadata.name).toBe('sized')
  })
})
