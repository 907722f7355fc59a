/** Tests printer columns, defaults and validation against tables recorded from a real server. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze } from '#kit'
import type { KubeObject } from '#platform/kube/meta'
import { builtInKinds, type Cell, type Column } from './index.ts'

interface Fixture {
  columns: Required<Column>[]
  rows: { cells: Cell[]; object: KubeObject }[]
}

const FOLDER = new URL('fixtures/', import.meta.url)
const AGES = ['Age', 'Last Seen', 'First Seen']
const NOW = Date.parse('2026-11-15T01:41:38Z')

const fixtures = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.table.json'))
  .map((file) => ({
    plural: file.replace('.table.json', ''),
    fixture: JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Fixture,
  }))

describe('recorded tables', () => {
  it.each(fixtures)('$plural: prints the same columns and cells', ({ plural, fixture }) => {
    const kind = builtInKinds.find((candidate) => candidate.plural === plural)!
    expect(kind.columns.map((column) => ({ format: '', ...column }))).toEqual(fixture.columns)
    const isAge = fixture.columns.map(({ name }) => AGES.includes(name))
    for (const { cells, object } of fixture.rows) {
      const row = kind.row(deepFreeze(object), { now: NOW })
      expect(row).toHaveLength(cells.length)
      row.forEach((cell, index) => {
        if (isAge[index]) expect(cell).toMatch(/^\d+[smh]/)
        else expect(cell).toEqual(cells[index])
      })
    }
  })
})

describe('recorded objects', () => {
  it.each(fixtures)('$plural: are valid and unchanged by defaults', ({ plural, fixture }) => {
    const kind = builtInKinds.find((candidate) => candidate.plural === plural)!
    for (const { object } of fixture.rows) {
      const draft = cloneJson(object)
      kind.defaults?.(draft)
      expect(draft).toEqual(object)
      expect(kind.validate?.(object, undefined) ?? []).toEqual([])
      expect(kind.validate?.(object, object) ?? []).toEqual([])
    }
  })
})

describe('built-in kinds', () => {
  it('describe every column', () => {
    for (const kind of builtInKinds) {
      for (const column of kind.columns) expect(column.description, kind.plural).not.toBe('')
    }
  })
})
