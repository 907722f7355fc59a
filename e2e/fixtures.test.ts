/** Compares discovery, errors, objects, tables, events and descriptions with those of a real Kubernetes 1.32.4. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KNOWN_DIFFERENCES, REAL_POD_DIFFERENCES } from './known-differences.ts'
import { createReplay, type Replay, TABLE } from './testing/create-replay.ts'
import { describeWithKubectl, linesOfDescription } from './testing/descriptions.ts'
import { compareLines, createJudge, type Difference, findDifferences } from './testing/differences.ts'
import { normalise, normaliseAges } from './testing/normalise.ts'
import { eventText, keyByName, recordedEvents, toComparable } from './testing/recorded-forms.ts'
import {
  collectionPath,
  listRecorded,
  type RecordedObject,
  type RecordedTable,
  readRecorded,
  recordedTables,
} from './testing/recorded-objects.ts'
import { recordedRequests } from './testing/recorded-requests.ts'
import { thoroughKubectls } from './testing/use-test-cluster.ts'

const { findUnexplained, listObsolete } = createJudge(KNOWN_DIFFERENCES)

let replay: Replay
beforeAll(async () => {
  replay = await createReplay()
})
afterAll(() => replay?.close())

/** All tables except events, which have generated names and are compared by their content. */
const tables = recordedTables().filter(({ plural }) => plural !== 'events')

interface Row {
  object: RecordedObject
  cells?: unknown[]
}

const get = async (path: string, accept = 'application/json') =>
  (await replay.request('GET', path, undefined, { accept })).body

const pathOf = ({ plural, rows }: RecordedTable): string => collectionPath(plural, rows[0]!.object)

const nameOf = ({ object }: Row): string => normalise(object.metadata.name) as string

