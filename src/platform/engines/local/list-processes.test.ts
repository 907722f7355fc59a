/** Tests of listing the processes in a pod. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups } from '#machine/linux'
import { listProcesses } from './list-processes.ts'

const GROUP = `remedium-test-processes-${process.pid}`
const cgroups = createCgroups()

beforeAll(() => cgroups.create(GROUP))
afterAll(() => {
  cgroups.kill(GROUP)
  cgroups.remove(GROUP)
})

const podWith = (main: number) => ({
  find: (uid: string) =>
    uid === 'known'
      ? {
          uid,
          ip: '',
          nodeName: 'node1',
          networkNamespacePath: '',
          containers: [{ name: 'server', id: 'a', pid: main, cgroup: GROUP }],
        }
      : undefined,
  onRemoval: () => () => {},
})

it('distinguishes descendants of the main process from those started by exec, and omits ended processes', async () => {
  // The shell joins the group first, so that its child is in it from the start.
  const main = spawn('sh', ['-c', 'read line; sleep 30 & wait'], { detached: true })
  await once(main, 'spawn')
  cgroups.join(GROUP, main.pid!)
  main.stdin.write('go\n')
  // Each program that a container runtime starts has its own session.
  const execProcess = spawn('sleep', ['40'], { detached: true })
  await once(execProcess, 'spawn')
  cgroups.join(GROUP, execProcess.pid!)
  const list = () =>
    listProcesses(podWith(main.pid!), 'known')!
      .map(({ container, name, isFromExec, isStray, isFromEngine }) => [
        ...[container, name, isFromExec],
        ...[isStray, isFromEngine],
      ])
      .sort()
  await expect.poll(list).toEqual([
    ['a', 'sh', false, false, false],
    ['a', 'sleep', false, false, false],
    ['a', 'sleep', true, true, false],
  ])
  const ids = listProcesses(podWith(main.pid!), 'known')!.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining([main.pid, execProcess.pid]))
  for (const { ageMs } of listProcesses(podWith(main.pid!), 'known')!) expect(ageMs).toBeLessThan(60_000)
  execProcess.kill('SIGKILL')
  await once(execProcess, 'exit')
  expect(list()).toHaveLength(2)
  cgroups.kill(GROUP)
  await once(main, 'exit')
})

it('returns undefined for an unknown pod', () => {
  expect(listProcesses(podWith(1), 'unknown')).toBeUndefined()
})
