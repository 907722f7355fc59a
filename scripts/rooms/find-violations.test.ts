/** Tests each room rule on small generated repositories. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findViolations } from './find-violations.ts'

const room = (...imports: string[]) => ({ about: 'a room', imports })

const ROOMS = {
  'src/kit': room(),
  'src/kube/meta': room('src/kit'),
  'src/kube/store': room('src/kit', 'src/kube/meta'),
  'src/kube': room('src/kube/meta', 'src/kube/store'),
  'src/kube/auth': { ...room('src/kit'), ownKeys: true },
  bench: { ...room('src/kube'), ownTime: true },
}

/** One use of every listed import, since an unused one is a violation. */
const LISTED_IMPORTS = {
  'src/kube/meta/listed-imports.ts': "import '#kit'",
  'src/kube/store/listed-imports.ts': "import '#kit'\nimport '#kube/meta'",
  'src/kube/auth/listed-imports.ts': "import '#kit'",
  'src/kube/listed-imports.ts': "import '#kube/meta'\nimport '#kube/store'",
  'bench/listed-imports.ts': "import '#kube'",
}

let root: string

/** The shelves of the rooms, in the order in which they are listed. */
const shelvesOf = (rooms: object): string[] => [
  ...new Set(
    Object.keys(rooms)
      .filter((name) => name.startsWith('src/'))
      .map((name) => name.split('/')[1]!),
  ),
]

interface Layout {
  readonly rooms?: object
  readonly shelves?: readonly string[]
  readonly apart?: readonly (readonly [string, string])[]
}

const writeRepository = (files: Record<string, string>, layout: Layout = {}): void => {
  const { rooms = ROOMS, shelves = shelvesOf(rooms), apart = [] } = layout
  const architecture = {
    about: 'for a test',
    shelves: Object.fromEntries(shelves.map((name) => [name, 'a shelf'])),
    apart,
    rooms,
  }
  const all = {
    ...(rooms === ROOMS ? LISTED_IMPORTS : {}),
    ...files,
    'architecture.json': JSON.stringify(architecture),
  }
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rooms-'))
})
afterEach(() => rmSync(root, { recursive: true }))