/** Sorts by normalised name, then by revision. */
const sortRows = (rows: readonly Row[]): Row[] => {
  const keyOf = (row: Row): string =>
    `${nameOf(row)} ${row.object.metadata.annotations?.['deployment.kubernetes.io/revision']} ${row.object.metadata.creationTimestamp}`
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Returns the rows whose objects were also recorded. */
const selectRecorded = ({ rows }: RecordedTable, here: readonly Row[]): Row[] => {
  const names = new Set(rows.map(nameOf))
  return sortRows(here.filter((row) => names.has(nameOf(row))))
}

const rowsOfList = ({ apiVersion, kind, items }: any): Row[] =>
  items.map((item: RecordedObject) => ({ object: { ...item, apiVersion, kind: kind.replace(/List$/, '') } }))

/** Resolves to the objects on the server under test; pods were listed at several moments. */
const readLists = async (table: RecordedTable): Promise<Row[][]> => {
  const lists = table.plural === 'pods' ? replay.moments.map(({ list }) => list) : [await get(pathOf(table))]
  return lists.map((list) => selectRecorded(table, rowsOfList(list)))
}

/** Compares each recorded row with the most similar state of the object. */
const compareRows = (
  table: RecordedTable,
  moments: readonly Row[][],
  compare: (real: Row, here: Row) => Difference[],
): Difference[] =>
  sortRows(table.rows).flatMap((real, index) => {
    const differencesByMoment = moments.map((rows) =>
      rows[index] === undefined
        ? [{ where: `object ${table.plural}/${nameOf(real)}`, real: 'exists', here: 'missing' }]
        : compare(real, rows[index]),
    )
    return differencesByMoment.toSorted((a, b) => a.length - b.length)[0]!
  })

describe('discovery', () => {
  const recorded = JSON.parse(readRecorded('discovery.json'))

  it.each(Object.keys(recorded))('%s', async (name) => {
    const [path, form] = name.split(' as ')
    const accept =
      form === undefined ? 'application/json' : `application/json;g=apidiscovery.k8s.io;v=v2;as=${form}`
    const here = await get(path!, accept)
    expect(
      findUnexplained(findDifferences(`discovery ${name} `, keyByName(recorded[name]), keyByName(here))),
    ).toEqual([])
  })
})

describe('errors', () => {
  const recorded = JSON.parse(readRecorded('errors.json'))

  it('each have a request that causes them', () => {
    expect(Object.keys(recordedRequests)).toEqual(Object.keys(recorded))
  })

  it.each(Object.keys(recorded))('%s', async (name) => {
    const { code, body } = await replay.request(...recordedRequests[name]!)
    expect(code).toBe(Number(name.slice(0, 3)))
    expect(findUnexplained(findDifferences(`error ${name} `, recorded[name], body))).toEqual([])
  })
})

describe('objects after the same actions', () => {
  it.each(tables)('$plural', async (table) => {
    const differences = compareRows(table, await readLists(table), (real, here) =>
      findDifferences(
        `object ${table.plural}/${nameOf(real)} `,
        toComparable(real.object),
        toComparable(here.object),
      ),
    )
    expect(findUnexplained(differences)).toEqual([])
  })
})

describe('field ownership', () => {
  const recorded = new Map(
    readRecorded('managed-fields.ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ object, managedFields }) => [object, managedFields]),
  )

  const keyByManager = (entries: any[] = []): Record<string, unknown> =>
    Object.fromEntries(
      entries.map(({ manager, operation, subresource = '', apiVersion, fieldsV1 }) => [
        `${manager} ${operation} ${subresource}`.trim(),
        normalise({ apiVersion, fieldsV1 }),
      ]),
    )

  it.each(tables)('$plural', async (table) => {
    const differences = compareRows(table, await readLists(table), (real, here) => {
      const entries = recorded.get(`${table.plural} ${real.object.metadata.name}`)
      if (entries === undefined) return []
      const served = keyByManager(here.object.metadata.managedFields as any[])
      return findDifferences(`managed ${table.plural}/${nameOf(real)} `, keyByManager(entries), served)
    })
    expect(findUnexplained(differences)).toEqual([])
  })
})

describe('tables', () => {
  const readTables = async (table: RecordedTable): Promise<any[]> =>
    table.plural === 'pods' ? replay.moments.map((moment) => moment.table) : [await get(pathOf(table), TABLE)]

  it.each(recordedTables())('$plural: columns', async (table) => {
    const [{ kind, apiVersion, columnDefinitions }] = await readTables(table)
    expect({ kind, apiVersion }).toEqual({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
    const differences = findDifferences(`columns ${table.plural} `, table.columns, columnDefinitions)
    expect(findUnexplained(differences)).toEqual([])
  })

  it.each(tables)('$plural: cells', async (table) => {
    const keyByColumn = (cells: unknown[]): object =>
      Object.fromEntries(
        cells.map((cell, index) => [
          table.columns[index]!.name,
          typeof cell === 'string' ? normaliseAges(cell) : cell,
        ]),
      )
    const moments = (await readTables(table)).map(({ rows }) => selectRecorded(table, rows))
    const differences = compareRows(table, moments, (real, here) =>
      findDifferences(
        `table ${table.plural}/${nameOf(real)} `,
        keyByColumn(real.cells!),
        keyByColumn(here.cells!),
      ),
    )
    expect(findUnexplained(differences)).toEqual([])
  })
})

describe('a watch of tables', () => {
  interface Change {
    type: string
    columns: number
    cells: string[]
    object: unknown
    conditions?: unknown
  }

  /** Returns the rows of each pod in order, without repetitions. Pods that existed before come first. */
  const historyByPod = (changes: readonly Change[]): string[][] => {
    const pods = new Map<string, string[]>()
    for (const { type, cells } of changes) {
      const [name, ready, status, , , , node] = cells
      const history = pods.get(name!) ?? []
      const change = `${type} ${ready} ${status} ${node}`
      if (history.at(-1) !== change) pods.set(name!, [...history, change])
    }
    return [...pods.values()].sort((a, b) => (a[0]! > b[0]! ? -1 : 1))
  }

  it('reports a restart as a real server does', () => {
    const real: Change[] = readRecorded('watch-table.ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const here: Change[] = replay.restart.events.map(({ type, object: { columnDefinitions, rows } }) => ({
      type,
      columns: columnDefinitions?.length ?? 0,
      ...rows[0],
      object: { kind: rows[0].object.kind, apiVersion: rows[0].object.apiVersion },
    }))
    expect(here.map(({ columns }) => columns).slice(0, 3)).toEqual(
      real.map(({ columns }) => columns).slice(0, 3),
    )
    expect(here[0]!.object).toEqual(real[0]!.object)
    expect(here.find(({ conditions }) => conditions !== undefined)?.conditions).toEqual(
      real.find(({ conditions }) => conditions !== undefined)?.conditions,
    )
    expect(findUnexplained(findDifferences('watch ', historyByPod(real), historyByPod(here)))).toEqual([])
  })
})

describe('events', () => {
  it('have the same content as the recorded ones', async () => {
    const { items } = await get('/api/v1/events')
    const here = new Set<string>(items.map(eventText))
    const real = new Set(recordedEvents().map(({ text }) => text))
    expect(findUnexplained(compareLines('event', real, here))).toEqual([])
  })
})

describe('kubectl describe', () => {
  const [, nearest] = thoroughKubectls()

  it.each(listRecorded('describe'))('%s', async (file) => {
    const [kind, name] = file.replace('.txt', '').split('-')
    const here = await describeWithKubectl(nearest!, replay.server, kind!, name!)
    const real = readRecorded(join('describe', file))
    const differences = compareLines(
      `describe ${kind} ${name}:`,
      linesOfDescription(real),
      linesOfDescription(here),
    )
    expect(findUnexplained(differences)).toEqual([])
  })
})

describe('the list of known differences', () => {
  it('contains no obsolete entry', () => {
    expect(listObsolete()).toEqual([])
  })

  it('equals the list of docs/differences.md', () => {
    const document = readFileSync(join(import.meta.dirname, '..', 'docs', 'differences.md'), 'utf8')
    const rows = [...document.matchAll(/^\| `(.+?)` \| (.+?) \|$/gm)].map(([, where, reason]) => ({
      where,
      reason,
    }))
    const known = [...KNOWN_DIFFERENCES, ...REAL_POD_DIFFERENCES]
    expect(rows).toEqual(known.map(({ where, reason }) => ({ where, reason })))
  })
})
