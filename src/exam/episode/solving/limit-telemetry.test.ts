/** Tests the telemetry for untrusted solvers. */
import { expect, it } from 'vitest'
import type { TelemetryQuery } from '#spec'
import { limitTelemetry } from './limit-telemetry.ts'

const createQuery = (filters: unknown[]): TelemetryQuery => {
  const record = (filter: unknown): never[] => {
    filters.push(filter)
    return []
  }
  return {
    extent: async () => ({ from: 10, to: 90 }),
    graph: async (range: unknown) => record(range),
    logs: async (filter: unknown) => record(filter),
    trace: async () => [{ start: 40 }, { start: 60 }],
    alerts: async () => [{ raised: 40 }, { raised: 60 }],
    events: async () => [{ object: 'NetworkChaos/slow' }, { object: 'Pod/cart-1' }],
  } as unknown as TelemetryQuery
}

it('limits every query to the given time or later', async () => {
  const filters: unknown[] = []
  const limited = limitTelemetry(createQuery(filters), 50)
  expect(await limited.extent()).toEqual({ from: 50, to: 90 })
  await limited.graph()
  await limited.graph({ from: 0, to: 70 })
  await limited.graph({ from: 0, to: 30 })
  await limited.logs({ limit: 3, range: { from: 60, to: 70 } })
  expect(filters).toEqual([
    { from: 50, to: 90 },
    { from: 50, to: 70 },
    { from: 50, to: 50 },
    { limit: 3, range: { from: 60, to: 70 } },
  ])
  expect(await limited.trace('t')).toEqual([{ start: 60 }])
  expect(await limited.alerts()).toEqual([{ raised: 60 }])
})

it('hides events about objects of the laboratory', async () => {
  expect(await limitTelemetry(createQuery([]), 50).events()).toEqual([{ object: 'Pod/cart-1' }])
})