describe('the room rules', () => {
  it('accept imports of listed rooms through index.ts', () => {
    writeRepository({
      'src/kit/index.ts': "export * from './clock.ts'",
      'src/kit/clock.ts': 'export const now = () => Date.now()',
      'src/kube/meta/index.ts': "import { now } from '#kit'\nexport const stamp = () => now()",
      'src/kube/index.ts': "export * from '#kube/meta'",
      'bench/kube.ts': "import '#kube'\nperformance.now()",
    })
    expect(findViolations(root)).toEqual([])
  })

  it.each([
    ['a value', "import { x } from '#kube/store'\nconsole.log(x)"],
    ['a type', "import type { X } from '#kube/store'\nexport type Y = X"],
    ['a re-export', "export { x } from '#kube/store'"],
    ['a whole module', "export * from '#kube/store'"],
    ['a dynamic import', "export const x = import('#kube/store')"],
    ['an import in a type', "export type X = import('#kube/store').X"],
  ])('reject an import that is not listed: %s', (_, text) => {
    writeRepository({ 'src/kube/meta/index.ts': text, 'src/kube/store/index.ts': 'export const x = 1' })
    expect(findViolations(root)).toEqual([
      'src/kube/meta/index.ts:1 imports src/kube/store, which src/kube/meta does not list',
    ])
  })

  it('reject an import past the index.ts of a room', () => {
    writeRepository({
      'src/kube/meta/names.ts': 'export const x = 1',
      'src/kube/store/index.ts': "\nexport * from '../meta/names.ts'",
    })
    expect(findViolations(root)).toEqual([
      'src/kube/store/index.ts:2 imports src/kube/meta/names.ts instead of src/kube/meta/index.ts',
    ])
  })

  it('reject a cycle of files, even of types only', () => {
    writeRepository({
      'src/kit/a.ts': "import type { B } from './b.ts'\nexport type A = B",
      'src/kit/b.ts': "import type { A } from './a.ts'\nexport type B = A",
    })
    expect(findViolations(root)).toEqual(['a cycle of imports: src/kit/a.ts -> src/kit/b.ts -> src/kit/a.ts'])
  })

  it('reject a cycle of rooms in architecture.json, and an unknown room', () => {
    const files = { 'src/x/a/x.ts': "import '#x/b'", 'src/x/b/x.ts': "import '#x/a'" }
    writeRepository(files, {
      rooms: { 'src/x/a': room('src/x/b'), 'src/x/b': room('src/x/a'), 'src/x/c': room('src/x/d') },
    })
    expect(findViolations(root)).toEqual([
      'architecture.json: src/x/c imports src/x/d, which is not a room',
      'architecture.json: a cycle of rooms: src/x/a -> src/x/b -> src/x/a',
    ])
  })

  it('reject a listed import that only tests use', () => {
    writeRepository(
      { 'src/b/x.test.ts': "import '#a'", 'src/c/x.ts': "import '#a'" },
      { rooms: { 'src/a': room(), 'src/b': room('src/a'), 'src/c': room('src/a') } },
    )
    expect(findViolations(root)).toEqual([
      'architecture.json: src/b lists src/a, but nothing outside tests imports it',
    ])
  })

  it('limit a room of tests to its listed imports', () => {
    writeRepository(
      { 'e2e/x.test.ts': "import '#a'\nimport '#b'" },
      { rooms: { 'src/a': room(), 'src/b': room(), e2e: { ...room('src/a'), ofTests: true } } },
    )
    expect(findViolations(root)).toEqual(['e2e/x.test.ts:2 imports src/b, which e2e does not list'])
  })

  it('reject imports between peers, also in tests, but let the room itself import its peers', () => {
    const peers = (flag: object) => ({ 'src/faults': { ...room(), ...flag }, 'src/plain': room() })
    const files = {
      'src/faults/index.ts': "export * from './leak/fault.ts'",
      'src/faults/leak/fault.ts': "export * from './parts.ts'\nexport * from '../crash/fault.ts'",
      'src/faults/leak/parts.ts': "export * from '../order.ts'",
      'src/faults/crash/fault.ts': 'export const x = 1',
      'src/faults/crash/fault.test.ts': "import '../leak/parts.ts'\nimport '../testing/tools.ts'",
      'src/faults/testing/tools.ts': 'export const x = 1',
      'src/faults/order.ts': 'export const order = 1',
      'src/plain/a/x.ts': "import '../b/x.ts'",
      'src/plain/b/x.ts': 'export const x = 1',
    }
    writeRepository(files, { rooms: peers({ peers: true }) })
    expect(findViolations(root)).toEqual([
      'src/faults/crash/fault.test.ts:1 imports src/faults/leak/parts.ts: peers of src/faults never import each other',
      'src/faults/leak/fault.ts:2 imports src/faults/crash/fault.ts: peers of src/faults never import each other',
    ])
    writeRepository(files, { rooms: peers({}) })
    expect(findViolations(root)).toEqual([])
  })

  it.each(['src/stray.ts', 'src/kube/other/stray.ts'])('reject a file in no room: %s', (file) => {
    writeRepository({ [file]: 'export const x = 1' })
    expect(findViolations(root)).toEqual([`${file} is in no room of architecture.json`])
  })

  it('reject a file of more than 400 lines', () => {
    writeRepository({
      'src/kit/long.ts': '// line\n'.repeat(401),
      'src/kit/fitting.ts': '// line\n'.repeat(400),
    })
    expect(findViolations(root)).toEqual(['src/kit/long.ts has 401 lines; 400 are allowed'])
  })

  it.each([
    ['Date.now', 'export const x = Date.now()'],
    ['Date.now', 'export const x = Date.now'],
    ['new Date()', 'export const x = new Date()'],
    ['Date()', 'export const x = Date()'],
    ['performance.now', 'export const x = performance.now()'],
    ['Math.random', 'export const x = Math.random()'],
    ['setTimeout', 'setTimeout(() => {}, 1)'],
    ['setInterval', 'globalThis.setInterval(() => {}, 1)'],
    ['setImmediate', 'export const later = { setImmediate }'],
    ['node:timers/promises', "import { scheduler } from 'node:timers/promises'\nscheduler.yield()"],
  ])('reject clocks and random numbers outside kit: %s in %s', (what, text) => {
    writeRepository({ 'src/kube/store/x.ts': text })
    expect(findViolations(root)).toEqual([
      `src/kube/store/x.ts:1 uses ${what}: use the clock and the random numbers of src/kit`,
    ])
  })

  it.each([
    ['randomBytes', "import { createHash, randomBytes } from 'node:crypto'"],
    ['randomUUID', "import { randomUUID as id } from 'crypto'"],
    ['generateKeyPairSync', "import { generateKeyPairSync } from 'node:crypto'"],
    ['webcrypto', "import { webcrypto } from 'node:crypto'"],
    ['crypto.randomUUID', 'export const x = crypto.randomUUID()'],
    ['crypto.randomBytes', "import * as crypto from 'node:crypto';crypto.randomBytes(1)"],
  ])('reject keys outside the rooms that may create them: %s', (what, text) => {
    writeRepository({
      'src/kube/store/x.ts': text,
      'src/kube/auth/x.ts': text,
      'src/kube/store/x.test.ts': text,
    })
    expect(findViolations(root)).toEqual([
      `src/kube/store/x.ts:1 uses ${what}: only src/kube/auth may create keys and tokens`,
    ])
  })

  it('accept hashes', () => {
    writeRepository({
      'src/kube/store/x.ts': "import { createHash } from 'node:crypto'\ncreateHash('sha256')",
    })
    expect(findViolations(root)).toEqual([])
  })

  it('accept names that only look like timers, and timers in tests', () => {
    writeRepository({
      'src/kube/store/x.ts':
        '// Date.now() in a comment\nexport const x = (socket: { setTimeout(n: number): void }) => {\n  socket.setTimeout(1)\n  return new Date(0)\n}',
      'src/kube/store/x.test.ts': 'setTimeout(() => {}, Math.random())',
    })
    expect(findViolations(root)).toEqual([])
  })

  it('let tests import any room, but only through index.ts, and only tests import test code', () => {
    writeRepository({
      'src/kube/store/index.ts': 'export const x = 1',
      'src/kube/store/inside.ts': "import './testing/fake.ts'",
      'src/kube/store/testing/fake.ts': 'export const fake = 1',
      'src/kube/meta/a.test.ts': "import '#kube/store'\nimport '../store/inside.ts'",
    })
    expect(findViolations(root)).toEqual([
      'src/kube/meta/a.test.ts:2 imports src/kube/store/inside.ts instead of src/kube/store/index.ts',
      'src/kube/store/inside.ts:1 imports src/kube/store/testing/fake.ts, which is for tests only',
    ])
  })

  it('reject a ninth shelf', () => {
    const shelves = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    const rooms = Object.fromEntries(shelves.map((name) => [`src/${name}`, room()]))
    writeRepository({}, { rooms })
    expect(findViolations(root)).toEqual(['architecture.json lists 9 shelves; 8 are allowed'])
  })

  it('reject a folder of src that is not a shelf, and a shelf without rooms', () => {
    writeRepository({ 'src/other/x.ts': '' }, { rooms: { 'src/a': room() }, shelves: ['a', 'b'] })
    expect(findViolations(root)).toEqual([
      'src/other is not a shelf of architecture.json',
      'architecture.json: the shelf b has no room',
      'src/other/x.ts is in no room of architecture.json',
    ])
  })

  it('reject an import of a higher shelf', () => {
    writeRepository(
      { 'src/low/x.ts': "import '#high'" },
      { rooms: { 'src/low': room('src/high'), 'src/high': room() } },
    )
    expect(findViolations(root)).toEqual([
      'architecture.json: src/low imports src/high, but the shelf high is above low',
    ])
  })

  it('reject an import between shelves that must not import each other', () => {
    writeRepository(
      { 'src/right/x.ts': "import '#left'" },
      { rooms: { 'src/left': room(), 'src/right': room('src/left') }, apart: [['left', 'right']] },
    )
    expect(findViolations(root)).toEqual([
      'architecture.json: src/right imports src/left, but left and right must not import each other',
    ])
  })

  it('reject a relative import across rooms, and a # import inside one', () => {
    writeRepository({
      'src/kube/meta/x.ts': "import '../../kit/index.ts'\nimport '#kube/meta'",
      'src/kube/meta/index.ts': 'export const x = 1',
    })
    expect(findViolations(root)).toEqual([
      'src/kube/meta/x.ts:1 imports ../../kit/index.ts: write #kit across rooms',
      'src/kube/meta/x.ts:2 imports #kube/meta: write a relative path inside a room',
    ])
  })

  it.each(['ts', 'yaml'])('reject a folder of more than 40 %s files', (ending) => {
    const files = Array.from({ length: 41 }, (_, index) => [`src/kit/parts/file-${index}.${ending}`, ''])
    writeRepository(Object.fromEntries(files))
    expect(findViolations(root)).toEqual(['src/kit/parts has 41 files; 40 are allowed'])
  })

  it('reject a function of more than 80 lines, except in tests', () => {
    const long = `export const long = () => {\n${'  // line\n'.repeat(79)}}\n`
    const fitting = `export const fitting = () => {\n${'  // line\n'.repeat(78)}}\n`
    writeRepository({ 'src/kit/long.ts': long, 'src/kit/fitting.ts': fitting, 'src/kit/long.test.ts': long })
    expect(findViolations(root)).toEqual([
      'src/kit/long.ts:1 long has 81 lines; 80 are allowed in a function',
    ])
  })

  it('reject a function of more than 5 parameters, except a callback', () => {
    const fitting = 'export const fitting = (a, b, c, d, e) => [a, b, c, d, e]'
    writeRepository({
      'src/kit/declared.ts': `function many(a, b, c, d, e, f) {}\n${fitting}`,
      'src/kit/assigned.ts': `${fitting}\nexport const many = async (a, b, c, d, e, ...rest) => {}`,
      'src/kit/method.ts': 'export const x = { many(a, { b }, c = 1, d, e, f) {} }',
      'src/kit/callback.ts': "'x'.replace(/(a)(b)(c)(d)/, (all, a, b, c, d, at, text) => text)",
    })
    expect(findViolations(root)).toEqual([
      'src/kit/assigned.ts:2 many has 6 parameters; 5 are allowed',
      'src/kit/declared.ts:1 many has 6 parameters; 5 are allowed',
      'src/kit/method.ts:1 a function has 6 parameters; 5 are allowed',
    ])
  })

  it('throw if a file cannot be parsed', () => {
    writeRepository({ 'src/kit/broken.ts': 'export const = 1' })
    expect(() => findViolations(root)).toThrow('src/kit/broken.ts cannot be parsed')
  })
})
