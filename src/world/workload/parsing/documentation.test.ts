/** Checks the examples and tables of docs/workload.md against the parsers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { REPOSITORY } from '#kit'
import { loadSchema } from './load-schema.ts'
import { parseArrivals } from './parse-arrivals.ts'
import { parseJourneys } from './parse-journeys.ts'
import { parseLoad } from './parse-load.ts'

const DOCUMENT = readFileSync(join(REPOSITORY, 'docs/workload.md'), 'utf8')
const examples = [...DOCUMENT.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, , text]) => text!)

it('docs/workload.md has examples that the parsers accept', () => {
  const [journeys, load, trace] = examples
  expect(parseJourneys(journeys!, 'journeys.yaml').journeys).toHaveLength(2)
  expect(parseLoad(load!, 'load.yaml')).toMatchObject({ loop: 'open' })
  expect(parseArrivals(trace!, 'trace.csv', ['login', 'order'])).toHaveLength(3)
})

it('docs/workload.md lists the required fields of every arrival pattern', () => {
  const table = DOCUMENT.slice(DOCUMENT.indexOf('| kind |'))
  const rows = [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)]
  expect(rows.map(([, kind]) => kind)).toEqual([
    'constant',
    'poisson',
    'bursty',
    'daily',
    'ramp',
    'spike',
    'replay',
  ])
  for (const [, kind, text] of rows) {
    const names = [...text!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
    const fields = Object.fromEntries(names.map((name) => [name, name === 'file' ? 'a.csv' : 1]))
    const arrivals = { kind, ...fields }
    expect(loadSchema.safeParse({ loop: 'open', arrivals })).toMatchObject({ success: true })
    for (const name of names) {
      const { [name]: _, ...incomplete } = arrivals as Record<string, unknown>
      expect(loadSchema.safeParse({ loop: 'open', arrivals: incomplete }).success).toBe(false)
    }
  }
})
