/** That a cluster under a load is missed when it is gone, and only then. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { thisProcess } from '../../engines/local/machine/index.ts'
import { type ControlRequest, type ControlServer, serveControl } from '../clusters/control-socket.ts'
import { watchCluster } from './watch-cluster.ts'

const BATCH = { requests: [], journeys: [] }
let folder: string
let server: ControlServer
let heard: ControlRequest[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-watched-'))
  heard = []
  server = await serveControl(folder, async (request) => {
    heard.push(request)
    throw new Error('too busy')
  })
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const lossOf = (lost: Promise<Error>): Promise<Error | 'none'> =>
  Promise.race([lost, new Promise<'none'>((none) => setTimeout(() => none('none'), 100))])

it('does not miss one that is there and refuses what it is told', async () => {
  const { lost, check, tell } = watchCluster({ name: 'shop', folder, owner: thisProcess() })
  tell(BATCH)
  check()
  expect(await lossOf(lost)).toBe('none')
  expect(heard).toEqual([{ command: 'record', ...BATCH }])
})

it('misses one whose process has ended', async () => {
  const { lost, check } = watchCluster({ name: 'shop', folder, owner: { ...thisProcess(), startTime: 1 } })
  check()
  expect(await lossOf(lost)).toMatchObject({
    code: 'cluster-lost',
    message: 'The cluster "shop" has ended under the load.',
  })
})

it('misses one that can be told nothing any more', async () => {
  const { lost, tell } = watchCluster({ name: 'shop', folder, owner: thisProcess() })
  server.close()
  rmSync(folder, { recursive: true })
  tell(BATCH)
  expect(await lossOf(lost)).toMatchObject({ code: 'cluster-lost' })
})
