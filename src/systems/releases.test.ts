/** Proves that every service has a good older release and one of each bad kind, by tags that tell nothing. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Defect, ServiceTopology } from '../spec/index.ts'
import { listSystemNames, loadSystem } from './index.ts'

const KINDS: readonly Defect['kind'][] = [
  'crash',
  'failing-endpoint',
  'hot-loop',
  'leak',
  'slow',
  'wrong-port',
]

/** A version, and what it is built on: `v0.3.9`, `6.2.1-alpine`. */
const NEUTRAL = /^v?\d+(\.\d+)+(-(alpine|slim|management|debian|bullseye))?$/

const tagOf = (image: string): string => image.slice(image.lastIndexOf(':') + 1)

const toNumbers = (tag: string): number[] => (tag.match(/\d+/g) ?? []).map(Number)

/** As versions are compared; a tag without a number is newer than all. */
const isOlder = (one: string, other: string): boolean => {
  const [mine, others] = [toNumbers(one), toNumbers(other)]
  if (others.length === 0) return true
  const place = mine.findIndex((number, at) => number !== (others[at] ?? 0))
  return place >= 0 && mine[place]! < (others[place] ?? 0)
}

const checkService = (name: string, { deploy, behaviour }: ServiceTopology): void => {
  const releases = Object.entries(deploy.releases ?? {})
  const good = releases.filter(([, { defects = [] }]) => defects.length === 0).map(([tag]) => tag)
  expect(
    good.some((tag) => isOlder(tag, tagOf(deploy.image))),
    `${name} has no good release before ${deploy.image}`,
  ).toBe(true)
  const kinds = releases.flatMap(([, { defects = [] }]) => defects.map(({ kind }) => kind))
  expect(kinds.sort(), name).toEqual(KINDS)
  for (const [tag] of releases) expect(tag, name).toMatch(NEUTRAL)
  const failing = releases.flatMap(([, { defects = [] }]) => defects).find(isFailing)
  if (failing?.endpoint !== undefined && behaviour.endpoints !== undefined)
    expect(Object.keys(behaviour.endpoints), name).toContain(failing.endpoint)
}

const isFailing = (defect: Defect): defect is Extract<Defect, { kind: 'failing-endpoint' }> =>
  defect.kind === 'failing-endpoint'

const names = listSystemNames()

describe.each(names.filter((name) => name !== 'simple-micro'))('the releases of %s', (name) => {
  it('are a good older one and one of each bad kind for every service', async () => {
    const { topology } = await loadSystem(name)
    for (const [service, declared] of Object.entries(topology!.services)) checkService(service, declared)
  })
})

describe('the releases of simple-micro', () => {
  it('are a good older one and one of each bad kind', async () => {
    const { images = [] } = await loadSystem('simple-micro')
    const tags = images.map(({ name }) => tagOf(name))
    for (const tag of tags) expect(tag).toMatch(NEUTRAL)
    const bad = images.filter(({ folders }) => folders !== undefined)
    expect(bad).toHaveLength(KINDS.length)
    for (const { folders } of bad)
      expect(Object.values(folders!).flatMap((folder) => readdirSync(folder))).toContain('sitecustomize.py')
    const good = images.filter(({ folders }) => folders === undefined)
    expect(good.some(({ name }) => isOlder(tagOf(name), '3.9'))).toBe(true)
  })
})
