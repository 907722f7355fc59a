/** Compares the manifests of each system with those of its original. */
import { describe, expect, it } from 'vitest'
import { loadSystem } from '#world/systems'
import {
  differencesBetween,
  listOriginals,
  matchesDeviation,
  readDeviations,
  readWorkloads,
  toWorkloads,
} from './testing/workloads.ts'

describe.each(listOriginals())('the manifests of %s', (name) => {
  it('equal those of the original, except for listed deviations', async () => {
    const original = readWorkloads(name)
    const remedium = toWorkloads(await loadSystem(name))
    expect(Object.keys(remedium).sort()).toEqual(Object.keys(original).sort())
    const differences = differencesBetween(original, remedium)
    const deviations = readDeviations(name)
    expect(
      differences.filter(
        (difference) => !deviations.some((deviation) => matchesDeviation(difference, deviation)),
      ),
    ).toEqual([])
    expect(
      deviations.filter(
        (deviation) => !differences.some((difference) => matchesDeviation(difference, deviation)),
      ),
    ).toEqual([])
  })
})
