/** Needs root: claims, left-overs and what prune takes of them, with real processes and control groups. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRealClock } from '../../../kit/index.ts'
import { createCgroups, memoryFolderOf } from '../../../linux/index.ts'
import {
  cgroupOf,
  checkMachine,
  claimClusterFolder,
  halfMadePrefix,
  isAlive,
  listClusterFolders,
  markerOf,
  pruneClusters,
  removeCluster,
  thisProcess,
} from './index.ts'

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

const claim = (name?: string) => claimClusterFolder(state, { name, system: undefined, created: 1 })

/** As if the process that claimed it were no more. */
const orphan = ({ folder }: { folder: string }): void => {
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
  it('is that of a living one only while it lives', async () => {
    expect(isAlive(thisProcess())).toBe(true)
    expect(isAlive({ ...thisProcess(), startTime: 1 })).toBe(false)
    expect(isAlive({ ...thisProcess(), bootId: 'another' })).toBe(false)
    expect(isAlive({ ...thisProcess(), pid: 2 ** 22 + 1 })).toBe(false)
  })

  it('is not judged from another namespace', () => {
    expect(isAlive({ ...thisProcess(), pidNamespace: 'pid:[1]', startTime: 1 })).toBe(true)
  })
})

describe('a claimed folder', () => {
  it('says whose it is, holds its control group, and goes without a trace', async () => {
    const { folder, record } = claim('shop')
    expect(listClusterFolders(state)).toEqual([{ folder, record, alive: true }])
    expect(record).toMatchObject({ name: 'shop', owner: { pid: process.pid } })
    expect(cgroups.exists(cgroupOf(record.id))).toBe(true)
    expect(cgroups.memoryLimit(cgroupOf(record.id))).toBeLessThan(0.7 * totalmem())
    await removeCluster(state, { folder, id: record.id, clock })
    expect(readdirSync(state)).toEqual([])
    expect(cgroups.exists(cgroupOf(record.id))).toBe(false)
  })

  it('has a name that nobody else has, and that can be one', () => {
    claim('shop')
    expect(() => claim('shop')).toThrow('There is a cluster "shop" already.')
    expect(() => claim('../shop')).toThrow('cannot be the name')
    expect(claim().record.name).not.toBe(claim().record.name)
  })
})

describe('prune', () => {
  it('ends processes by control group and by marker, and removes groups and folders', async () => {
    const dead = claim('dead')
    const grouped = startSleeper()
    const marked = startSleeper(markerOf(dead.folder))
    cgroups.create(`${cgroupOf(dead.record.id)}/node1`)
    cgroups.join(`${cgroupOf(dead.record.id)}/node1`, grouped.pid!)
    mkdirSync(memoryFolderOf(dead.folder))
    writeFileSync(`${halfMadePrefix(state).replace(/-\d+-$/, '-1-')}abc`, '')
    orphan(dead)
    expect(await pruneClusters(state, clock)).toEqual({ removed: ['dead'] })
    await expect.poll(() => hasEnded(grouped) && hasEnded(marked)).toBe(true)
    expect(cgroups.exists(cgroupOf(dead.record.id))).toBe(false)
    expect(existsSync(memoryFolderOf(dead.folder))).toBe(false)
    expect(readdirSync(state)).toEqual([])
  })

  it('removes what a killed process had begun to remove', async () => {
    const [room, kit] = ['./index.ts', '../../../kit/index.ts'].map(
      (path) => new URL(path, import.meta.url).href,
    )
    const program = `
      import { mkdirSync, writeFileSync } from 'node:fs'
      import { claimClusterFolder, removeCluster } from '${room}'
      import { createRealClock } from '${kit}'
      const [state] = process.argv.slice(1)
      const { folder, record } = claimClusterFolder(state, { created: 1 })
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

  it('touches nothing of those that live', async () => {
    const living = claim('living')
    const helper = startSleeper(markerOf(living.folder))
    const stranger = startSleeper({ REMEDIUM_CLUSTER: `${living.folder}x` })
    writeFileSync(`${halfMadePrefix(state)}abc`, '')
    const dead = claim('dead')
    orphan(dead)
    const reports = await Promise.all([pruneClusters(state, clock), pruneClusters(state, clock)])
    expect(reports[0]).toEqual({ removed: ['dead'] })
    expect([hasEnded(helper), hasEnded(stranger)]).toEqual([false, false])
    expect(cgroups.exists(cgroupOf(living.record.id))).toBe(true)
    expect(readdirSync(join(state, 'clusters')).length).toBe(2)
  })
})

describe('the check of the machine', () => {
  it('sends nobody who wants problems to modelled containers', () => {
    const uid = vi.spyOn(process, 'getuid').mockReturnValue(1000)
    onTestFinished(() => uid.mockRestore())
    expect(checkMachine).toThrow(
      expect.objectContaining({
        code: 'not-permitted',
        hint: 'Run Remedium as root. "remedium cluster up --engine sim" gives a modelled cluster, on which no problems run.',
      }),
    )
  })

  it('says what is missing and how to get it', () => {
    // Programs of root are looked for beyond the PATH, those of everybody are not.
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
