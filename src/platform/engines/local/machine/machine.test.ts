/** Tests of claiming, removing and pruning clusters with real processes and control groups. Needs root. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRealClock } from '#kit'
import { isAlive, thisProcess } from '#machine/host'
import { createCgroups, memoryFolderOf } from '#machine/linux'
import { draftPrefix, listClusterFolders } from '#platform/engines/folders'
import { cgroupOf, checkMachine, claimLocalCluster, markerOf, pruneClusters, removeCluster } from './index.ts'

const clock = createRealClock()
const cgroups = createCgroups()
const children: ChildProcess[] = []
let state: string

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'remedium-state-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const { folder, record } of listClusterFolders(state))
    await removeCluster(state, { folder, id: record.id, clock })
  rmSync(state, { recursive: true, force: true })
})

const claim = (name?: string) => claimLocalCluster(state, { name, system: undefined, created: 1 })

/** Simulates that the owner of the folder has ended. */
const makeOrphan = ({ folder }: { folder: string }): void => {
  const file = join(folder, 'owner.json')
  const record = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...record, owner: { ...record.owner, startTime: 1 } }))
}

const startSleeper = (environment: Readonly<Record<string, string>> = {}): ChildProcess => {
  const child = spawn('sleep', ['1000'], { env: { ...process.env, ...environment }, stdio: 'ignore' })
  children.push(child)
  return child
}
const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

describe('the identity of a process', () => {
  it('is alive only while the process runs', async () => {
    expect(isAlive(thisProcess())).toBe(true)
    expect(isAlive({ ...thisProcess(), startTime: 1 })).toBe(false)
    expect(isAlive({ ...thisProcess(), bootId: 'another' })).toBe(false)
    expect(isAlive({ ...thisProcess(), pid: 2 ** 22 + 1 })).toBe(false)
  })

  it('counts as alive in another PID namespace', () => {
    expect(isAlive({ ...thisProcess(), pidNamespace: 'pid:[1]', startTime: 1 })).toBe(true)
  })
})

describe('a claimed folder', () => {
  it('records its owner, has a control group, and is removed completely', async () => {
    const { folder, record } = claim('shop')
    expect(listClusterFolders(state)).toEqual([{ folder, record, alive: true }])
    expect(record).toMatchObject({ name: 'shop', owner: { pid: process.pid } })
    expect(cgroups.exists(cgroupOf(record.id))).toBe(true)
    expect(cgroups.memoryLimit(cgroupOf(record.id))).toBeLessThan(0.7 * totalmem())
    await removeCluster(state, { folder, id: record.id, clock })
    expect(readdirSync(state)).toEqual([])
    expect(cgroups.exists(cgroupOf(record.id))).toBe(false)
  })

  it('has a unique and valid name', () => {
    claim('shop')
    expect(() => claim('shop')).toThrow('The cluster "shop" already exists.')
    expect(() => claim('../shop')).toThrow('is not a valid cluster name')
    expect(claim().record.name).not.toBe(claim().record.name)
  })
})

describe('prune', () => {
  it('kills processes by control group and by marker, and removes groups and folders', async () => {
    const stale = claim('dead')
    const grouped = startSleeper()
    const marked = startSleeper(markerOf(stale.folder))
    cgroups.create(`${cgroupOf(stale.record.id)}/node1`)
    cgroups.join(`${cgroupOf(stale.record.id)}/node1`, grouped.pid!)
    mkdirSync(memoryFolderOf(stale.folder))
    writeFileSync(`${draftPrefix(state).replace(/-\d+-$/, '-1-')}abc`, '')
    makeOrphan(stale)
    expect(await pruneClusters(state, clock)).toEqual({ removed: ['dead'] })
    await expect.poll(() => hasEnded(grouped) && hasEnded(marked)).toBe(true)
    expect(cgroups.exists(cgroupOf(stale.record.id))).toBe(false)
    expect(existsSync(memoryFolderOf(stale.folder))).toBe(false)
    expect(readdirSync(state)).toEqual([])
  })

  it('completes a removal whose process was killed', async () => {
    const [room, kit] = ['./index.ts', '../../../../kit/index.ts'].map(
      (path) => new URL(path, import.meta.url).href,
    )
    const program = `
      import { mkdirSync, writeFileSync } from 'node:fs'
      import { claimLocalCluster, removeCluster } from '${room}'
      import { createRealClock } from '${kit}'
      const [state] = process.argv.slice(1)
      const { folder, record } = claimLocalCluster(state, { created: 1 })
      mkdirSync(folder + '/many')
      for (let index = 0; index < 8000; index += 1) writeFileSync(folder + '/many/' + index, '')
      console.log(folder)
      await removeCluster(state, { folder, id: record.id, clock: createRealClock({ keepsAlive: true }) })
    `
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, state])
    children.push(child)
    const [line] = await once(child.stdout, 'data')
    const folder = String(line).trim()
    while (existsSync(join(folder, 'owner.json'))) await new Promise(setImmediate)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(readdirSync(join(state, 'clusters')), 'the kill came too late').toHaveLength(1)
    await pruneClusters(state, clock)
    expect(readdirSync(state)).toEqual([])
  }, 20_000)

  it('removes the empty folder of clusters', async () => {
    mkdirSync(join(state, 'clusters'))
    await pruneClusters(state, clock)
    expect(readdirSync(state)).toEqual([])
  })

  it('keeps live clusters', async () => {
    const live = claim('living')
    const helper = startSleeper(markerOf(live.folder))
    const unrelated = startSleeper({ REMEDIUM_CLUSTER: `${live.folder}x` })
    writeFileSync(`${draftPrefix(state)}abc`, '')
    const stale = claim('dead')
    makeOrphan(stale)
    const reports = await Promise.all([pruneClusters(state, clock), pruneClusters(state, clock)])
    expect(reports[0]).toEqual({ removed: ['dead'] })
    expect([hasEnded(helper), hasEnded(unrelated)]).toEqual([false, false])
    expect(cgroups.exists(cgroupOf(live.record.id))).toBe(true)
    expect(readdirSync(join(state, 'clusters')).length).toBe(2)
  })
})

describe('checkMachine', () => {
  it('hints that simulated clusters cannot run problems', () => {
    const uid = vi.spyOn(process, 'getuid').mockReturnValue(1000)
    onTestFinished(() => uid.mockRestore())
    expect(checkMachine).toThrow(
      expect.objectContaining({
        code: 'not-permitted',
        hint: 'Run Remedium as root. "remedium cluster up --engine sim" starts a simulated cluster, which cannot run problems.',
      }),
    )
  })

  it('reports missing programs and how to install them', () => {
    // For root, programs are also searched outside the PATH.
    vi.stubEnv('PATH', '/nowhere')
    expect(checkMachine).toThrow(
      expect.objectContaining({
        code: 'tool-missing',
        message: expect.stringContaining('python3'),
        hint: expect.stringMatching(/on Debian: apt-get install .*python3/),
      }),
    )
  })
})
