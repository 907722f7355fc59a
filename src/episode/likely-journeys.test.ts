/** Users who look for a fault have to walk where it is. */
import { expect, it } from 'vitest'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
import { likelyJourneys, namedServices } from './likely-journeys.ts'

const tickets = createSystemView(await loadSystem('train-ticket'))

it('are those that need all whom a target names, before those that need one of them', () => {
  const target = {
    service: 'tsdb-mysql',
    reader: 'ts-train-food-service',
    database: 'ts',
    table: 'train_food',
  }
  const services = namedServices(tickets, target)
  expect([...services].sort()).toEqual(['ts-train-food-service', 'tsdb-mysql'])
  const hurt = tickets.impactOf('ts-train-food-service').down
  const [first] = likelyJourneys(tickets, services)
  expect(hurt).toContain(first)
  expect(likelyJourneys(tickets, ['tsdb-mysql'])).not.toContain(first)
})

it('are at most four, and of those who are walked', () => {
  const walked = tickets.journeys.map(({ name }) => name)
  const found = likelyJourneys(tickets, ['tsdb-mysql'])
  expect(found).toHaveLength(4)
  for (const journey of found) expect(walked).toContain(journey)
})
