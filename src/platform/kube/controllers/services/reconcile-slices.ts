/** Creates, updates and deletes the EndpointSlices of one owner with as few writes as possible. */
import type { Endpoint, EndpointPort, EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { deepEqual, defined } from '#kit'
import { endpointSlices } from '#platform/kube/kinds'
import { controlledBy, isNotFound, type KubeObject, type Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { TRIGGER_TIME } from './trigger-times.ts'

export type AddressType = 'IPv4' | 'IPv6'

/** Endpoints with the same ports. */
export interface PortGroup {
  addressType: AddressType
  ports: EndpointPort[]
  endpoints: Endpoint[]
}

export interface SliceOwner {
  object: KubeObject
  /** Labels of every slice. */
  labels: Readonly<Record<string, string>>
  annotations: Readonly<Record<string, string>>
  /** The trigger time to write to changed slices. */
  trigger: string | undefined
  /** Maximum number of endpoints per slice. */
  capacity: number
}

type Slice = Stored<EndpointSlice>

/** The desired content of an existing slice, or of a new one if `slice` is undefined. */
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

/** Keeps endpoints in their slice; new endpoints fill the fullest slices first, then new slices. */
const planGroup = (group: PortGroup, slices: readonly Slice[], capacity: number): Plan[] => {
  const { addressType, ports } = group
  const desired = new Map(group.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]))
  const plans: Plan[] = slices.map((slice) => {
    const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => {
      const kept = desired.get(endpointKey(endpoint))
      if (kept === undefined) return []
      desired.delete(endpointKey(endpoint))
      return [kept]
    })
    return { slice, addressType, ports, endpoints }
  })
  const fresh = [...desired.values()]
  for (const plan of [...plans].sort((a, b) => b.endpoints.length - a.endpoints.length)) {
    plan.endpoints.push(...fresh.splice(0, Math.max(0, capacity - plan.endpoints.length)))
  }
  while (fresh.length > 0)
    plans.push({ slice: undefined, addressType, ports, endpoints: fresh.splice(0, capacity) })
  return plans.length > 0 ? plans : [{ slice: undefined, addressType, ports, endpoints: [] }]
}

const annotationsFor = (owner: SliceOwner): Record<string, string> => ({
  ...owner.annotations,
  ...defined({ [TRIGGER_TIME]: owner.trigger }),
})

const create = (client: Client, owner: SliceOwner, { addressType, ports, endpoints }: Plan): void => {
  const { name, namespace } = owner.object.metadata
  client.create(endpointSlices, {
    metadata: {
      generateName: `${name}-`,
      ...defined({ namespace }),
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
  const isUnchanged =
    deepEqual(slice.endpoints ?? [], endpoints) &&
    deepEqual(slice.ports ?? [], ports) &&
    deepEqual(slice.metadata.labels ?? {}, owner.labels) &&
    deepEqual(annotations, owner.annotations)
  if (isUnchanged) return
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

/** Merges groups with the same ports. */
const mergeGroups = (groups: readonly PortGroup[]): PortGroup[] => {
  const byKey = new Map<string, PortGroup>()
  for (const group of groups) {
    const known = byKey.get(groupKey(group))
    const endpoints = [...(known?.endpoints ?? []), ...group.endpoints]
    byKey.set(groupKey(group), { ...group, endpoints })
  }
  return [...byKey.values()]
}

export const reconcileSlices = (
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
  const plans = mergeGroups(groups).flatMap((group) =>
    planGroup(group, byGroup.get(groupKey(group)) ?? [], owner.capacity),
  )
  // Deletes empty slices except one, which shows that the Service has no endpoints.
  const filled = plans.filter(({ endpoints }) => endpoints.length > 0)
  const keptPlans = filled.length > 0 ? filled : plans.slice(0, 1)
  const used = new Set(keptPlans.map(({ slice }) => slice))
  const unused = existing.filter((slice) => !used.has(slice))
  for (const plan of keptPlans) {
    const slice = plan.slice ?? takeUnused(unused, plan)
    if (slice === undefined) create(client, owner, plan)
    else update(client, owner, slice, plan)
  }
  for (const slice of unused) remove(client, slice)
}

/** Takes an unused slice of the same address type, so that none is created. The type of a slice cannot change. */
const takeUnused = (unused: Slice[], { addressType }: Plan): Slice | undefined => {
  const index = unused.findIndex((slice) => slice.addressType === addressType)
  return index < 0 ? undefined : unused.splice(index, 1)[0]
}
