/** Tests the web server as a process on this machine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programPath } from './index.ts'

let folder: string
let port: number
let server: ChildProcess

const findFreePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: found } = probe.address() as { port: number }
      probe.close(() => resolve(found))
    })
  })

/** The complete answer to one request line. */
const send = (line: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  return text(socket)
}
const statusOf = async (line: string): Promise<number> => Number((await send(line)).split(' ')[1])

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-web-'))
  port = await findFreePort()
  writeFileSync(join(folder, 'index.html'), 'front page')
  writeFileSync(join(folder, 'large.txt'), Buffer.alloc(64 << 20))
  mkdirSync(join(folder, 'empty'))
  const settings = JSON.stringify({ server: 'nginx', root: folder, port, welcome: 'Welcome' })
  server = spawn(process.execPath, [programPath('web-server')], {
    env: { ...process.env, WEB_SERVER: settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise((resolve) => server.stderr!.once('data', resolve))
})
afterAll(() => {
  server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

describe('the web server', () => {
  it.each([
    ['GET /', 200],
    ['GET //', 200],
    ['GET /?a=/b', 200],
    ['GET http://shop.example/index.html', 200],
    ['GET /../../etc/passwd', 404],
    ['GET /%2e%2e/%2e%2e/etc/passwd', 404],
    ['GET /empty/', 403],
    ['POST /', 405],
    ['GET /%', 400],
    ['GET /%00', 400],
    [`GET /${'x'.repeat(300)}`, 404],
    [`GET ${'/y'.repeat(3000)}`, 404],
  ])('answers %s with %i', async (line, status) => {
    expect(await statusOf(line)).toBe(status)
    expect(server.exitCode).toBeNull()
  })

  it('closes the file when the client disconnects early', async () => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET /large.txt HTTP/1.1\r\nHost: x\r\n\r\n'),
    )
    await new Promise((resolve) => socket.once('data', resolve))
    const countOpenFiles = (): number => readdirSync(`/proc/${server.pid}/fd`).length
    const during = countOpenFiles()
    socket.destroy()
    await expect.poll(countOpenFiles).toBeLessThan(during - 1)
  })
})
