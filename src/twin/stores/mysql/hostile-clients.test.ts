import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { ask, atEnd, clientOf, connectTo, start } from './testing/mysql-fixture.ts'
import { toTokens } from './tokens.ts'

const dial = async ({ port }: { port: number }): Promise<{ socket: Socket; said: Promise<string> }> => {
  const socket = connect(port, '127.0.0.1')
  atEnd(() => socket.destroy())
  socket.on('error', () => undefined)
  let text = ''
  const said = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.once('close', () => resolve(text))
  })
  await new Promise((resolve) => socket.once('data', resolve))
  return { socket, said }
}

test('who sends too much before it has said who it is must go', async () => {
  const server = await start()
  const { socket, said } = await dial(server)
  socket.write(Buffer.from([0xff, 0xff, 0xff, 1]))
  expect(await said).toContain("#08S01Got a packet bigger than 'max_allowed_packet' bytes")
  const garbage = await dial(server)
  garbage.socket.write('GET / HTTP/1.1\r\n\r\n')
  garbage.socket.end()
  await garbage.said
  expect(await ask(clientOf(server), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

/** More than one packet holds. */
const LARGE = 'x'.repeat(17_000_000)

/** They move much memory, for which a busy machine may take its time. */
const PATIENCE_MS = 90_000

test('a packet comes in as many pieces as it likes', { timeout: PATIENCE_MS }, async () => {
  const client = clientOf(await start())
  expect(await ask(client, 'SELECT LENGTH(?) AS n', LARGE)).toEqual([{ n: 17_000_000 }])
})

test('a packet that is larger than any may be costs its client the connection', {
  timeout: PATIENCE_MS,
}, async () => {
  const server = await start()
  await expect(ask(clientOf(server), 'SELECT LENGTH(?) AS n', LARGE.repeat(4))).rejects.toThrow()
  expect(await ask(clientOf(server), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('a statement is read in time that grows with its length', () => {
  const started = performance.now()
  const length = 200_000
  for (const text of [
    `'${"\\'".repeat(length)}`,
    '/*'.repeat(length),
    `${'1'.repeat(length)}a`,
    `\`${'a'.repeat(length)}`,
    `'${'a'.repeat(length)}\\`,
  ])
    try {
      toTokens(text)
    } catch (error) {
      expect(error).toMatchObject({ code: 1064 })
    }
  expect(performance.now() - started).toBeLessThan(2_000)
  expect(toTokens("'it''s' \"a\\\"b\" `x``y` 1.5e3 .5 1a")).toEqual([
    { kind: 'string', text: "it's" },
    { kind: 'string', text: 'a"b' },
    { kind: 'name', text: 'x`y' },
    { kind: 'number', text: '1.5e3' },
    { kind: 'number', text: '.5' },
    { kind: 'word', text: '1a' },
  ])
})

test('no query goes on without end', async () => {
  const root = await connectTo(await start())
  const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c'
  await expect(root.query(endless)).rejects.toMatchObject({ errno: 1064 })
  await expect(root.query(`SELECT * FROM (${endless}) AS d`)).rejects.toMatchObject({ errno: 1064 })
})

test('one who stops copying does not wait for a leader that says nothing', async () => {
  const mute = createServer().listen(0)
  atEnd(() => mute.close())
  const sockets: Socket[] = []
  mute.on('connection', (socket) => sockets.push(socket))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
  })
  const root = await connectTo(await start())
  const { port } = mute.address() as { port: number }
  await root.query(`CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${port}; START SLAVE`)
  await expect.poll(() => sockets.length).toBe(1)
  const started = performance.now()
  await root.query('STOP SLAVE')
  expect(performance.now() - started).toBeLessThan(2_000)
})

test('a server that speaks something else fails the call only', async () => {
  const other = createServer((socket) =>
    socket.end(Buffer.from([1, 0, 0, 0, 10, 2, 0, 0, 1, 0xff, 0])),
  ).listen(0)
  atEnd(() => other.close())
  const client = clientOf(other.address() as { port: number })
  await expect(ask(client, 'SELECT 1')).rejects.toMatchObject({ kind: 'reset' })
})
