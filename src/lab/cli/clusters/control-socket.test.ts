/** Tests of requests and answers over the control socket of a cluster. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { RemediumError } from '#spec'
import { type ControlServer, sendControlRequest, serveControl } from './control-socket.ts'

let folder: string
let server: ControlServer | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-control-'))
})
afterEach(() => {
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})

it("returns the value of a command if there is one, and throws the cluster's error", async () => {
  server = await serveControl(folder, async ({ command }) => {
    if (command === 'down') return undefined
    if (command === 'reset') throw new RemediumError('not-ready', 'It is still starting.', { hint: 'Wait.' })
    return { state: 'ready' }
  })
  expect(await sendControlRequest(folder, { command: 'status' }, 5000)).toEqual({ state: 'ready' })
  expect(await sendControlRequest(folder, { command: 'down' }, 5000)).toBeUndefined()
  await expect(sendControlRequest(folder, { command: 'reset' }, 5000)).rejects.toMatchObject({
    code: 'not-ready',
    message: 'It is still starting.',
    hint: 'Wait.',
  })
})

it('reports a cluster that does not answer', async () => {
  await expect(sendControlRequest(folder, { command: 'down' }, 5000)).rejects.toMatchObject({
    code: 'cluster-lost',
  })
})

it('survives a client that disconnects without reading the answer', async () => {
  const { promise: served, resolve } = Promise.withResolvers<void>()
  server = await serveControl(folder, async () => resolve())
  const client = connect(join(folder, 'control'))
  client.pause()
  client.write('{"command":"status"}\n')
  await served
  await new Promise((done) => setTimeout(done, 100))
  client.destroy()
  await new Promise((done) => setTimeout(done, 100))
  await sendControlRequest(folder, { command: 'status' }, 5000)
})
