/**
 * Judges which pods the LimitRanges of a namespace admit, and what they fill in: the pods of the system must be admitted, and so must
 * new pods, with and without limits of their own.
 */
import {
  type ApiObject,
  type CauseSnapshot,
  type ContainerView,
  type KubeObject,
  type ObjectsView,
  type PodSpecView,
  quantityValue,
  viewAs,
} from '#spec'

type LimitRangeItem = NonNullable<KubeObject<'LimitRange'>['spec']>['limits'][number]
/** By resource. */
type Amounts = Readonly<Record<string, string>>
type Values = Readonly<Record<string, number>>

interface Resources {
  readonly limits: Amounts
  readonly requests: Amounts
}

/** With less, hardly any program starts. No container has amounts of other resources than these. */
const MIN_LIMITS: Values = { cpu: 0.05, memory: 64 * 2 ** 20, 'ephemeral-storage': 64 * 2 ** 20 }
/** The same for programs that serve requests and had no limit before. */
const MIN_SERVING_LIMITS: Values = { ...MIN_LIMITS, cpu: 0.2, memory: 256 * 2 ** 20 }
/** A new container with usual amounts. */
const USUAL: Resources = {
  requests: { cpu: '100m', memory: '128Mi' },
  limits: { cpu: '200m', memory: '256Mi' },
}
const USUAL_CLAIM = '1Gi'
const NONE: Resources = { limits: {}, requests: {} }

const itemsOf = (range: ApiObject): readonly LimitRangeItem[] =>
  viewAs('LimitRange', range).spec?.limits ?? []

/** The defaults of a container: the API derives those that are not declared from the others. */
const defaultsOf = (item: LimitRangeItem): Resources => {
  const limits = { ...item.max, ...item.default }
  return { limits, requests: { ...item.min, ...limits, ...item.defaultRequest } }
}

/** The resources with which the container is created. A request that is not declared equals the declared limit. */
const withDefaults = (declared: Resources, items: readonly LimitRangeItem[]): Resources => {
  let { limits, requests } = {
    limits: declared.limits,
    requests: { ...declared.limits, ...declared.requests },
  }
  for (const item of items.filter(({ type }) => type === 'Container')) {
    const defaults = defaultsOf(item)
    limits = { ...defaults.limits, ...limits }
    requests = { ...defaults.requests, ...requests }
  }
  return { limits, requests }
}

const amountOf = (amounts: Amounts | undefined, resource: string, missing: number): number =>
  amounts?.[resource] === undefined ? missing : (quantityValue(amounts[resource]) ?? Number.NaN)

/** Comparisons with an amount that is not a number are false. */
const isWithin = (
  { min, max, maxLimitRequestRatio }: LimitRangeItem,
  { limits, requests }: Resources,
): boolean => {
  const INFINITE = Number.POSITIVE_INFINITY
  const exceeds = (resource: string): boolean =>
    amountOf(limits, resource, INFINITE) <= amountOf(max, resource, INFINITE) &&
    amountOf(requests, resource, 0) <= amountOf(max, resource, INFINITE)
  const reaches = (resource: string): boolean =>
    amountOf(requests, resource, 0) >= amountOf(min, resource, 0) &&
    amountOf(limits, resource, INFINITE) >= amountOf(min, resource, 0)
  const hasRatio = (resource: string): boolean =>
    amountOf(limits, resource, INFINITE) <=
    amountOf(maxLimitRequestRatio, resource, INFINITE) * amountOf(requests, resource, 0)
  return (
    Object.keys(max ?? {}).every(exceeds) &&
    Object.keys(min ?? {}).every(reaches) &&
    Object.keys(maxLimitRequestRatio ?? {}).every(hasRatio)
  )
}

const isConsistent = ({ limits, requests }: Resources): boolean =>
  Object.keys(limits).every(
    (resource) => amountOf(requests, resource, 0) <= amountOf(limits, resource, Number.POSITIVE_INFINITY),
  )

/** Whether the limits that the LimitRanges add are enough, and of resources that every node has. */
const areAddedLimitsEnough = (declared: Resources, { limits }: Resources, minimum: Values): boolean =>
  Object.keys(limits)
    .filter((resource) => declared.limits[resource] === undefined)
    .every((resource) => amountOf(limits, resource, 0) >= (minimum[resource] ?? Number.POSITIVE_INFINITY))

/** The sum for a pod; without a limit if a container has none. */
const sumOf = (all: readonly Resources[], part: keyof Resources): Amounts => {
  const resources = new Set(all.flatMap((one) => Object.keys(one[part])))
  const missing = part === 'limits' ? Number.POSITIVE_INFINITY : 0
  return Object.fromEntries(
    [...resources].flatMap((resource) => {
      const sum = all.reduce((total, one) => total + amountOf(one[part], resource, missing), 0)
      return Number.isFinite(sum) ? [[resource, String(sum)]] : []
    }),
  )
}

