/** Tests Ansible's k8s, k8s_info, k8s_service and k8s_cluster_info on objects of many kinds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { play, serverMessage, type TaskReports } from './testing/play.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'

let cluster: TestCluster
let report: TaskReports

beforeAll(async () => {
  cluster = await createTestCluster('ansible-objects')
  report = await play(cluster, 'objects.yml')
})
afterAll(() => cluster?.close())

const read = (plural: string, name: string, apiVersion = 'v1') =>
  cluster.api.get({ apiVersion, plural, namespace: 'market', name })
const getConfigMap = (name: string) => read('configmaps', name)
const listConfigMapNames = async (): Promise<string[]> => {
  const { items } = await cluster.api.list({ apiVersion: 'v1', plural: 'configmaps', namespace: 'market' })
  return items.map(({ metadata }) => metadata.name)
}

describe('k8s, state present', () => {
  it('creates objects that do not exist', async () => {
    expect(report('create a namespace')).toMatchObject({
      changed: true,
      method: 'create',
      result: { kind: 'Namespace', status: { phase: 'Active' } },
    })
    expect(report('present, new')).toMatchObject({ changed: true, method: 'create' })
  })

  it('changes nothing if nothing differs', () => {
    expect(report('present, unchanged')).toMatchObject({ changed: false, method: 'update' })
  })

  it('merges differences', async () => {
    expect(report('present, changed').changed).toBe(true)
    expect(report('merge patch, with a null')).toMatchObject({ changed: true, method: 'update' })
    expect(await getConfigMap('prices')).toMatchObject({
      metadata: { labels: { merged: 'yes' }, annotations: { season: 'autumn' } },
      data: { apple: '3', pear: '5' },
    })
  })

  it('patches only existing objects', () => {
    expect(report('patched')).toMatchObject({ changed: true, method: 'update' })
    expect(report('patched, a missing object')).toMatchObject({
      changed: false,
      warnings: [
        "resource 'kind=ConfigMap,name=nowhere' was not found but will not be created as 'state' parameter has been set to 'patched'",
      ],
    })
  })

  it('replaces with force', async () => {
    expect(report('replace with force')).toMatchObject({ changed: true, method: 'replace' })
    const { data, metadata } = await getConfigMap('scales')
    expect(data).toEqual({ only: 'this' })
    expect(metadata).not.toHaveProperty('annotations')
  })

  it('accepts generated names and hashed names', () => {
    expect(report('a name from the server').result.metadata.name).toMatch(/^receipt-[a-z0-9]{5}$/)
    expect(report('a name with a hash').result.metadata.name).toMatch(/^stamp-[a-z0-9]{10}$/)
  })

  it('encodes the plain text of secrets', async () => {
    expect(report('a secret from plain text').result.type).toBe('Opaque')
    const secret = await read('secrets', 'key')
    expect(secret.data).toEqual({ password: Buffer.from('sesame').toString('base64') })
    expect(secret).not.toHaveProperty('stringData')
  })

  it('reads templates and files', async () => {
    expect(report('from a template').changed).toBe(true)
    expect((await getConfigMap('ledger')).data).toEqual({ currency: 'florin', accounts: 'ann;bob;' })
    const created = report('from a file with many documents').result.results
    expect(created.map(({ result }: { result: { kind: string } }) => result.kind)).toEqual([
      'Service',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'HorizontalPodAutoscaler',
    ])
    expect(await read('horizontalpodautoscalers', 'stall', 'autoscaling/v2')).toMatchObject({
      spec: {
        minReplicas: 1,
        metrics: [{ resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
      },
    })
  })

  it('creates only objects that match the label selectors', async () => {
    const [front, back] = report('only objects that a label selector matches').result.results
    expect(front).toMatchObject({ changed: true, method: 'create' })
    expect(back).toMatchObject({
      changed: false,
      msg: expect.stringContaining('filtered by label_selectors'),
    })
    expect(await listConfigMapNames()).not.toContain('back')
  })

  it('continues after an error if configured', async () => {
    const [rejected, created] = report('continue after an error').result.results
    expect(rejected.error).toMatchObject({ reason: 'Unprocessable Entity' })
    expect(rejected.error.msg).toContain('a lowercase RFC 1123 subdomain must consist of')
    expect(created).toMatchObject({ changed: true })
    expect(await listConfigMapNames()).toContain('after')
  })
})

describe('k8s, apply', () => {
  it('records the applied fields, and removes those that are no longer applied', async () => {
    expect(report('apply, new')).toMatchObject({ changed: true, method: 'apply' })
    expect(report('apply, unchanged').changed).toBe(false)
    expect(report('apply, without one of the keys')).toMatchObject({
      changed: true,
      result: { data: { unit: 'pound' } },
    })
    expect(report('apply, without one of the keys').result.data).toEqual({ unit: 'pound' })
  })

  it('merges lists by their keys', async () => {
    expect(report('apply, a service').changed).toBe(true)
    const address = report('apply, a service').result.spec.clusterIP
    expect(report('apply, the service with one port less').result.spec).toMatchObject({
      clusterIP: address,
      ports: [{ name: 'b', port: 81, protocol: 'TCP', targetPort: 81 }],
    })
  })

  it('applies on the server, and reports conflicts between managers', async () => {
    expect(report('server-side apply, new')).toMatchObject({ changed: true, method: 'apply' })
    expect(report('server-side apply, unchanged').changed).toBe(false)
    expect(report('server-side apply, with a conflict')).toMatchObject({
      failed: true,
      reason: 'Conflict',
    })
    expect(serverMessage(report('server-side apply, with a conflict'))).toContain(
      'Apply failed with 1 conflict: conflict with "steward": .data.closing',
    )
    expect(report('server-side apply, with force').changed).toBe(true)
    const { data, metadata } = await getConfigMap('rules')
    expect(data).toEqual({ opening: '8', closing: '20' })
    const managers = metadata.managedFields as { manager: string; operation: string; fieldsV1: object }[]
    expect(managers.map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1]).sort()).toEqual(
      [
        ['mayor', 'Apply', { 'f:data': { 'f:closing': {} } }],
        ['steward', 'Apply', { 'f:data': { 'f:opening': {} } }],
      ],
    )
  })
})

describe('custom resources', () => {
  it('are served once established', () => {
    expect(report('a custom resource definition')).toMatchObject({
      changed: true,
      result: { status: { acceptedNames: { kind: 'Cart', listKind: 'CartList' } } },
    })
    expect(report('a custom resource')).toMatchObject({ changed: true, result: { spec: { wheels: 2 } } })
  })

  it('reject strategic patches, so that Ansible falls back to a merge', () => {
    expect(report('the custom resource, unchanged').changed).toBe(false)
    expect(report('the custom resource, changed')).toMatchObject({
      changed: true,
      result: { metadata: { generation: 2 }, spec: { load: 'cabbage', wheels: 4 } },
    })
  })
})

describe('k8s_info', () => {
  it('finds objects by name, label and field', () => {
    expect(report('info by name')).toMatchObject({ changed: false, api_found: true })
    expect(report('info by name').resources).toMatchObject([
      { kind: 'ConfigMap', metadata: { name: 'prices' } },
    ])
    expect(report('info by label').resources).toHaveLength(2)
    expect(report('info by field').resources).toMatchObject([{ metadata: { name: 'rules' } }])
  })

  it('returns an empty list if nothing matches', () => {
    expect(report('info on a missing object')).toMatchObject({ resources: [], api_found: true })
    expect(report('info on a kind that is not served')).toMatchObject({ resources: [], api_found: false })
  })
})

describe('the lookup plugin', () => {
  it('finds objects by label', () => {
    expect(report('a lookup').msg).toMatchObject([{ metadata: { name: 'prices' }, data: { apple: '3' } }])
  })
})

describe('k8s_service', () => {
  it('creates, changes and removes a service', async () => {
    expect(report('create a service')).toMatchObject({
      changed: true,
      result: { spec: { type: 'ClusterIP', ports: [{ port: 9000, protocol: 'TCP', targetPort: 9000 }] } },
    })
    const { type, ports } = report('change the service to a NodePort').result.spec
    expect(type).toBe('NodePort')
    expect(ports[0].nodePort).toBeGreaterThanOrEqual(30_000)
    expect(report('remove the service').changed).toBe(true)
    await expect(read('services', 'bell')).rejects.toMatchObject({ code: 404 })
  })
})

describe('k8s, state absent', () => {
  it('removes objects by name and by label, and reports no change if none exists', async () => {
    expect(report('absent')).toMatchObject({ changed: true, method: 'delete' })
    expect(report('absent, a missing object')).toMatchObject({ changed: false, method: 'delete' })
    expect(report('absent by label').changed).toBe(true)
    expect((await listConfigMapNames()).sort()).toEqual([
      'after',
      'kube-root-ca.crt',
      'ledger',
      'prices',
      'rules',
      'scales',
    ])
  })

  it('waits until a namespace is empty', async () => {
    expect(report('absent, the namespace')).toMatchObject({ changed: true, duration: expect.any(Number) })
    await expect(
      cluster.api.get({ apiVersion: 'v1', plural: 'namespaces', name: 'passing' }),
    ).rejects.toMatchObject({ code: 404 })
  })
})

describe('k8s_cluster_info', () => {
  it('returns versions and kinds', () => {
    const { version, apis } = report('cluster info')
    expect(version.server.kubernetes).toMatchObject({ major: '1', minor: '32' })
    expect(apis).toMatchObject({
      v1: { Pod: { categories: ['all'], namespaced: true, short_names: ['po'] } },
      'apps/v1': { Deployment: { name: 'deployments' } },
      'market.example.com/v1': { Cart: { name: 'carts' } },
    })
  })
})
