/** Tests that a new system needs only one folder: a topology of ten lines runs on real processes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createLocalEngine, type LocalCluster } from '#platform/engines/local'
import { defineTwinSystem } from '#world/topology'
import { STATE } from './testing/state-folder.ts'

const TEN_LINES = `system: tiny
services:
  front:
    endpoints:
      GET /:
        steps: [{call: back GET /time, as: time}]
        reply: '"It is " + time.now'
  back:
    endpoints:
      GET /time: {reply: '{"now": isoTime(now())}'}
`

let cluster: LocalCluster | undefined
let folder: string | undefined
afterEach(async () => {
  await cluster?.close()
  if (folder !== undefined) rmSync(folder, { recursive: true })
})

describe('a system of ten lines', () => {
  it('runs, answers requests, and fails after the rollout of a bad release', async () => {
    folder = mkdtempSync(join(tmpdir(), 'ten-lines-'))
    const home = join(folder, 'tiny')
    mkdirSync(home)
    writeFileSync(join(home, 'topology.yaml'), TEN_LINES)
    const system = defineTwinSystem(home)
    expect(system.edges).toEqual([{ from: 'front', to: 'back' }])

    cluster = await createLocalEngine({ state: STATE }).provision(system)
    const url = cluster.entryPoints.find(({ name }) => name === 'front')!.url
    const request = async (): Promise<{ status: number; text: string }> => {
      const response = await fetch(url)
      return { status: response.status, text: await response.text() }
    }
    expect(await request()).toEqual({ status: 200, text: expect.stringMatching(/^It is \d{4}-\d\d-\d\dT/) })

    const failing = Object.entries(system.topology!.services.back!.deploy.releases!).find(
      ([, { defects }]) => defects?.[0]?.kind === 'failing-endpoint',
    )![0]
    const back = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'tiny', name: 'back' }
    await cluster.api.patch(back, 'strategic', {
      spec: { template: { spec: { containers: [{ name: 'back', image: `tiny/back:${failing}` }] } } },
    })
    await expect.poll(async () => (await request()).status).toBe(500)
  })
})
