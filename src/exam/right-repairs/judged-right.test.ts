/** Tests that each right repair resolves its problem without damage, on a cluster with simulated pods. */
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
    return { fault, ...cases.find((candidate) => fits?.({ ...candidate, params: {} }) ?? true)! }
  })

const REPAIR_CASES = RIGHT_REPAIRS.filter(({ needsPrograms }) => needsPrograms !== true).flatMap((repair) =>
  casesOf(repair).map((repairCase) => {
    const { fault, system } = repairCase
    return [`${repair.name} of ${fault.name} on ${system.name}`, repair, repairCase] as const
  }),
)

it.each(REPAIR_CASES)('%s is judged right', async (_name, repair, repairCase) => {
  const { outcome, reason, damage } = await playRepair(repair, repairCase)
  expect({ outcome, damage }, reason).toEqual({ outcome: 'resolved', damage: [] })
})

const CASE_PER_FAULT = [
  ...new Map(REPAIR_CASES.map(([, , repairCase]) => [repairCase.fault.name, repairCase])).entries(),
]

it.each(CASE_PER_FAULT)('%s is not repaired if nothing is done', async (_name, repairCase) => {
  const { outcome, judgements } = await playRepair({ act: async () => {} }, repairCase)
  expect(outcome).toBe('unresolved')
  expect(judgements.find(({ oracle }) => oracle === 'cause-gone')).toMatchObject({ holds: false })
})
