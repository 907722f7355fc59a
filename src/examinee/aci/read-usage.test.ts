/** Tests that usage is computed correctly from counters that a restart resets. */
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import type { SqlAnswer } from '#spec'
import { callAction } from './testing/call-action.ts'
import { toObject } from './testing/fake-context.ts'

it('adds the usage before and after a restart of the container', async () => {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  database.exec('CREATE TABLE metrics (time, name, service, pod, value, labels_json)')
  const insert = database.prepare('INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)')
  const counts = { container_cpu_usage_seconds_total: [30, 31, 32, 0.5, 1.5] }
  const now = 1_000_000
  for (const [name, values] of Object.entries(counts))
    for (const [index, value] of values.entries())
      insert.run(now - 5000 + index * 1000, name, 'cart', 'cart-1', value, '{"container":"cart"}')
  const sql = (text: string, parameters: readonly (string | number | null)[] = []): SqlAnswer => ({
    columns: [],
    truncated: false,
    rows: database.prepare(text).all(...parameters) as SqlAnswer['rows'],
  })
  const pod = toObject('Pod', 'cart-1', { spec: { containers: [{ name: 'cart' }] } })
  const { data } = await callAction('get_metrics', {}, { objects: [pod], signals: { sql } })
  // 1 + 1 + 0.5 + 1 CPU seconds in four seconds.
  expect(data).toMatchObject({ usage: [{ pod: 'cart-1', cpuCores: 3.5 / 4 }] })
})
