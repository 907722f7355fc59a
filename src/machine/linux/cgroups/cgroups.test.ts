/** Tests control groups of version 2 on a fake hierarchy, which every machine can have, and the parser of mounts. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCgroups, findHierarchies } from '../index.ts'

const mountOf = (folder: string, type: string, options: string): string =>
  `none ${folder} ${type} rw,relatime,${options} 0 0\n`

describe('the hierarchies', () => {
  it('are of version 1 if one of them controls memory', () => {
    const mounts = `${mountOf('/cg/memory', 'cgroup', 'memory')}${mountOf('/cg/cpu', 'cgroup', 'cpu,cpuacct')}${mountOf('/cg/unified', 'cgroup2', 'nsdelegate')}`
    const found = findHierarchies(mounts)
    expect(found.version).toBe(1)
    expect(found.folders).toEqual(['/cg/memory', '/cg/cpu', '/cg/unified'])
    expect(found.folderOf('cpuacct')).toBe('/cg/cpu')
    expect(() => found.folderOf('pids')).toThrow('no cgroup controller pids')
  })

  it('are of version 2 if those of version 1 only mark packets', () => {
    const mounts = `${mountOf('/cg', 'cgroup2', 'nsdelegate')}${mountOf('/run/net_cls', 'cgroup', 'net_cls')}`
    expect(findHierarchies(mounts).version).toBe(2)
    expect(findHierarchies(mounts).folderOf('memory')).toBe('/cg')
  })
})

describe('control groups of version 2', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'remedium-cgroup-'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const writeFile = (path: string, content: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const readFile = (path: string): string => readFileSync(join(root, path), 'utf8')
  const groups = () => createCgroups(findHierarchies(mountOf(root, 'cgroup2', 'nsdelegate')))

  it('are created with all controllers of their parents', () => {
    writeFile('cgroup.controllers', 'cpu memory pids\n')
    writeFile('a/cgroup.controllers', '\n')
    groups().create('a/b')
    expect(readFile('cgroup.subtree_control')).toBe('+cpu +memory +pids')
    expect(readFile('a/cgroup.subtree_control')).toBe('')
    expect(groups().exists('a/b')).toBe(true)
  })

  it('report usage, limit the CPU, and forbid forks before a kill', () => {
    writeFile('a/cpu.stat', 'usage_usec 2500\nnr_throttled 3\n')
    writeFile('a/memory.current', '9000\n')
    writeFile('a/memory.stat', 'anon 1\ninactive_file 1000\n')
    writeFile('a/memory.events', 'oom 7\noom_kill 2\n')
    expect(groups().usage('a')).toEqual({ cpuMs: 2.5, memory: 8000, oomKills: 2, throttledPeriods: 3 })
    expect(groups().oomKills('a')).toBe(2)
    expect(groups().oomKills('gone')).toBe(0)
    groups().limitCpu('a', { cores: 0.25 })
    expect(readFile('a/cpu.max')).toBe('25000 100000')
    groups().setCpuWeight('a', 4)
    expect(readFile('a/cpu.weight')).toBe('400')
    groups().limitCpu('a', { cores: undefined })
    expect(readFile('a/cpu.max')).toBe('max 100000')
    groups().limitTotals('a', { memoryBytes: 1000.5, processes: 7 })
    expect([readFile('a/memory.max'), readFile('a/pids.max')]).toEqual(['1000', '7'])
    writeFile('a/b/c/memory.max', 'max')
    writeFile('a/b/memory.max', '500')
    expect(groups().memoryLimit('a/b/c')).toBe(500)
    writeFile('a/b/memory.max', 'max')
    expect(groups().memoryLimit('a/b/c')).toBe(Number.POSITIVE_INFINITY)
    writeFile('a/pids.max', 'max')
    groups().kill('a')
    expect(readFile('a/pids.max')).toBe('0')
  })

  it('report whether swap can be limited', () => {
    writeFile('a/memory.current', '0')
    expect(groups().limitsSwap()).toBe(false)
    writeFile('a/memory.swap.max', 'max')
    expect(groups().limitsSwap()).toBe(true)
  })
})
