/** What may be changed in a workload of a service that may be changed: all else is as it was, or as the fault has left it. */
import { isDeepStrictEqual } from 'node:util'
import { type ApiObject, type ContainerView, quantityValue, type SystemView } from '../../spec/index.ts'
import { toIntent } from '../intent.ts'
import type { ServicePermission } from '../permissions.ts'
import { type DriftRule, driftOf, type Versions } from './drift.ts'

/** Limits, and what is asked for, may grow by this factor and no more. */
const LIMIT_FACTOR = 2
/** Pods may become so many times as many. */
const REPLICAS_FACTOR = 4

/** NaN where it is none, which is neither more nor less than anything. */
const quantity = (written: unknown): number => quantityValue(written) ?? Number.NaN

const tagOf = (image: string): string => image.slice(image.lastIndexOf(':') + 1)
const repositoryOf = (image: string): string => image.slice(0, image.lastIndexOf(':'))

type Resources = NonNullable<ContainerView['resources']>

const containerAt = (place: string): string => `the container ${place.split('/').at(-2)}`

const imageRule = (good: readonly string[]): DriftRule => ({
  place: /^spec\/template\/spec\/containers\/[^/]+\/image$/,
  judge({ now, baseline }, place) {
    const [is, was] = [String(now), String(baseline)]
    const isGood = repositoryOf(is) === repositoryOf(was) && good.includes(tagOf(is))
    return isGood ? [] : [`${containerAt(place)} runs the image ${is} instead of ${was}`]
  },
})

const probeRule = (free: readonly string[]): DriftRule => ({
  place: /^spec\/template\/spec\/containers\/[^/]+\/(liveness|readiness|startup)Probe$/,
  judge({ now }, place) {
    const probe = place.slice(place.lastIndexOf('/') + 1)
    if (free.includes(probe) && now !== undefined) return []
    return [`${containerAt(place)} has ${now === undefined ? 'lost its' : 'another'} ${probe}`]
  },
})

/** One resource of one sort; `most` is what it may grow to. */
const amountDamage = (
  what: string,
  { now, baseline, injected }: Versions<string | undefined>,
  most: number,
): string[] => {
  if (now === injected || quantity(now) === quantity(injected)) return []
  if (now === undefined) return baseline === undefined ? [] : [`has lost its ${what} (${baseline})`]
  if (baseline === undefined && injected !== undefined) return []
  if (quantity(now) < quantity(baseline)) return [`has a lower ${what}: ${now} instead of ${baseline}`]
  return quantity(now) <= most ? [] : [`has an inflated ${what}: ${now} instead of ${baseline ?? 'none'}`]
}

const resourceDamage = ({ now, baseline, injected }: Versions<Resources>): string[] => {
  const known = [now, baseline, injected].flatMap(({ limits, requests }) => [limits, requests])
  return [...new Set(known.flatMap((one) => Object.keys(one ?? {})))].flatMap((resource) => {
    const of = (sort: keyof Resources): Versions<string | undefined> => ({
      now: now[sort]?.[resource],
      baseline: baseline[sort]?.[resource],
      injected: injected[sort]?.[resource],
    })
    const [limit, request] = [of('limits'), of('requests')]
    const most = LIMIT_FACTOR * (quantityValue(limit.baseline) ?? quantityValue(request.baseline) ?? 0)
    return [
      // A limit where there was none takes something away.
      ...amountDamage(`limit of ${resource}`, limit, limit.baseline === undefined ? 0 : most),
      ...amountDamage(`request of ${resource}`, request, most),
    ]
  })
}

const RESOURCES: DriftRule = {
  place: /^spec\/template\/spec\/containers\/[^/]+\/resources$/,
  judge({ now, baseline, injected }, place) {
    const versions = { now: now ?? {}, baseline: baseline ?? {}, injected: injected ?? {} }
    return resourceDamage(versions as Versions<Resources>).map((what) => `${containerAt(place)} ${what}`)
  },
}

/** Notes that nobody acts on, and that which lets pods begin anew; what others go by stays. */
const ACTED_ON = /(^|[./])(kubernetes|k8s|prometheus|istio|linkerd)\.io\//
const NOTES = ['kubectl.kubernetes.io/restartedAt', 'kubernetes.io/change-cause']

const ANNOTATIONS: DriftRule = {
  place: /^(spec\/template\/metadata\/)?annotations\/.+$/,
  judge({ now, baseline, injected }, place) {
    const key = place.slice(place.indexOf('annotations/') + 'annotations/'.length)
    const isFaults = !isDeepStrictEqual(baseline, injected)
    if (isFaults || NOTES.includes(key) || (baseline === undefined && !ACTED_ON.test(key))) return []
    return [`has ${now === undefined ? 'lost the' : 'another'} annotation ${key}`]
  },
}

const LABELS: DriftRule = {
  place: /^spec\/template\/metadata\/labels\/.+$/,
  judge({ now, baseline, injected }, place) {
    const key = place.slice(place.indexOf('labels/') + 'labels/'.length)
    if (baseline === undefined || !isDeepStrictEqual(baseline, injected)) return []
    return [`pods ${now === undefined ? 'have lost the' : 'have another'} label ${key}`]
  },
}

const replicasRule = (isAutoscaled: boolean): DriftRule => ({
  place: /^spec\/replicas$/,
  judge({ now = 1, baseline = 1 }) {
    const most = REPLICAS_FACTOR * Math.max(1, Number(baseline))
    return isAutoscaled || Number(now) <= most
      ? []
      : [`wants ${now} pods instead of ${baseline}, more than ${most}`]
  },
})

/** Where pods are put. */
const PLACEMENT: DriftRule = {
  place: /^spec\/template\/spec\/(nodeSelector|affinity|topologySpreadConstraints)$/,
  judge: () => [],
}

/** `paused: false` says nothing. */
const toComparable = (workload: ApiObject): unknown => {
  const intent = toIntent(workload)
  const { paused, ...spec } = intent.spec as Readonly<Record<string, unknown>>
  return { ...intent, spec: { ...spec, ...(paused === true ? { paused } : {}) } }
}

/** Of a workload that may be changed: what is neither as it was nor as the fault has left it, and may not be so. */
export const templateDamage = (
  system: SystemView,
  service: string,
  permission: ServicePermission,
  objects: Versions<ApiObject> & { readonly isAutoscaled: boolean },
): string[] => {
  const { good } = system.releasesOf(service)
  const rules = [
    imageRule(permission.anyGoodRelease ? good : []),
    probeRule(permission.probes),
    ...[RESOURCES, ANNOTATIONS, LABELS, replicasRule(objects.isAutoscaled)],
    ...(permission.placement ? [PLACEMENT] : []),
  ]
  const { now, baseline, injected } = objects
  return driftOf(
    { now: toComparable(now), baseline: toComparable(baseline), injected: toComparable(injected) },
    rules,
  )
}
