/** Tests that every service has a good older release and one with each defect, with neutral tags. */
import { describe, expect, it } from 'vitest'
import type { Defect, ServiceTopology } from '#spec'
import { createSystemView } from '#world/system-view'
import { listSystemNames, loadSystem } from './index.ts'

const KINDS: readonly Defect['kind'][] = [
  'crash',
  'failing-endpoint',
  'hot-loop',
  'leak',
  'slow',
  'wrong-port',
]

/** A version and optionally a base image: `v0.3.9`, `6.2.1-alpine`. */
const NEUTRAL_TAG = /^v?\d+(\.\d+)+(-(alpine|slim|management|debian|bullseye))?$/

const tagOf = (image: string): string => image.slice(image.lastIndexOf(':') + 1)

const toNumbers = (tag: string): number[] => (tag.match(/\d+/g) ?? []).map(Number)

/** Compares versions; a tag without a number is newer than all others. */
const isOlder = (a: string, b: string): boolean => {
  const [left, right] = [toNumbers(a), toNumbers(b)]
  if (right.length === 0) return true
  const index = left.findIndex((number, at) => number !== (right[at] ?? 0))
  return index >= 0 && left[index]! < (right[index] ?? 0)
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
  for (const [tag] of releases) expect(tag, name).toMatch(NEUTRAL_TAG)
  const failing = releases.flatMap(([, { defects = [] }]) => defects).find(isFailingEndpoint)
  if (failing?.endpoint !== undefined && behaviour.endpoints !== undefined)
    expect(Object.keys(behaviour.endpoints), name).toContain(failing.endpoint)
}

const isFailingEndpoint = (defect: Defect): defect is Extract<Defect, { kind: 'failing-endpoint' }> =>
  defect.kind === 'failing-endpoint'

const names = listSystemNames()

describe.each(names.filter((name) => name !== 'simple-micro'))('the releases of %s', (name) => {
  it('include a good older one and one with each defect, for every service', async () => {
    const { topology } = await loadSystem(name)
    for (const [service, declared] of Object.entries(topology!.services)) checkService(service, declared)
  })
})

describe('the releases of simple-micro', () => {
  it('include a good older one and one with each defect', async () => {
    const { images, releases } = await loadSystem('simple-micro')
    for (const { name } of images) expect(tagOf(name)).toMatch(NEUTRAL_TAG)
    for (const declared of Object.values(releases!)) {
      const qualities = Object.values(declared)
      expect(qualities.filter((quality) => quality !== 'good').sort()).toEqual(KINDS)
      const good = Object.keys(declared).filter((tag) => declared[tag] === 'good')
      expect(good.some((tag) => isOlder(tag, '3.9'))).toBe(true)
      for (const tag of Object.keys(declared)) expect(images.map(({ name }) => tagOf(name))).toContain(tag)
    }
  })

  it('look alike, including the deployed one', async () => {
    const { images, manifests } = await loadSystem('simple-micro')
    const shapes = images.map(({ name: _, files, simulated, ...image }) => ({
      ...image,
      programs: Object.keys(simulated?.programs ?? {}),
      files: Object.keys(files!),
    }))
    for (const shape of shapes) expect(shape).toEqual(shapes[0])
    const deployed = JSON.stringify(manifests).match(/python:[\w.-]+/)![0]
    expect(images.map(({ name }) => name)).toContain(deployed)
  })
})

describe.each(names)('the releases of %s', (name) => {
  it('have tags that depend on the secret if they are bad, and fixed tags if they are good', async () => {
    const system = await loadSystem(name)
    const listBadReleases = (secret: string): string[] => {
      const view = createSystemView({ ...system, ...system.drawReleases!(secret) })
      return view.workloads.flatMap(({ service }) =>
        [...view.releasesOf(service).bad].map(([defect, tag]) => `${service} ${defect} ${tag}`),
      )
    }
    expect(listBadReleases('a')).toHaveLength(listBadReleases('b').length)
    expect(listBadReleases('a').toSorted()).toEqual(listBadReleases('a').toSorted())
    expect(listBadReleases('a').toSorted()).not.toEqual(listBadReleases('b').toSorted())
    const listGoodReleases = (secret: string) => {
      const view = createSystemView({ ...system, ...system.drawReleases!(secret) })
      return view.workloads.map(({ service }) => view.releasesOf(service).good)
    }
    // Verdicts depend only on the good releases, and therefore not on the secret.
    const view = createSystemView(system)
    expect(listGoodReleases('a')).toEqual(view.workloads.map(({ service }) => view.releasesOf(service).good))
  })
})
