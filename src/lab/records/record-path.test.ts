/** Tests that the names of records are valid in every file system. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { keepRecord } from './keep-record.ts'
import { recordPathOf } from './record-path.ts'

/** As long as the ID of a problem with five faults in train-ticket. */
const LONG = `train-ticket.${'connection-pool-exhausted-and-'.repeat(5)}.${'ts-consign-price-service-and-'.repeat(5)}.remediation.5f0c2a91`
/** The longest name that leaves space for the suffix of a draft. */
const LONGEST = 'x'.repeat(242 - '.jsonl'.length)

it('keeps names that are short enough', () => {
  expect(recordPathOf('records', 'shop.nothing.detection.5f0c2a91', 'hack restart of a in b')).toBe(
    'records/shop.nothing.detection.5f0c2a91.hack-restart-of-a-in-b.jsonl',
  )
  expect(recordPathOf('records', LONGEST)).toBe(`records/${LONGEST}.jsonl`)
})

it('shortens long names, which stay unique and are the same on every machine', () => {
  const names = ['1.1', '1.2', 'reference', 'hack restart of a in b'].map((name) =>
    basename(recordPathOf('records', LONG, name)),
  )
  expect(new Set(names).size).toBe(names.length)
  for (const name of names)
    expect(name).toMatch(/^train-ticket\.connection-pool-exhausted-and-.*-[0-9a-f]{16}\.jsonl$/)
  expect(Math.max(...names.map(({ length }) => length))).toBe(242)
  expect(recordPathOf('records', `${LONGEST}y`)).toBe(`records/${'x'.repeat(219)}-613e2f5300acbb1e.jsonl`)
})

it('creates files with shortened names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'record-path-'))
  try {
    const path = recordPathOf(folder, LONG, 'reference')
    keepRecord(path).finish()
    expect(readdirSync(folder)).toEqual([basename(path)])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
