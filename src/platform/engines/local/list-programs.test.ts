/** Tests of listing the programs in a pod. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups } from '#machine/linux'
import { listPrograms } from './list-programs.ts'

const GROUP = `remedium-test-programs-${process.pid}`
const cgroups = createCgroups()

beforeAll(() => cgroups.create(GROUP))
afterAll(() => {
  cgroups.kill(GROUP)
  cgroups.remove(GROUP)
})

const processes = {
  find: (uid: string) =>
    uid === 'known'
      ? {
          uid,
          ip: '',
          nodeName: 'node1',
          networkNamespacePath: '',
          containers: [{ name: 'server', id: 'a', pid: 1, cgroup: GROUP }],
        }
      : undefined,
  onRemoval: () => () => {},
}

it('lists all programs, including stopped ones', async () => {
  const sleeper = spawn('sleep', ['30'])
  await once(sleeper, 'spawn')
  cgroups.join(GROUP, sleeper.pid!)
  await expect.poll(() => listPrograms(processes, 'known')).toEqual(['sleep'])
  process.kill(sleeper.pid!, 'SIGSTOP')
  expect(listPrograms(processes, 'known')).toEqual(['sleep'])
  process.kill(sleeper.pid!, 'SIGKILL')
  await once(sleeper, 'exit')
  expect(listPrograms(processes, 'known')).toEqual([])
})

it('returns undefined for an unknown pod', () => {
  expect(listPrograms(processes, 'unknown')).toBeUndefined()
})
