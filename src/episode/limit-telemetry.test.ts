/** What a solver that is not trusted gets to know of the time before, and of the laboratory. */
import { expect, it } from 'vitest'
import type { TelemetryQuery } from '../spec/index.ts'
import { limitTelemetry } from './limit-telemetry.ts'

const ask = (asked: unknown[]): TelemetryQuery => {
  const note = (one: unknown): never[] => {
    asked.push(one)
    return []
  }
  return {
    extent: async () => ({ from: 10, to: 90 }),
    graph: async (range: unknown) => note(range),
    logs: async (filter: unknown) => note(filter),
    trace: async () => [{ start: 40 }, { start: 60 }],
    alerts: async () => [{ raised: 40 }, { raised: 60 }],
    events: async () => [{ object: 'NetworkChaos/slow' }, { object: 'Pod/cart-1' }],
  } as unknown as TelemetryQuery
}

it('begins when it is told to, whatever is asked for', async () => {
  const asked: unknown[] = []
  const limited = limitTelemetry(ask(asked), 50)
  expect(await limited.extent()).toEqual({ from: 50, to: 90 })
  await limited.graph()
  await limited.graph({ from: 0, to: 70 })
  await limited.graph({ from: 0, to: 30 })
  await limited.logs({ limit: 3, range: { from: 60, to: 70 } })
  expect(asked).toEqual([
    { from: 50, to: 90 },
    { from: 50, to: 70 },
    { from: 50, to: 50 },
    { limit: 3, range: { from: 60, to: 70 } },
  ])
  expect(await limited.trace('t')).toEqual([{ start: 60 }])
  expect(await limited.alerts()).toEqual([{ raised: 60 }])
})

it('says nothing of faults', async () => {
  expect(await limitTelemetry(ask([]), 50).events()).toEqual([{ object: 'Pod/cart-1' }])
})
