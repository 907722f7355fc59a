/** Tests attempts of the gym that are forked at one prepared incident: their records, their isolation, and their loss. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { loadSuite } from '#exam/problems'
import { createGym, type Gym } from '#lab/gym'
import { canForkOn } from '#lab/workers'

const SUBMIT = { name: 'submit', input: {} }
const run = (command: string) => ({ name: 'exec_shell', input: { command } })

const loadProblems = async () => {
  const problems = await loadSuite('smoke', { system: 'online-boutique' })
  return problems.filter(({ task, faults }) => task === 'remediation' && faults.length === 1).slice(0, 1)
}

const openGym = async (isForking: boolean) => {
  const records = mkdtempSync(join(tmpdir(), 'sim-forks-'))
  const pids: number[] = []
  const gym = createGym({
    ...{ problems: await loadProblems(), engine: 'sim', records, isForking },
    workers: 1,
    onWorker: ({ pid }) => void pids.push(pid),
  })
  onTestFinished(async () => {
    await gym.close()
    rmSync(records, { recursive: true })
  })
  /** The records by the number of their deletions, without the names of their files. */
  const readRecords = (): string[] =>
    readdirSync(records)
      .filter((name) => !name.includes('.void-'))
      .map((name) => readFileSync(join(records, name), 'utf8'))
      .sort()
  const listVoid = (): string[] => readdirSync(records).filter((name) => name.includes('.void-'))
  return { gym, pids, readRecords, listVoid }
}

/** One attempt deletes everything, and another one does nothing. */
const playTwo = async (gym: Gym): Promise<void> => {
  const [one, other] = [gym.openSession(), gym.openSession()]
  await Promise.all([one.reset({ seed: 1 }), other.reset({ seed: 1 })])
  const deleted = await one.step(run('kubectl delete deployments --all'))
  expect(deleted.observation.text).toContain('"frontend" deleted')
  const { observation } = await other.step(run('kubectl get deployments'))
  expect(observation.text).toMatch(/frontend +1\/1/)
  const ends = await Promise.all([one.step(SUBMIT), other.step(SUBMIT)])
  expect(ends[0].info.verdict?.damage.length).toBeGreaterThan(5)
  expect(ends[1].info.verdict?.damage).toEqual([])
}

const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))

it.runIf(canForkOn('sim'))(
  'forks attempts that write the records of unforked ones',
  async () => {
    const forking = await openGym(true)
    await playTwo(forking.gym)

    const lost = forking.gym.openSession()
    const kept = forking.gym.openSession()
    await lost.reset({ seed: 1 })
    const lostPid = forking.pids.at(-1)!
    await kept.reset({ seed: 1 })
    process.kill(lostPid, 'SIGKILL')
    expect(await lost.step(run('kubectl get pods'))).toMatchObject({
      reward: null,
      truncated: true,
      info: { void: { code: 'cluster-lost' } },
    })
    expect(forking.listVoid()).toHaveLength(1)
    expect((await kept.step(run('kubectl get pods'))).observation.ok).toBe(true)
    await kept.step(SUBMIT)
    // The session goes on with another fork.
    await lost.reset({ seed: 1 })
    await lost.close()
    const records = forking.readRecords()
    await forking.gym.close()
    while (forking.pids.some(isRunning)) await sleep(10)

    const preparing = await openGym(false)
    await playTwo(preparing.gym)
    for (const record of preparing.readRecords()) expect(records.includes(record)).toBe(true)
  },
  1_800_000,
)
