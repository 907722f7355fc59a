/** What the manifests of each system say, against what those of its original say. */
import { describe, expect, it } from 'vitest'
import { loadSystem } from '../../src/systems/index.ts'
import {
  differencesBetween,
  isMeant,
  listOriginals,
  readDeviations,
  readWorkloads,
  toWorkloads,
} from './testing/workloads.ts'

describe.each(listOriginals())('the manifests of %s', (name) => {
  it('are those of the original, but for what is listed with its reason', async () => {
    const original = readWorkloads(name)
    const ours = toWorkloads(await loadSystem(name))
    expect(Object.keys(ours).sort()).toEqual(Object.keys(original).sort())
    const differences = differencesBetween(original, ours)
    const deviations = readDeviations(name)
    expect(differences.filter((one) => !deviations.some((deviation) => isMeant(one, deviation)))).toEqual([])
    expect(deviations.filter((deviation) => !differences.some((one) => isMeant(one, deviation)))).toEqual([])
  })
})
