/** What the program of each image gets to know: the services that run it, in each release. */
import type { Release, ServiceSlice, ServiceTopology, Topology } from '../spec/index.ts'
import { servicePort, splitImage } from './complete-service.ts'

export interface ImageSlices {
  /** With its tag. */
  readonly image: string
  /** More than one where services share an image; the pod's name then tells which. */
  readonly slices: readonly ServiceSlice[]
}

const wiresOf = ({ behaviour }: ServiceTopology, { services }: Topology): ServiceSlice['wires'] =>
  Object.fromEntries(
    Object.entries(behaviour.upstreams ?? {}).flatMap(([name, upstream]) => {
      const called = services[name]
      if (called === undefined) return []
      const port = servicePort(called, name)
      const { wire, rpc, register } = called.behaviour
      return [
        [
          name,
          {
            wire: upstream.wire ?? wire,
            ...(rpc === undefined ? {} : { rpc }),
            ...(port === undefined ? {} : { port }),
            ...(register?.as === undefined ? {} : { registeredAs: register.as }),
          },
        ],
      ]
    }),
  )

const releasesOf = (
  { behaviour, deploy }: ServiceTopology,
  tag: string,
): Readonly<Record<string, Release>> => ({
  ...deploy.releases,
  [tag]: { ...(behaviour.defects === undefined ? {} : { defects: behaviour.defects }) },
})

/** In every tag that any of the services of an image has; one that lacks a tag is good in it. */
export const toSlices = (topology: Topology): ImageSlices[] => {
  const byRepository = new Map<string, { name: string; service: ServiceTopology; tag: string }[]>()
  for (const [name, service] of Object.entries(topology.services)) {
    const { repository, tag = 'latest' } = splitImage(service.deploy.image)
    byRepository.set(repository, [...(byRepository.get(repository) ?? []), { name, service, tag }])
  }
  return [...byRepository].flatMap(([repository, sharers]) => {
    const tags = new Set(
      sharers.flatMap(({ service, tag }) => [tag, ...Object.keys(releasesOf(service, tag))]),
    )
    return [...tags].map((release) => ({
      image: `${repository}:${release}`,
      slices: sharers.map(({ name, service, tag }): ServiceSlice => {
        const { defects: _, ...behaviour } = service.behaviour
        const { defects } = releasesOf(service, tag)[release] ?? {}
        return {
          system: topology.system,
          service: name,
          release,
          behaviour: { ...behaviour, ...(defects === undefined ? {} : { defects }) },
          wires: wiresOf(service, topology),
        }
      }),
    }))
  })
}
