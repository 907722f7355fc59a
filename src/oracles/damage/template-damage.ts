/** What may not be changed in the pod template of a service that may be changed: images, probes, limits, what others watch it by. */
import { isDeepStrictEqual } from 'node:util'
import { quantityValue } from '../../kit/index.ts'
import type { ApiObject, ContainerView, SystemView } from '../../spec/index.ts'
import type { ServicePermission } from '../permissions.ts'
import { type Marks, type Template, templateOf } from '../workload-template.ts'

/** Limits may grow by this factor and no more. */
const LIMIT_FACTOR = 2

/** NaN where it is none, which is neither more nor less than anything. */
const quantity = (written: unknown): number => quantityValue(written) ?? Number.NaN
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const

interface Containers {
  /** As it is now; the others where they are not there. */
  readonly now: ContainerView
  readonly baseline: ContainerView
  readonly injected: ContainerView | undefined
}

const tagOf = (image: string): string => image.slice(image.lastIndexOf(':') + 1)
const repositoryOf = (image: string): string => image.slice(0, image.lastIndexOf(':'))

const imageDamage = (
  { now, baseline, injected }: Containers,
  good: readonly string[],
): string | undefined => {
  if ([baseline.image, injected?.image].includes(now.image)) return undefined
  const isGood = repositoryOf(now.image) === repositoryOf(baseline.image) && good.includes(tagOf(now.image))
  return isGood ? undefined : `runs the image ${now.image} instead of ${baseline.image}`
}

const probeDamage = ({ now, baseline, injected }: Containers, free: readonly string[]): string[] =>
  PROBES.filter((probe) => {
    if (isDeepStrictEqual(now[probe], baseline[probe])) return false
    if (injected !== undefined && isDeepStrictEqual(now[probe], injected[probe])) return false
    return !free.includes(probe) || now[probe] === undefined
  }).map((probe) => `has ${now[probe] === undefined ? 'lost its' : 'another'} ${probe}`)

const limitDamage = ({ now, baseline, injected }: Containers): string[] => {
  const is = now.resources?.limits ?? {}
  return Object.entries(baseline.resources?.limits ?? {}).flatMap(([resource, before]) => {
    const limit = is[resource]
    const broken = injected?.resources?.limits?.[resource]
    if (limit === broken && injected !== undefined) return []
    if (limit === undefined) return [`has lost its limit of ${resource} (${before})`]
    if (quantity(limit) === quantity(broken)) return []
    if (quantity(limit) < quantity(before))
      return [`has a lower limit of ${resource}: ${limit} instead of ${before}`]
    if (quantity(limit) > LIMIT_FACTOR * quantity(before))
      return [`has an inflated limit of ${resource}: ${limit} instead of ${before}`]
    return []
  })
}

const markDamage = (what: string, now: Marks = {}, baseline: Marks = {}, injected: Marks = {}): string[] =>
  Object.entries(baseline)
    .filter(([key, value]) => now[key] !== value && now[key] !== injected[key])
    .map(([key]) => `pods ${now[key] === undefined ? 'have lost the' : 'have another'} ${what} ${key}`)

const containerDamage = (
  containers: Containers,
  permission: ServicePermission,
  good: readonly string[],
): string[] => {
  const image = imageDamage(containers, permission.anyGoodRelease ? good : [])
  const found = [
    ...(image === undefined ? [] : [image]),
    ...probeDamage(containers, permission.probes),
    ...limitDamage(containers),
  ]
  return found.map((what) => `the container ${containers.now.name} ${what}`)
}

/** Of a workload that may be changed: what is neither as it was nor as the fault has left it, and may not be so. */
export const templateDamage = (
  system: SystemView,
  service: string,
  permission: ServicePermission,
  objects: { readonly now: ApiObject; readonly baseline: ApiObject; readonly injected: ApiObject },
): string[] => {
  const [now, baseline, injected] = [objects.now, objects.baseline, objects.injected].map(templateOf) as [
    Template,
    Template,
    Template,
  ]
  const { good } = system.releasesOf(service)
  const { labels, annotations } = { ...now.metadata }
  return [
    ...baseline.spec.containers.flatMap((container) => {
      const named = ({ spec }: Template) => spec.containers.find(({ name }) => name === container.name)
      const is = named(now)
      const left = named(injected)
      if (is === undefined) return left === undefined ? [] : [`the container ${container.name} is gone`]
      return containerDamage({ now: is, baseline: container, injected: left }, permission, good)
    }),
    ...markDamage('label', labels, baseline.metadata?.labels, injected.metadata?.labels),
    ...markDamage('annotation', annotations, baseline.metadata?.annotations, injected.metadata?.annotations),
  ]
}
