/** Tests the choice of the journeys that a fault probably affects. */
import { expect, it } from 'vitest'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { likelyJourneys, namedServices } from './likely-journeys.ts'

const tickets = createSystemView(await loadSystem('train-ticket'))

it('starts with journeys that need all services of the target', () => {
  const target = {
    service: 'tsdb-mysql',
    reader: 'ts-train-food-service',
    database: 'ts',
    table: 'train_food',
  }
  const services = namedServices(tickets, target)
  expect([...services].sort()).toEqual(['ts-train-food-service', 'tsdb-mysql'])
  const affected = tickets.impactOf('ts-train-food-service').down
  const [first] = likelyJourneys(tickets, services)
  expect(affected).toContain(first)
  expect(likelyJourneys(tickets, ['tsdb-mysql'])).not.toContain(first)
})

it('chooses at most four journeys, all of which belong to the load', () => {
  const loaded = tickets.journeys.map(({ name }) => name)
  const found = likelyJourneys(tickets, ['tsdb-mysql'])
  expect(found).toHaveLength(4)
  for (const journey of found) expect(loaded).toContain(journey)
})
