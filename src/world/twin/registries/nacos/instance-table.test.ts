/** Tests when instances are healthy, unhealthy and deleted. */
import { expect, test } from 'vitest'
import { InstanceTable } from './instance-table.ts'

const route = { service: 'ts-route-service', host: '10.1.0.7', port: 11178 }

test('marks a silent instance unhealthy after 15 seconds, deletes it after 30, and restores it on a heartbeat', () => {
  const changed: string[] = []
  const table = new InstanceTable((service) => changed.push(service))
  table.put(route, 0)
  expect(table.expire(14_999)).toEqual([])
  expect(table.list(route.service)).toMatchObject([{ healthy: true }])
  table.expire(15_000)
  expect(table.list(route.service)).toMatchObject([{ healthy: false }])
  table.put(route, 20_000)
  expect(table.list(route.service)).toMatchObject([{ healthy: true }])
  expect(table.expire(49_999)).toEqual([])
  expect(table.expire(50_000)).toMatchObject([route])
  expect(table.names()).toEqual([])
  expect(changed).toHaveLength(5)
})

test('reports no change for heartbeats of healthy instances', () => {
  let changes = 0
  const table = new InstanceTable(() => changes++)
  for (let now = 0; now < 60_000; now += 5000) {
    table.put(route, now)
    table.expire(now)
  }
  expect(changes).toBe(1)
})
