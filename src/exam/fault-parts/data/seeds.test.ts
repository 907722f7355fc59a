/** Tests that declared seeds have the same fingerprints as the entries that stores return. */
import { expect, it, onTestFinished } from 'vitest'
import type { SystemView } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadStoreClient, loadStoreServer } from '#world/twin/stores'
import { definitionOf, generatedColumns, seededDocuments, seededRows } from './seeds.ts'
import { countMissing, fingerprintEntry, readEntries, type TableRef } from './stored-entries.ts'

const tickets = createSystemView(await loadSystem('train-ticket'))
const hotels = createSystemView(await loadSystem('hotel-reservation'))
const behaviourOf = (system: SystemView, service: string) => system.topology!.services[service]!.behaviour

const startStore = async (protocol: 'mysql' | 'mongodb') => {
  const server = await (await loadStoreServer(protocol))({
    ...{ port: 0, users: [], databases: ['ts'], environment: { MYSQL_LOG_FOLDER: '/nowhere' } },
    ...{ log: () => undefined, onCommand: () => undefined },
  })
  const client = (await loadStoreClient(protocol))({
    address: async () => ({ host: '127.0.0.1', port: server.port }),
    ...(protocol === 'mysql' ? { login: { user: 'root', password: '', database: 'ts' } } : {}),
  })
  onTestFinished(async () => {
    client.close()
    await server.close()
  })
  return client
}

it.each([
  ['ts-config-service', 'config'],
  ['ts-consign-price-service', 'consign_price'],
  ['ts-price-service', 'price_config'],
  ['ts-route-service', 'route'],
  ['ts-station-food-service', 'station_food_store'],
  ['ts-train-food-service', 'train_food'],
  ['ts-travel-service', 'trip'],
  ['ts-travel2-service', 'trip2'],
])('%s inserts the rows of %s', async (service, table) => {
  const client = await startStore('mysql')
  const behaviour = behaviourOf(tickets, service)
  const generated = generatedColumns(behaviour, table)
  const ref: TableRef = { protocol: 'mysql', database: 'ts', table, generated }
  const seeds = seededRows(behaviour, table)
  expect(seeds.length).toBeGreaterThan(0)
  await client.query({ sql: { statement: definitionOf(behaviour, table), parameters: [] } })
  for (const [index, seed] of seeds.entries()) {
    const row = { ...seed, ...Object.fromEntries(generated.map((name) => [name, `new-${index}`])) }
    const names = Object.keys(row)
    const statement = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
    await client.query({ sql: { statement, parameters: Object.values(row) } })
  }
  const expected = seeds.map((seed) => fingerprintEntry(seed, ref))
  expect(countMissing(expected, await readEntries(client, ref, 1000))).toBe(0)
})

it.each([
  ['profile', 'profile-db', 'hotels', 80],
  ['reservation', 'reservation-db', 'number', 80],
  ['reservation', 'reservation-db', 'reservation', 1],
] as const)('%s inserts the documents of %s.%s', async (service, database, table, size) => {
  const client = await startStore('mongodb')
  const ref: TableRef = { protocol: 'mongodb', database, table }
  const documents = seededDocuments(behaviourOf(hotels, service), table)
  expect(documents).toHaveLength(size)
  await client.query({ mongo: { insert: table, $db: database, documents } })
  const expected = documents.map((document) => fingerprintEntry(document, ref))
  expect(countMissing(expected, await readEntries(client, ref, 1000))).toBe(0)
  expect(countMissing([...expected, expected[0]!], await readEntries(client, ref, 1000))).toBe(1)
})
