/** Tests of which experiments are drawn on which system. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fittingTypes } from '../../problems/index.ts'
import { FAULT_CATEGORIES } from '../../spec/index.ts'
import { listSystemNames } from '../../systems/index.ts'
import { chooseExperiments } from './choose-experiments.ts'

const typesOn = async (system: string, count: number, seed?: string): Promise<string[]> => {
  const { problems } = await chooseExperiments({ system, count, seed, file: undefined })
  return problems.map(({ faults }) => faults[0]!.fault)
}

it.each(listSystemNames())('draws on %s whatever fits it, and nothing else', async (system) => {
  expect(new Set(await typesOn(system, 100))).toEqual(new Set(await fittingTypes(system)))
})

it("draws all types on MicroRemed's own systems, by the seed", async () => {
  for (const system of ['simple-micro', 'online-boutique', 'train-ticket'])
    expect(new Set(await typesOn(system, 100))).toEqual(new Set(FAULT_CATEGORIES))
  const [one, again, other] = await Promise.all(
    ['a', 'a', 'b'].map((seed) => typesOn('simple-micro', 20, seed)),
  )
  expect(again).toEqual(one)
  expect(other).not.toEqual(one)
})

it('refuses a list with a type that does not fit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'experiments-'))
  try {
    const file = join(folder, 'list.txt')
    writeFileSync(file, 'cpu-stress\ndisk-io\n')
    const wish = { system: 'hotel-reservation', count: 1, seed: undefined, file }
    await expect(chooseExperiments(wish)).rejects.toThrow(
      'the fault disk-io fits no service of hotel-reservation',
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
