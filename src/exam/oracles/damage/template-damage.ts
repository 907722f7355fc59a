/**
 * Finds damage to a workload that may be changed: parts that differ both from the baseline and from their state after
 * the injection.
 */
import { type ApiObject, type ContainerView, containersOf, quantityValue, type SystemView } from '#spec'
import { toIntent } from '../objects/intent.ts'
import { type DriftRule, driftOf, isSame, type Versions } from './drift.ts'
import { NOTE_RULES } from './note-rules.ts'
import type { ServicePermission } from './permissions.ts'

/** The first version of the rules in which the oracle of the cause judges host aliases. */
const RULES_WITH_HOST_ALIASES = 7
/** Limits and requests may grow by at most this factor. */
const LIMIT_FACTOR = 2
/** The number of replicas may grow by at most this factor. */
const REPLICAS_FACTOR = 4
/** The same for a service that lacks capacity. */
const SHORTAGE_REPLICAS_FACTOR = 10

/** NaN for an invalid quantity, so that comparisons are false. */
const quantity = (text: unknown): number => quantityValue(text) ?? Number.NaN

const tagOf = (image: string): string => image.slice(image.lastIndexOf(':') + 1)
const repositoryOf = (image: string): string => image.slice(0, image.lastIndexOf(':'))

type Resources = NonNullable<ContainerView['resources']>

const containerAt = (path: string): string => `container ${path.split('/').at(-2)}`

const imageRule = (good: readonly string[]): DriftRule => ({
  path: /^spec\/template\/spec\/containers\/[^/]+\/image$/,
  judge({ now, baseline }, path) {
    const [image, before] = [String(now), String(baseline)]
    const isGood = repositoryOf(image) === repositoryOf(before) && good.includes(tagOf(image))
    return isGood ? [] : [`${containerAt(path)} runs the image ${image} instead of ${before}`]
  },
})

/** The oracle `cause-gone` judges the startup probe of the main container only. */
const probeRule = (permitted: readonly string[], mainContainer: string | undefined): DriftRule => ({
  path: /^spec\/template\/spec\/containers\/[^/]+\/(liveness|readiness|startup)Probe$/,
  judge({ now }, path) {
    const probe = path.slice(path.lastIndexOf('/') + 1)
    const isJudged = probe !== 'startupProbe' || path.split('/').at(-2) === mainContainer
    if (permitted.includes(probe) && isJudged && now !== undefined) return []
    return [`${containerAt(path)} ${now === undefined ? 'lost its' : 'has a different'} ${probe}`]
  },
})

/** Judges a limit or a request of one resource; `max` is its highest allowed value. */
const amountDamage = (
  field: string,
  { now, baseline, injected }: Versions<string | undefined>,
  max: number,
): string[] => {
  if (now === injected || quantity(now) === quantity(injected)) return []
  if (now === undefined) return baseline === undefined ? [] : [`lost its ${field} (${baseline})`]
  if (baseline === undefined && injected !== undefined) return []
  if (quantity(now) < quantity(baseline)) return [`has a lower ${field}: ${now} instead of ${baseline}`]
  return quantity(now) <= max ? [] : [`has an inflated ${field}: ${now} instead of ${baseline ?? 'none'}`]
}

const resourceDamage = ({ now, baseline, injected }: Versions<Resources>): string[] => {
  const declared = [now, baseline, injected].flatMap(({ limits, requests }) => [limits, requests])
  return [...new Set(declared.flatMap((amounts) => Object.keys(amounts ?? {})))].flatMap((resource) => {
    const select = (part: 'limits' | 'requests'): Versions<string | undefined> => ({
      now: now[part]?.[resource],
      baseline: baseline[part]?.[resource],
      injected: injected[part]?.[resource],
    })
    const [limit, request] = [select('limits'), select('requests')]
    const max = LIMIT_FACTOR * (quantityValue(limit.baseline) ?? quantityValue(request.baseline) ?? 0)
    return [
      // A new limit is damage: it restricts the container.
      ...amountDamage(`${resource} limit`, limit, limit.baseline === undefined ? 0 : max),
      ...amountDamage(`${resource} request`, request, max),
    ]
  })
}

