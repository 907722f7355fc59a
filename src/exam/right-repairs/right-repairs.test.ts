/** Tests that right repairs cover at least twenty faults, are named and described, and fit a target. */
import { expect, it } from 'vitest'
import { loadFaults } from '#exam/faults'
import { createSystemView } from '#world/system-view'
import { listSystemNames, loadSystem } from '#world/systems'
import { RIGHT_REPAIRS } from './index.ts'

const faults = await loadFaults()
const systems = await Promise.all(
  listSystemNames().map(async (name) => createSystemView(await loadSystem(name))),
)

it('repairs at least twenty faults in ways other than the reference', () => {
  expect(new Set(RIGHT_REPAIRS.flatMap((repair) => repair.faults)).size).toBeGreaterThanOrEqual(20)
})

it('has unique names and describes each repair', () => {
  const names = RIGHT_REPAIRS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { name, about } of RIGHT_REPAIRS) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(about).toMatch(/^[A-Z].{20,}[^.]$/)
  }
})

it.each(RIGHT_REPAIRS.map((repair) => [repair.name, repair] as const))(
  '%s fits a target of each of its faults',
  (_name, { faults: names, fits }) => {
    for (const name of names) {
      const fault = faults.get(name)!
      const params = Object.fromEntries(
        Object.entries(fault.parameters).map(([key, declaration]) => [key, declaration.default]),
      )
      const cases = systems.flatMap((system) =>
        fault.targets(system).map((target) => ({ system, target, params })),
      )
      expect(
        cases.some((faultCase) => fits?.(faultCase) ?? true),
        name,
      ).toBe(true)
    }
  },
)
