import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze } from '../../kit/index.ts'
import type { KubeObject } from '../meta/index.ts'
import { builtInKinds, type Cell } from './index.ts'

interface Fixture {
  columns: { name: string; type: string; format: string; priority: number }[]
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

describe('the tables of the real server', () => {
  it.each(fixtures)('$plural: columns and cells', ({ plural, fixture }) => {
    const kind = builtInKinds.find((one) => one.plural === plural)!
    expect(
      kind.columns.map(({ name, type, format = '', priority }) => ({ name, type, format, priority })),
    ).toEqual(fixture.columns)
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

describe('the objects of the real server', () => {
  it.each(fixtures)('$plural: complete and without fault as they are', ({ plural, fixture }) => {
    const kind = builtInKinds.find((one) => one.plural === plural)!
    for (const { object } of fixture.rows) {
      const draft = cloneJson(object)
      kind.defaults?.(draft)
      expect(draft).toEqual(object)
      expect(kind.validate?.(object, undefined) ?? []).toEqual([])
      expect(kind.validate?.(object, object) ?? []).toEqual([])
    }
  })
})

describe('every table', () => {
  it('says what each of its columns is', () => {
    for (const kind of builtInKinds) {
      for (const column of kind.columns) expect(column.description, kind.plural).not.toBe('')
    }
  })
})