const RESOURCES: DriftRule = {
  path: /^spec\/template\/spec\/containers\/[^/]+\/resources$/,
  judge({ now, baseline, injected }, path) {
    const versions = { now: now ?? {}, baseline: baseline ?? {}, injected: injected ?? {} }
    return resourceDamage(versions as Versions<Resources>).map((field) => `${containerAt(path)} ${field}`)
  },
}

/** New names of ports have no effect; objects that refer to them are judged elsewhere. */
const PORT_NAMES: DriftRule = {
  path: /^spec\/template\/spec\/containers\/[^/]+\/ports\/[^/]+\/name$/,
  judge: ({ baseline }, path) => (baseline === undefined ? [] : [`${containerAt(path)} has a renamed port`]),
}

/** The number of old revisions, and the time after which a rollout is reported as stuck, have no effect. */
const BOOKKEEPING: DriftRule = {
  path: /^spec\/(revisionHistoryLimit|progressDeadlineSeconds)$/,
  judge: () => [],
}

/** The oracle `cause-gone` judges all host aliases of a fault. */
const HOST_ALIASES: DriftRule = {
  path: /^spec\/template\/spec\/hostAliases$/,
  judge: (versions, path) =>
    isSame(versions.baseline, versions.injected) ? driftOf(versions, [], path) : [],
}

const replicasRule = (isAutoscaled: boolean, maxFactor: number): DriftRule => ({
  path: /^spec\/replicas$/,
  judge({ now = 1, baseline = 1 }) {
    const max = maxFactor * Math.max(1, Number(baseline))
    return isAutoscaled || Number(now) <= max
      ? []
      : [`has ${now} replicas instead of ${baseline} (at most ${max} are allowed)`]
  },
})

/** Pods may be placed anywhere. */
const PLACEMENT: DriftRule = {
  path: /^spec\/template\/spec\/(nodeSelector|affinity|topologySpreadConstraints)$/,
  judge: () => [],
}

/** A new affinity may contain only preferences, which exclude no pod from a node. */
const PREFERENCE: DriftRule = {
  path: /^spec\/template\/spec\/affinity$/,
  judge: ({ now, baseline }) =>
    baseline === undefined && now !== undefined && !JSON.stringify(now).includes('"required')
      ? []
      : [`${now === undefined ? 'lost its' : 'has a different'} affinity`],
}

/** Omits `paused: false`, which is the default. */
const toComparable = (workload: ApiObject): unknown => {
  const intent = toIntent(workload)
  const { paused, ...spec } = intent.spec as Readonly<Record<string, unknown>>
  return { ...intent, spec: { ...spec, ...(paused === true ? { paused } : {}) } }
}

export const templateDamage = (
  system: SystemView,
  service: string,
  permission: ServicePermission,
  objects: Versions<ApiObject> & { readonly isAutoscaled: boolean; readonly rules: number },
): string[] => {
  const { good } = system.releasesOf(service)
  const rules = [
    imageRule(permission.anyGoodRelease ? good : []),
    probeRule(permission.probes, containersOf(objects.baseline)[0]?.name),
    ...[RESOURCES, PORT_NAMES, BOOKKEEPING, ...NOTE_RULES],
    ...(objects.rules < RULES_WITH_HOST_ALIASES ? [] : [HOST_ALIASES]),
    replicasRule(objects.isAutoscaled, permission.autoscaler ? SHORTAGE_REPLICAS_FACTOR : REPLICAS_FACTOR),
    ...(permission.placement ? [PLACEMENT] : [PREFERENCE]),
  ]
  const { now, baseline, injected } = objects
  return driftOf(
    { now: toComparable(now), baseline: toComparable(baseline), injected: toComparable(injected) },
    rules,
  )
}
