/** Tests that the end of a cluster is detected during a load. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { thisProcess } from '#machine/host'
import { type ControlRequest, type ControlServer, serveControl } from '../clusters/control-socket.ts'
import { watchCluster } from './watch-cluster.ts'

const BATCH = { requests: [], journeys: [] }
let folder: string
let server: ControlServer
let received: ControlRequest[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-watched-'))
  received = []
  server = await serveControl(folder, async (request) => {
    received.push(request)
    throw new Error('too busy')
  })
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const waitForLoss = (lost: Promise<Error>): Promise<Error | 'none'> =>
  Promise.race([lost, new Promise<'none'>((resolve) => setTimeout(() => resolve('none'), 100))])

it('continues if a running cluster rejects records', async () => {
  const { lost, check, record } = watchCluster({ name: 'shop', folder, owner: thisProcess() })
  record(BATCH)
  check()
  expect(await waitForLoss(lost)).toBe('none')
  expect(received).toEqual([{ command: 'record', ...BATCH }])
})

it('detects that the process of the cluster has ended', async () => {
  const { lost, check } = watchCluster({ name: 'shop', folder, owner: { ...thisProcess(), startTime: 1 } })
  check()
  expect(await waitForLoss(lost)).toMatchObject({
    code: 'cluster-lost',
    message: 'The cluster "shop" ended during the load.',
  })
})

it('detects a missing control socket', async () => {
  const { lost, record } = watchCluster({ name: 'shop', folder, owner: thisProcess() })
  server.close()
  rmSync(folder, { recursive: true })
  record(BATCH)
  expect(await waitForLoss(lost)).toMatchObject({ code: 'cluster-lost' })
})
