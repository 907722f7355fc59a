/** Tests the path patterns of Chaos Mesh. */
import { describe, expect, it } from 'vitest'
import { parseGlob } from './parse-glob.ts'

const cases: [pattern: string, path: string, matches: boolean][] = [
  ['/var/run/etcd/**/*', '/var/run/etcd/member', true],
  ['/var/run/etcd/**/*', '/var/run/etcd/member/wal/0.wal', true],
  ['/var/run/etcd/**/*', '/var/run/etcd', false],
  ['/var/run/etcd/**/*', '/var/run/other/member', false],
  ['/data/**', '/data/a/b', true],
  ['/data/*.log', '/data/a.log', true],
  ['/data/*.log', '/data/deep/a.log', true],
  ['/data/*.log', '/data/a.logs', false],
  ['/data/a?c', '/data/abc', true],
  ['/data/a?c', '/data/ac', false],
  ['/data/[a-c]x', '/data/bx', true],
  ['/data/[!a-c]x', '/data/bx', false],
  ['/data/a.b', '/data/axb', false],
  ['/data/[a', '/data/[a', true],
  ['/data/(x)+$', '/data/(x)+$', true],
  ['/data/ü?', '/data/ü😀', true],
]

describe('a path pattern', () => {
  it('is rejected if it has a reversed range', () => {
    expect(() => parseGlob('/data/[z-a]')).toThrow('/data/[z-a] is not a valid path pattern')
  })

  it.each(cases)('%s matches %s: %s', (pattern, path, matches) => {
    expect(parseGlob(pattern)(path)).toBe(matches)
  })
})
