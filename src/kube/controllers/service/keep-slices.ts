/** Brings the EndpointSlices of one owner to what it wants, with as few writes as possible. */
import type { Endpoint, EndpointPort, EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { deepEqual } from '../../../kit/index.ts'
import { endpointSlices } from '../../kinds/index.ts'
import { controlledBy, isNotFound, type KubeObject, type Stored } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'
import { TRIGGER_TIME } from './trigger-times.ts'

export type AddressType = 'IPv4' | 'IPv6'

/** Endpoints that share their ports. */
export interface PortGroup {
  addressType: AddressType
  ports: EndpointPort[]
  endpoints: Endpoint[]
}

export interface SliceOwner {
  object: KubeObject
  /** On every slice. */
  labels: Readonly<Record<string, string>>
  annotations: Readonly<Record<string, string>>
  /** The time to write on slices that change. */
  trigger: string | undefined
  /** Endpoints in one slice, at most. */
  capacity: number
}

type Slice = Stored<EndpointSlice>

/** What a slice should hold; without `slice`, a new one. */
interface Plan {
  slice: Slice | undefined
  addressType: AddressType
  ports: EndpointPort[]
  endpoints: Endpoint[]
}

const groupKey = ({ addressType, ports }: { addressType: string; ports?: EndpointPort[] }): string =>
  `${addressType}|${JSON.stringify((ports ?? []).map(({ name, port, protocol, appProtocol }) => [name ?? '', port, protocol, appProtocol]))}`

const endpointKey = ({ addresses, targetRef, hostname }: Endpoint): string =>
  `${targetRef?.uid ?? ''}|${hostname ?? ''}|${addresses.join()}`

/** Endpoints stay in the slice they are in; new ones fill the fullest slices first, then new slices. */
const planGroup = (group: PortGroup, slices: readonly Slice[], capacity: number): Plan[] => {
  const { addressType, ports } = group
  const wanted = new Map(group.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]))
  const plans: Plan[] = slices.map((slice) => {
    const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => {
      const kept = wanted.get(endpointKey(endpoint))
      if (kept === undefined) return []
      wanted.delete(endpointKey(endpoint))
      return [kept]
    })
    return { slice, addressType, ports, endpoints }
  })
  const fresh = [...wanted.values()]
  for (const plan of [...plans].sort((a, b) => b.endpoints.length - a.endpoints.length)) {
    plan.endpoints.push(...fresh.splice(0, Math.max(0, capacity - plan.endpoints.length)))
  }
  while (fresh.length > 0)
    plans.push({ slice: undefined, addressType, ports, endpoints: fresh.splice(0, capacity) })
  return plans.length > 0 ? plans : [{ slice: undefined, addressType, ports, endpoints: [] }]
}

const annotationsFor = (owner: SliceOwner): Record<string, string> => ({
  ...owner.annotations,
  ...(owner.trigger === undefined ? {} : { [TRIGGER_TIME]: owner.trigger }),
})

const create = (client: Client, owner: SliceOwner, { addressType, ports, endpoints }: Plan): void => {
  const { name, namespace } = owner.object.metadata
  client.create(endpointSlices, {
    metadata: {
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...owner.labels },
      annotations: annotationsFor(owner),
      ownerReferences: [controlledBy(owner.object)],
    },
    addressType,
    endpoints,
    ports,
  })
}

const update = (client: Client, owner: SliceOwner, slice: Slice, { ports, endpoints }: Plan): void => {
  const { [TRIGGER_TIME]: _, ...annotations } = slice.metadata.annotations ?? {}
  const same =
    deepEqual(slice.endpoints ?? [], endpoints) &&
    deepEqual(slice.ports ?? [], ports) &&
    deepEqual(slice.metadata.labels ?? {}, owner.labels) &&
    deepEqual(annotations, owner.annotations)
  if (same) return
  client.update(endpointSlices, {
    ...slice,
    metadata: { ...slice.metadata, labels: { ...owner.labels }, annotations: annotationsFor(owner) },
    endpoints,
    ports,
  })
}

const remove = (client: Client, { metadata }: Slice): void => {
  try {
    client.delete(endpointSlices, metadata.namespace ?? '', metadata.name)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** One group for each set of ports. */
const merged = (groups: readonly PortGroup[]): PortGroup[] => {
  const byKey = new Map<string, PortGroup>()
  for (const group of groups) {
    const known = byKey.get(groupKey(group))
    const endpoints = [...(known?.endpoints ?? []), ...group.endpoints]
    byKey.set(groupKey(group), { ...group, endpoints })
  }
  return [...byKey.values()]
}

export const keepSlices = (
  client: Client,
  owner: SliceOwner,
  groups: readonly PortGroup[],
  existing: readonly Slice[],
): void => {
  const byGroup = new Map<string, Slice[]>()
  for (const slice of existing) {
    const key = groupKey(slice)
    byGroup.set(key, [...(byGroup.get(key) ?? []), slice])
  }
  const plans = merged(groups).flatMap((group) =>
    planGroup(group, byGroup.get(groupKey(group)) ?? [], owner.capacity),
  )
  // Emptied slices go, but one always stays, so that the Service is known to have no endpoints.
  const filled = plans.filter(({ endpoints }) => endpoints.length > 0)
  const kept = filled.length > 0 ? filled : plans.slice(0, 1)
  const used = new Set(kept.map(({ slice }) => slice))
  const spare = existing.filter((slice) => !used.has(slice))
  for (const plan of kept) {
    const slice = plan.slice ?? takeSpare(spare, plan)
    if (slice === undefined) create(client, owner, plan)
    else update(client, owner, slice, plan)
  }
  for (const slice of spare) remove(client, slice)
}

/** A slice that nobody needs any more is filled anew rather than deleted; its address type cannot change. */
const takeSpare = (spare: Slice[], { addressType }: Plan): Slice | undefined => {
  const index = spare.findIndex((slice) => slice.addressType === addressType)
  return index < 0 ? undefined : spare.splice(index, 1)[0]
}
