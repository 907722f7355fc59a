/** What every system must be, and that the manifests are accepted as they are. */
import { describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '../kit/index.ts'
import { createCluster, createSimulatedRuntime } from '../kube/index.ts'
import { listSystemNames, loadSystem } from './index.ts'

const ADMIN = { username: 'admin', groups: ['system:masters'] }
/** Of every kind that a system has objects of. */
const pluralOf = (kind: string): string =>
  (kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`).toLowerCase()

/** As the API gives it back: what a Secret says in plain text it keeps as bytes. */
const asKept = ({ stringData, ...object }: { stringData?: Record<string, string> }): object => {
  const bytes = Object.entries(stringData ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ])
  return stringData === undefined ? object : { ...object, data: Object.fromEntries(bytes) }
}

describe.each(listSystemNames())('the system %s', (name) => {
  it('names itself as its folder, with doors that are Services of its own', async () => {
    const system = await loadSystem(name)
    expect(system.about).toMatch(/^[A-Z].*[^.]$/)
    const services = system.manifests.filter((object) => (object as { kind: string }).kind === 'Service')
    for (const { service, port } of system.entryPoints)
      expect(services).toContainEqual(
        expect.objectContaining({
          metadata: expect.objectContaining({ name: service }),
          spec: expect.objectContaining({
            ports: expect.arrayContaining([expect.objectContaining({ port })]),
          }),
        }),
      )
    expect(system.entryPoints.length).toBeGreaterThan(0)
  })

  it('has manifests that the API takes as they are', async () => {
    const { manifests, namespace } = await loadSystem(name)
    const clock = createVirtualClock()
    const random = createRandom('systems')
    const cluster = createCluster({
      clock,
      random,
      sockets: false,
      runtimeFor: (_node, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex }),
    })
    const api = cluster.apiFor(ADMIN)
    await api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: namespace } })
    for (const object of manifests) {
      const { apiVersion, kind } = object as { apiVersion: string; kind: string }
      const made = await api.create({ apiVersion, plural: pluralOf(kind), namespace }, object)
      expect(made).toMatchObject(asKept(object))
    }
    cluster.stop()
  })
})
