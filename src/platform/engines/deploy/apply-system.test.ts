/** Tests that a system's objects are created, and that invalid manifests are reported as mistakes in its files. */
import { afterAll, expect, it } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import { createCluster, createSimulatedRuntime, deployments, services } from '#platform/kube/simulated'
import { RemediumError } from '#spec'
import { applySystem } from './apply-system.ts'

const clock = createRealClock()
const random = createRandom('apply')
const cluster = createCluster({
  clock,
  random,
  sockets: false,
  runtimeFor: (_node, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex }),
})
const client = cluster.resources.clientFor({ username: 'admin', groups: ['system:masters'] }, 'test')
afterAll(() => cluster.stop())

const apply = (...manifests: object[]): Promise<void> =>
  applySystem(
    client,
    { name: 'tiny', about: 'A test', namespace: 'tiny', manifests, images: [], entryPoints: [] },
    clock,
  )

const deployment = (name: string, container: object, spec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: 'shop/cart:1', ...container }] },
    },
    ...spec,
  },
})

it('creates objects as the API does, and does not change the manifest', async () => {
  const manifest = deployment('good', { resources: { limits: { cpu: 1 } } })
  const before = structuredClone(manifest)
  await apply(manifest)
  const stored = client.get(deployments, 'tiny', 'good')
  expect(stored).toMatchObject({
    spec: { template: { spec: { containers: [{ resources: { limits: { cpu: '1' } } }] } } },
  })
  expect(manifest).toEqual(before)
})

it('creates Services with a fixed node port first', async () => {
  const service = (name: string, port: object): object => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { type: 'NodePort', selector: { app: name }, ports: [{ port: 80, ...port }] },
  })
  await apply(service('any', {}), service('certain', { nodePort: 30_080 }))
  const versionOf = (name: string) => Number(client.get(services, 'tiny', name)?.metadata.resourceVersion)
  expect(versionOf('certain')).toBeLessThan(versionOf('any'))
})

it.each<[string, object, string]>([
  [
    'an invalid quantity',
    deployment('a', { resources: { limits: { cpu: 'lots' } } }),
    'Deployment a of the system tiny: quantities must match the regular expression',
  ],
  [
    'an unknown field',
    deployment('a', { resources: { limts: { cpu: 1 } } }),
    'Deployment a of the system tiny: spec.template.spec.containers[0].resources.limts is not a known field',
  ],
  [
    'an invalid value',
    deployment('a', { readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: -1 } }),
    'Deployment a of the system tiny: spec.template.spec.containers[0].readinessProbe.periodSeconds: Invalid value: -1',
  ],
  [
    'a wrong type',
    deployment('a', {}, { replicas: 'two' }),
    'Deployment a of the system tiny: json: cannot unmarshal string',
  ],
  [
    'a missing namespace',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'absent' } },
    'ConfigMap a of the system tiny: namespaces "absent" not found',
  ],
  [
    'an unknown kind',
    { apiVersion: 'v1', kind: 'Deployment', metadata: { name: 'a' } },
    'Deployment a of the system tiny: v1 has no kind Deployment',
  ],
])('reports %s in a manifest', async (_, manifest, message) => {
  const error = await apply(manifest).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(RemediumError)
  expect(error).toMatchObject({ code: 'bad-file', message: expect.stringContaining(message) })
})
