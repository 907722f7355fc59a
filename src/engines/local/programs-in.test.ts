/** Tests of what is seen of the programs in a pod. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups } from '../../linux/index.ts'
import { programsIn } from './programs-in.ts'

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

it('names all of them, those that are stopped too', async () => {
  const sleeper = spawn('sleep', ['30'])
  await once(sleeper, 'spawn')
  cgroups.join(GROUP, sleeper.pid!)
  await expect.poll(() => programsIn(processes, 'known')).toEqual(['sleep'])
  process.kill(sleeper.pid!, 'SIGSTOP')
  expect(programsIn(processes, 'known')).toEqual(['sleep'])
  process.kill(sleeper.pid!, 'SIGKILL')
  await once(sleeper, 'exit')
  expect(programsIn(processes, 'known')).toEqual([])
})

it('knows nothing of a pod that is not there', () => {
  expect(programsIn(processes, 'unknown')).toBeUndefined()
})
