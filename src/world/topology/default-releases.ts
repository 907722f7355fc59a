/** The releases of a service that declares none: an older good one, and newer bad ones. */
import { defined } from '#kit'
import type { Behaviour, Defect, Release } from '#spec'

/** Matches only after `/` or `_`, so that `/deliveries` does not count as a health check. */
const HEALTH_CHECK = /[/_](?:health|ready|live|metrics|welcome|hello|version)\w*$/i

const defectsOf = (behaviour: Behaviour): Defect[] => {
  const endpoint = Object.keys(behaviour.endpoints ?? {}).find((name) => !HEALTH_CHECK.test(name))
  return [
    { kind: 'hot-loop' },
    { kind: 'leak' },
    { kind: 'crash' },
    { kind: 'slow' },
    { kind: 'wrong-port' },
    // Without an endpoint, as in a data store, the twin chooses a default.
    { kind: 'failing-endpoint', ...defined({ endpoint }) },
  ]
}

/** The versions before and after `v0.3.8`: `v0.3.7`, and `v0.3.9`, `v0.3.10`... */
const neighboursOf = (tag: string, count: number): { before: string; after: string[] } => {
  const version = /^(v?)(\d+)\.(\d+)(?:\.(\d+))?(.*)$/.exec(tag)
  const [, prefix = '', major = '1', minor = '0', patch, suffix = ''] = version ?? []
  const name = (...numbers: number[]): string => `${prefix}${numbers.join('.')}${suffix}`
  const [first, second, third] = [Number(major), Number(minor), Number(patch ?? 0)]
  const before =
    third > 0
      ? name(first, second, third - 1)
      : second > 0
        ? name(first, second - 1, 9)
        : name(Math.max(0, first - 1), 9, 0)
  return {
    before,
    after: Array.from({ length: count }, (_, index) => name(first, second, third + index + 1)),
  }
}

/** The releases by tag. An episode draws other tags for the defects (`drawTags`). */
export const defaultReleases = (tag: string, behaviour: Behaviour): Readonly<Record<string, Release>> => {
  const defects = defectsOf(behaviour)
  const { before, after } = neighboursOf(tag, defects.length)
  return Object.fromEntries([
    [before, {}],
    ...defects.map((defect, index) => [after[index], { defects: [defect] }]),
  ])
}