const declaredOf = ({ resources }: Pick<ContainerView, 'resources'>): Resources => ({
  limits: (resources?.limits ?? {}) as Amounts,
  requests: (resources?.requests ?? {}) as Amounts,
})

/** A container that is to be created. */
interface Planned {
  readonly declared: Resources
  /** For limits that it does not declare. */
  readonly minimum: Values
}

const plansOf = ({ containers, initContainers = [] }: PodSpecView): readonly Planned[] => [
  ...containers.map((container, index) => ({
    declared: declaredOf(container),
    minimum: index === 0 ? MIN_SERVING_LIMITS : MIN_LIMITS,
  })),
  ...initContainers.map((container) => ({ declared: declaredOf(container), minimum: MIN_LIMITS })),
]

const NEW_PODS: readonly (readonly Planned[])[] = [NONE, USUAL].map((declared) => [
  { declared, minimum: MIN_LIMITS },
])

const admitsPod = (items: readonly LimitRangeItem[], plans: readonly Planned[]): boolean => {
  const created = plans.map(({ declared }) => withDefaults(declared, items))
  const pod = { limits: sumOf(created, 'limits'), requests: sumOf(created, 'requests') }
  return (
    created.every((resources, index) => {
      const { declared, minimum } = plans[index]!
      return isConsistent(resources) && areAddedLimitsEnough(declared, resources, minimum)
    }) &&
    items.every(({ type, ...item }) => {
      if (type === 'Pod') return isWithin({ type, ...item }, pod)
      return type !== 'Container' || created.every((resources) => isWithin({ type, ...item }, resources))
    })
  )
}

/** The sizes of the claims of the system, and that of a new one. */
const claimSizesOf = (objects: ObjectsView): readonly string[] => [
  USUAL_CLAIM,
  ...objects.list('PersistentVolumeClaim').flatMap((claim) => {
    const { requests } = viewAs('PersistentVolumeClaim', claim).spec?.resources ?? {}
    return requests?.storage ?? []
  }),
  ...objects
    .list('StatefulSet')
    .flatMap((set) =>
      (viewAs('StatefulSet', set).spec?.volumeClaimTemplates ?? []).flatMap(
        ({ spec }) => spec?.resources?.requests?.storage ?? [],
      ),
    ),
]

const admitsClaims = (items: readonly LimitRangeItem[], objects: ObjectsView): boolean =>
  items
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .every((item) =>
      claimSizesOf(objects).every((storage) =>
        isWithin({ ...item, maxLimitRequestRatio: {} }, { limits: { storage }, requests: { storage } }),
      ),
    )

/** The amounts that the nodes have in total; undefined if they are not known. */
const totalOf = (objects: ObjectsView, resource: string): number | undefined => {
  const amounts = objects
    .list('Node')
    .map((node) => quantityValue(viewAs('Node', node).status?.allocatable?.[resource]))
  return amounts.length === 0 || amounts.includes(undefined)
    ? undefined
    : amounts.reduce<number>((sum, amount) => sum + amount!, 0)
}

/** Whether the nodes have room for all pods of the system at once, and for one more, with the requests that the LimitRanges add. */
const areRequestsSchedulable = (
  items: readonly LimitRangeItem[],
  { system, now }: Pick<CauseSnapshot, 'system' | 'now'>,
): boolean => {
  const pods = [
    ...system.workloads.flatMap(({ podSpec, replicas }) =>
      Array.from({ length: replicas }, () => podSpec.containers.map(declaredOf)),
    ),
    [NONE],
  ]
  const created = pods.flat().map((declared) => withDefaults(declared, items))
  const without = pods.flat().map((declared) => withDefaults(declared, []))
  return ['cpu', 'memory'].every((resource) => {
    const [needed, former] = [created, without].map((all) => amountOf(sumOf(all, 'requests'), resource, 0))
    return needed! <= Math.max(former!, totalOf(now, resource) ?? Number.POSITIVE_INFINITY)
  })
}

/** Whether the pods and claims of the system, and usual new ones, can be created with all LimitRanges, and work. */
export const admitsWorkloads = (
  ranges: readonly ApiObject[],
  snapshot: Pick<CauseSnapshot, 'system' | 'baseline' | 'now'>,
): boolean => {
  const pods = [...snapshot.system.workloads.map(({ podSpec }) => plansOf(podSpec)), ...NEW_PODS]
  // Which of several LimitRanges sets the defaults first is not defined.
  return ranges.every((first) => {
    const items = [first, ...ranges.filter((range) => range !== first)].flatMap(itemsOf)
    return (
      pods.every((plans) => admitsPod(items, plans)) &&
      admitsClaims(items, snapshot.baseline) &&
      areRequestsSchedulable(items, snapshot)
    )
  })
}
