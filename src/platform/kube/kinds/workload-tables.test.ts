/** Tests pods and workloads against recorded objects and tables of a real server. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze } from '#kit'
import type { KubeObject } from '#platform/kube/meta'
import { builtInKinds, type Cell, type Column, type Kind } from './index.ts'

interface Fixture {
  columns: Required<Column>[]
  rows: { cells: Cell[]; object: KubeObject }[]
}

const FOLDER = new URL('fixtures/workloads/', import.meta.url)
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const fixtures = readdirSync(FOLDER).map((file) => ({
  plural: file.replace('.json', ''),
  fixture: JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Fixture,
}))

const kindOf = (plural: string): Kind => builtInKinds.find((kind) => kind.plural === plural)!

/** Computes the time of the recording from the age of the first row. All lists were recorded within two seconds. */
const recordedAt = ({ columns, rows }: Fixture): number => {
  const age = columns.findIndex(({ name }) => name === 'Age')
  const { cells, object } = rows[0]!
  return Date.parse(object.metadata.creationTimestamp) + Number.parseInt(String(cells[age]), 10) * 1000
}

describe('recorded tables', () => {
  it.each(fixtures)('$plural: prints the same columns and cells', ({ plural, fixture }) => {
    const kind = kindOf(plural)
    const now = recordedAt(fixture)
    expect(kind.columns.map((column) => ({ format: '', ...column }))).toEqual(fixture.columns)
    for (const { cells, object } of fixture.rows) {
      expect(kind.row(deepFreeze(object), { now })).toEqual(cells)
    }
  })
})

/** Fields that admission plugins and the scheduler set. */
const ADDED_FIELDS = [
  'volumes',
  'serviceAccount',
  'serviceAccountName',
  'nodeName',
  'tolerations',
  'priority',
]

const withoutAddedFields = (spec: Record<string, any>): unknown => {
  const remaining = Object.fromEntries(
    Object.entries(spec).filter(([member]) => ![...ADDED_FIELDS, 'preemptionPolicy'].includes(member)),
  )
  for (const list of ['containers', 'initContainers']) {
    if (remaining[list] !== undefined)
      remaining[list] = remaining[list].map(({ volumeMounts: _, ...container }: any) => container)
  }
  return remaining
}

describe('applied configurations', () => {
  const applied = fixtures.flatMap(({ plural, fixture }) =>
    fixture.rows
      .filter(({ object }) => object.metadata.annotations?.[LAST_APPLIED] !== undefined)
      .filter(({ object }) => object.kind !== 'ControllerRevision' && object.kind !== 'ReplicaSet')
      .filter(({ object }) => object.spec.template?.metadata.annotations === undefined)
      .map(({ object }) => ({ plural, name: object.metadata.name, object })),
  )

  it.each(applied)('$plural $name: defaults yield the recorded spec', ({ plural, object }) => {
    const kind = kindOf(plural)
    const draft = JSON.parse(object.metadata.annotations![LAST_APPLIED]!) as KubeObject
    draft.metadata = { ...draft.metadata, uid: object.metadata.uid }
    kind.defaults?.(draft)
    kind.prepareCreate?.(draft, { now: 0 })
    expect(withoutAddedFields(draft.spec)).toEqual(withoutAddedFields(object.spec))
    expect(kind.validate?.(draft, undefined)).toEqual([])
  })

  it('cover at least six kinds', () => {
    expect(new Set(applied.map(({ plural }) => plural)).size).toBeGreaterThanOrEqual(6)
  })
})

describe('recorded objects', () => {
  const objects = fixtures.flatMap(({ plural, fixture }) =>
    fixture.rows.map(({ object }) => ({ plural, name: object.metadata.name, object })),
  )

  it.each(objects)('$plural $name: is valid and unchanged by defaults', ({ plural, object }) => {
    const kind = kindOf(plural)
    const draft = cloneJson(object)
    kind.defaults?.(draft)
    kind.prepareUpdate?.(draft, deepFreeze(cloneJson(object)), { now: 0 })
    expect(draft).toEqual(object)
    expect(kind.validate?.(draft, object)).toEqual([])
  })
})
