/** Tests that every system meets the requirements, and that the API server accepts its manifests. */
import { describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '#kit'
import { createCluster, createSimulatedRuntime } from '#platform/kube'
import { listSystemNames, loadSystem } from './index.ts'

const ADMIN = { username: 'admin', groups: ['system:masters'] }
/** Sufficient for the kinds of objects that systems have. */
const pluralOf = (kind: string): string =>
  (kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`).toLowerCase()

/** Returns an object as the API returns it: the `stringData` of a Secret becomes `data`. */
const asStored = ({ stringData, ...object }: { stringData?: Record<string, string> }): object => {
  const encodedEntries = Object.entries(stringData ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ])
  return stringData === undefined ? object : { ...object, data: Object.fromEntries(encodedEntries) }
}

describe.each(listSystemNames())('the system %s', (name) => {
  it('has the name of its folder, and entry points that are its Services', async () => {
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

  it('has manifests that the API server stores unchanged', async () => {
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
      const created = await api.create({ apiVersion, plural: pluralOf(kind), namespace }, object)
      expect(created).toMatchObject(asStored(object))
    }
    cluster.stop()
  })
})
