/** Tests of pods and workloads against recorded objects and tables of a real server. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze } from '../../kit/index.ts'
import type { KubeObject } from '../meta/index.ts'
import { builtInKinds, type Cell, type Kind } from './index.ts'

interface Fixture {
  columns: object[]
  rows: { cells: Cell[]; object: KubeObject }[]
}

const FOLDER = new URL('fixtures/workloads/', import.meta.url)
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const fixtures = readdirSync(FOLDER).map((file) => ({
  plural: file.replace('.json', ''),
  fixture: JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Fixture,
}))

const kindOf = (plural: string): Kind => builtInKinds.find((kind) => kind.plural === plural)!

/** The moment of the recording: the lists were asked for within two seconds. */
const momentOf = ({ columns, rows }: Fixture): number => {
  const age = columns.findIndex((column) => 'name' in column && column.name === 'Age')
  const { cells, object } = rows[0]!
  return Date.parse(object.metadata.creationTimestamp) + Number.parseInt(String(cells[age]), 10) * 1000
}

describe('the recorded tables', () => {
  it.each(fixtures)('$plural', ({ plural, fixture }) => {
    const kind = kindOf(plural)
    const now = momentOf(fixture)
    expect(
      kind.columns.map(({ name, type, format = '', priority }) => ({ name, type, format, priority })),
    ).toEqual(fixture.columns)
    for (const { cells, object } of fixture.rows) {
      expect(kind.row(deepFreeze(object), { now })).toEqual(cells)
    }
  })
})

/** What admission plugins and the scheduler put into the recorded specs. */
const ADDED = ['volumes', 'serviceAccount', 'serviceAccountName', 'nodeName', 'tolerations', 'priority']

const forget = (spec: Record<string, any>): unknown => {
  const own = Object.fromEntries(
    Object.entries(spec).filter(([member]) => ![...ADDED, 'preemptionPolicy'].includes(member)),
  )
  for (const list of ['containers', 'initContainers']) {
    if (own[list] !== undefined)
      own[list] = own[list].map(({ volumeMounts: _, ...container }: any) => container)
  }
  return own
}

describe('what was applied', () => {
  const applied = fixtures.flatMap(({ plural, fixture }) =>
    fixture.rows
      .filter(({ object }) => object.metadata.annotations?.[LAST_APPLIED] !== undefined)
      .filter(({ object }) => object.kind !== 'ControllerRevision' && object.kind !== 'ReplicaSet')
      .filter(({ object }) => object.spec.template?.metadata.annotations === undefined)
      .map(({ object }) => ({ plural, name: object.metadata.name, object })),
  )

  it.each(applied)('$plural $name becomes the recorded spec', ({ plural, object }) => {
    const kind = kindOf(plural)
    const draft = JSON.parse(object.metadata.annotations![LAST_APPLIED]!) as KubeObject
    draft.metadata = { ...draft.metadata, uid: object.metadata.uid }
    kind.defaults?.(draft)
    kind.prepareCreate?.(draft, { now: 0 })
    expect(forget(draft.spec)).toEqual(forget(object.spec))
    expect(kind.validate?.(draft, undefined)).toEqual([])
  })

  it('covers the recorded kinds', () => {
    expect(new Set(applied.map(({ plural }) => plural)).size).toBeGreaterThanOrEqual(6)
  })
})

describe('every recorded object', () => {
  const objects = fixtures.flatMap(({ plural, fixture }) =>
    fixture.rows.map(({ object }) => ({ plural, name: object.metadata.name, object })),
  )

  it.each(objects)('$plural $name is left as it is by defaults, and is valid', ({ plural, object }) => {
    const kind = kindOf(plural)
    const draft = cloneJson(object)
    kind.defaults?.(draft)
    kind.prepareUpdate?.(draft, deepFreeze(cloneJson(object)), { now: 0 })
    expect(draft).toEqual(object)
    expect(kind.validate?.(draft, object)).toEqual([])
  })
})
