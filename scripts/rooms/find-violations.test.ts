/** Shows that each room rule catches what it forbids, on small repositories made for it. */
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

/** One use of every arrow above, since an arrow without any is a violation itself. */
const ARROWS = {
  'src/kube/meta/arrows.ts': "import '../../kit/index.ts'",
  'src/kube/store/arrows.ts': "import '../../kit/index.ts'\nimport '../meta/index.ts'",
  'src/kube/auth/arrows.ts': "import '../../kit/index.ts'",
  'src/kube/arrows.ts': "import './meta/index.ts'\nimport './store/index.ts'",
  'bench/arrows.ts': "import '../src/kube/index.ts'",
}

let root: string

const write = (files: Record<string, string>, rooms: object = ROOMS): void => {
  const all = {
    ...(rooms === ROOMS ? ARROWS : {}),
    ...files,
    'architecture.json': JSON.stringify({ about: 'for a test', rooms }),
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
  it('are content with imports along the arrows and through the doors', () => {
    write({
      'src/kit/index.ts': "export * from './clock.ts'",
      'src/kit/clock.ts': 'export const now = () => Date.now()',
      'src/kube/meta/index.ts': "import { now } from '../../kit/index.ts'\nexport const stamp = () => now()",
      'src/kube/index.ts': "export * from './meta/index.ts'",
      'bench/kube.ts': "import '../src/kube/index.ts'\nperformance.now()",
    })
    expect(findViolations(root)).toEqual([])
  })

  it.each([
    ['a value', "import { x } from '../store/index.ts'\nconsole.log(x)"],
    ['a type', "import type { X } from '../store/index.ts'\nexport type Y = X"],
    ['a re-export', "export { x } from '../store/index.ts'"],
    ['a whole module', "export * from '../store/index.ts'"],
    ['a dynamic import', "export const x = import('../store/index.ts')"],
    ['an import in a type', "export type X = import('../store/index.ts').X"],
  ])('catch an edge that is not listed: %s', (_, text) => {
    write({ 'src/kube/meta/index.ts': text, 'src/kube/store/index.ts': 'export const x = 1' })
    expect(findViolations(root)).toEqual([
      'src/kube/meta/index.ts:1 imports src/kube/store, which src/kube/meta may not',
    ])
  })

  it('catch an import past the door of a room', () => {
    write({
      'src/kube/meta/names.ts': 'export const x = 1',
      'src/kube/store/index.ts': "\nexport * from '../meta/names.ts'",
    })
    expect(findViolations(root)).toEqual([
      'src/kube/store/index.ts:2 imports src/kube/meta/names.ts instead of src/kube/meta/index.ts',
    ])
  })

  it('catch a circle of files, even of types only', () => {
    write({
      'src/kit/a.ts': "import type { B } from './b.ts'\nexport type A = B",
      'src/kit/b.ts': "import type { A } from './a.ts'\nexport type B = A",
    })
    expect(findViolations(root)).toEqual([
      'imports in a circle: src/kit/a.ts -> src/kit/b.ts -> src/kit/a.ts',
    ])
  })

  it('catch a circle of rooms in architecture.json itself, and a room that is none', () => {
    const files = { 'src/a/x.ts': "import '../b/index.ts'", 'src/b/x.ts': "import '../a/index.ts'" }
    write(files, { 'src/a': room('src/b'), 'src/b': room('src/a'), 'src/c': room('src/d') })
    expect(findViolations(root)).toEqual([
      'architecture.json: src/c may import src/d, which is no room',
      'architecture.json: rooms in a circle: src/a -> src/b -> src/a',
    ])
  })

  it('catch an arrow that nothing but tests uses', () => {
    write(
      { 'src/b/x.test.ts': "import '../a/index.ts'", 'src/c/x.ts': "import '../a/index.ts'" },
      { 'src/a': room(), 'src/b': room('src/a'), 'src/c': room('src/a') },
    )
    expect(findViolations(root)).toEqual([
      'architecture.json: src/b may import src/a, which nothing but tests does',
    ])
  })

  it('hold a room of tests to its arrows', () => {
    write(
      { 'e2e/x.test.ts': "import '../src/a/index.ts'\nimport '../src/b/index.ts'" },
      { 'src/a': room(), 'src/b': room(), e2e: { ...room('src/a'), ofTests: true } },
    )
    expect(findViolations(root)).toEqual(['e2e/x.test.ts:2 imports src/b, which e2e may not'])
  })

  it('keep peers apart, tests included, and let the room itself list them', () => {
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
    write(files, peers({ peers: true }))
    expect(findViolations(root)).toEqual([
      'src/faults/crash/fault.test.ts:1 imports src/faults/leak/parts.ts: peers of src/faults never import each other',
      'src/faults/leak/fault.ts:2 imports src/faults/crash/fault.ts: peers of src/faults never import each other',
    ])
    write(files, peers({}))
    expect(findViolations(root)).toEqual([])
  })

  it.each(['src/stray.ts', 'src/other/stray.ts', 'src/kube/other/stray.ts'])(
    'catch a file in no room: %s',
    (file) => {
      write({ [file]: 'export const x = 1' })
      expect(findViolations(root)).toEqual([`${file} is in no room of architecture.json`])
    },
  )

  it('catch a file of more than 400 lines', () => {
    write({ 'src/kit/long.ts': '// line\n'.repeat(401), 'src/kit/fitting.ts': '// line\n'.repeat(400) })
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
  ])('catch time and chance outside kit: %s in %s', (what, text) => {
    write({ 'src/kube/store/x.ts': text })
    expect(findViolations(root)).toEqual([
      `src/kube/store/x.ts:1 uses ${what}: time and chance come from src/kit`,
    ])
  })

  it.each([
    ['randomBytes', "import { createHash, randomBytes } from 'node:crypto'"],
    ['randomUUID', "import { randomUUID as id } from 'crypto'"],
    ['generateKeyPairSync', "import { generateKeyPairSync } from 'node:crypto'"],
    ['webcrypto', "import { webcrypto } from 'node:crypto'"],
    ['crypto.randomUUID', 'export const x = crypto.randomUUID()'],
    ['crypto.randomBytes', "import * as crypto from 'node:crypto';crypto.randomBytes(1)"],
  ])('catch keys outside the rooms that make them: %s', (what, text) => {
    write({ 'src/kube/store/x.ts': text, 'src/kube/auth/x.ts': text, 'src/kube/store/x.test.ts': text })
    expect(findViolations(root)).toEqual([
      `src/kube/store/x.ts:1 uses ${what}: only src/kube/auth may make keys and tokens`,
    ])
  })

  it('leave alone hashes', () => {
    write({ 'src/kube/store/x.ts': "import { createHash } from 'node:crypto'\ncreateHash('sha256')" })
    expect(findViolations(root)).toEqual([])
  })

  it('leave alone what only looks like time, and tests', () => {
    write({
      'src/kube/store/x.ts':
        '// Date.now() in a comment\nexport const x = (socket: { setTimeout(n: number): void }) => {\n  socket.setTimeout(1)\n  return new Date(0)\n}',
      'src/kube/store/x.test.ts': 'setTimeout(() => {}, Math.random())',
    })
    expect(findViolations(root)).toEqual([])
  })

  it('let tests reach past the arrows but not past the doors, and nothing import test code', () => {
    write({
      'src/kube/store/index.ts': 'export const x = 1',
      'src/kube/store/inside.ts': "import './testing/fake.ts'",
      'src/kube/store/testing/fake.ts': 'export const fake = 1',
      'src/kube/meta/a.test.ts': "import '../store/index.ts'\nimport '../store/inside.ts'",
    })
    expect(findViolations(root)).toEqual([
      'src/kube/meta/a.test.ts:2 imports src/kube/store/inside.ts instead of src/kube/store/index.ts',
      'src/kube/store/inside.ts:1 imports src/kube/store/testing/fake.ts, which is for tests only',
    ])
  })

  it('refuse a file that cannot be parsed', () => {
    write({ 'src/kit/broken.ts': 'export const = 1' })
    expect(() => findViolations(root)).toThrow('src/kit/broken.ts cannot be parsed')
  })
})
