/** Plays each right repair on a cluster with modelled pods, and tests that judges find the cause gone and nothing else broken. */
import { expect, it } from 'vitest'
import { loadFaults } from '#exam/faults'
import { playRepair, type RepairCase } from '#exam/right-repairs/testing'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { RIGHT_REPAIRS } from './index.ts'
import type { RightRepair } from './right-repair.ts'

const faults = await loadFaults()
/** Small systems first. */
const SYSTEMS = ['simple-micro', 'online-boutique', 'hotel-reservation', 'train-ticket']
const systems = await Promise.all(SYSTEMS.map(async (name) => createSystemView(await loadSystem(name))))

const casesOf = ({ faults: names, fits }: RightRepair): readonly RepairCase[] =>
  names.map((name) => {
    const fault = faults.get(name)!
    const cases = systems.flatMap((system) => fault.targets(system).map((target) => ({ system, target })))
    return { fault, ...cases.find((one) => fits?.({ ...one, params: {} }) ?? true)! }
  })

const ALL = RIGHT_REPAIRS.filter(({ needsPrograms }) => needsPrograms !== true).flatMap((repair) =>
  casesOf(repair).map(
    (one) => [`${repair.name} of ${one.fault.name} on ${one.system.name}`, repair, one] as const,
  ),
)

it.each(ALL)('%s is judged right', async (_name, repair, one) => {
  const { outcome, reason, damage } = await playRepair(repair, one)
  expect({ outcome, damage }, reason).toEqual({ outcome: 'resolved', damage: [] })
})

const FAULTY = [...new Map(ALL.map(([, , one]) => [one.fault.name, one])).entries()]

it.each(FAULTY)('%s is not repaired if nothing is done', async (_name, one) => {
  const { outcome, judgements } = await playRepair({ act: async () => {} }, one)
  expect(outcome).toBe('unresolved')
  expect(judgements.find(({ oracle }) => oracle === 'cause-gone')).toMatchObject({ holds: false })
})
