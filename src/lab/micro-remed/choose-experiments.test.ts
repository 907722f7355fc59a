/** Tests that experiments are drawn from a seed or loaded from a file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listFittingTypes } from '#exam/problems'
import { FAULT_CATEGORIES } from '#spec'
import { listSystemNames } from '#world/systems'
import { chooseExperiments } from './choose-experiments.ts'

const drawTypes = async (system: string, count: number, seed?: string): Promise<string[]> => {
  const { problems } = await chooseExperiments({ system, count, seed, file: undefined })
  return problems.map(({ faults }) => faults[0]!.fault)
}

it.each(listSystemNames())('draws exactly the types that have a target on %s', async (system) => {
  expect(new Set(await drawTypes(system, 100))).toEqual(new Set(await listFittingTypes(system)))
})

it("draws all types on MicroRemed's systems, and the same ones for the same seed", async () => {
  for (const system of ['simple-micro', 'online-boutique', 'train-ticket'])
    expect(new Set(await drawTypes(system, 100))).toEqual(new Set(FAULT_CATEGORIES))
  const [first, repeated, other] = await Promise.all(
    ['a', 'a', 'b'].map((seed) => drawTypes('simple-micro', 20, seed)),
  )
  expect(repeated).toEqual(first)
  expect(other).not.toEqual(first)
})

describe('a file of experiments', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'experiments-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const chooseFrom = (system: string, name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return chooseExperiments({ system, count: 1, seed: undefined, file })
  }

  it('is rejected if a type in the list has no target', async () => {
    await expect(chooseFrom('hotel-reservation', 'list.txt', 'cpu-stress\ndisk-io\n')).rejects.toThrow(
      'The fault disk-io does not fit any service of hotel-reservation',
    )
  })

  it('is rejected if the suite has no problem on the system', async () => {
    const { problems } = await chooseFrom('simple-micro', 'list.txt', 'cpu-stress\n')
    const yaml = `about: one\nseed: s\nproblems:\n  - {system: simple-micro, fault: cpu-stress, task: mitigation}\n`
    for (const [name, text] of [
      ['few.json', JSON.stringify({ problems })],
      ['few.yaml', yaml],
    ] as const) {
      expect((await chooseFrom('simple-micro', name, text)).problems).toHaveLength(1)
      await expect(chooseFrom('online-boutique', name, text)).rejects.toThrow(
        `${join(folder, name)} has no problem on the system online-boutique.`,
      )
    }
  })

  it('keeps each line of a list, and drops duplicate problems of a suite', async () => {
    const { problems } = await chooseFrom('simple-micro', 'list.txt', 'cpu-stress\n'.repeat(10))
    expect(new Set(problems.map(({ id }) => id)).size).toBe(10)
    const [one, other] = problems
    const withDuplicate = JSON.stringify({ problems: [one, other, one] })
    expect((await chooseFrom('simple-micro', 'twice.json', withDuplicate)).problems).toEqual([one, other])
  })
})
