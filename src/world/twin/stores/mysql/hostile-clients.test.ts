/** Tests the MySQL server with input that no client library sends. */
import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { connectTo, createClient, onTestEnd, query, start } from './testing/mysql-fixture.ts'
import { tokenise } from './tokens.ts'

/** Resolves after the greeting of the server. */
const openRawConnection = async ({
  port,
}: {
  port: number
}): Promise<{ socket: Socket; output: Promise<string> }> => {
  const socket = connect(port, '127.0.0.1')
  onTestEnd(() => socket.destroy())
  socket.on('error', () => undefined)
  let text = ''
  const output = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.once('close', () => resolve(text))
  })
  await new Promise((resolve) => socket.once('data', resolve))
  return { socket, output }
}

test('closes connections that send a large packet or garbage before the login', async () => {
  const server = await start()
  const { socket, output } = await openRawConnection(server)
  socket.write(Buffer.from([0xff, 0xff, 0xff, 1]))
  expect(await output).toContain("#08S01Got a packet bigger than 'max_allowed_packet' bytes")
  const garbage = await openRawConnection(server)
  garbage.socket.write('GET / HTTP/1.1\r\n\r\n')
  garbage.socket.end()
  await garbage.output
  expect(await query(createClient(server), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

/** Does not fit into one packet. */
const LARGE = 'x'.repeat(17_000_000)

/** The tests copy large buffers, which takes time on a busy machine. */
const TIMEOUT_MS = 90_000

test('accepts a statement that spans several packets', { timeout: TIMEOUT_MS }, async () => {
  const client = createClient(await start())
  expect(await query(client, 'SELECT LENGTH(?) AS n', LARGE)).toEqual([{ n: 17_000_000 }])
})

test('closes the connection of a client that exceeds the packet limit', {
  timeout: TIMEOUT_MS,
}, async () => {
  const server = await start()
  await expect(query(createClient(server), 'SELECT LENGTH(?) AS n', LARGE.repeat(4))).rejects.toThrow()
  expect(await query(createClient(server), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('splits a statement into tokens in linear time', () => {
  const startedAt = performance.now()
  const length = 200_000
  for (const text of [
    `'${"\\'".repeat(length)}`,
    '/*'.repeat(length),
    `${'1'.repeat(length)}a`,
    `\`${'a'.repeat(length)}`,
    `'${'a'.repeat(length)}\\`,
  ])
    try {
      tokenise(text)
    } catch (error) {
      expect(error).toMatchObject({ code: 1064 })
    }
  expect(performance.now() - startedAt).toBeLessThan(2_000)
  expect(tokenise("'it''s' \"a\\\"b\" `x``y` 1.5e3 .5 1a")).toEqual([
    { kind: 'string', text: "it's" },
    { kind: 'string', text: 'a"b' },
    { kind: 'name', text: 'x`y' },
    { kind: 'number', text: '1.5e3' },
    { kind: 'number', text: '.5' },
    { kind: 'word', text: '1a' },
  ])
})

test('rejects recursive queries, which might not terminate', async () => {
  const root = await connectTo(await start())
  const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c'
  await expect(root.query(endless)).rejects.toMatchObject({ errno: 1064 })
  await expect(root.query(`SELECT * FROM (${endless}) AS d`)).rejects.toMatchObject({ errno: 1064 })
})

test('stops replication without waiting for a silent leader', async () => {
  const silentLeader = createServer().listen(0)
  onTestEnd(() => silentLeader.close())
  const sockets: Socket[] = []
  silentLeader.on('connection', (socket) => sockets.push(socket))
  onTestEnd(() => {
    for (const socket of sockets) socket.destroy()
  })
  const root = await connectTo(await start())
  const { port } = silentLeader.address() as { port: number }
  await root.query(`CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${port}; START SLAVE`)
  await expect.poll(() => sockets.length).toBe(1)
  const startedAt = performance.now()
  await root.query('STOP SLAVE')
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

test('fails only the call if the server speaks another protocol', async () => {
  const otherServer = createServer((socket) =>
    socket.end(Buffer.from([1, 0, 0, 0, 10, 2, 0, 0, 1, 0xff, 0])),
  ).listen(0)
  onTestEnd(() => otherServer.close())
  const client = createClient(otherServer.address() as { port: number })
  await expect(query(client, 'SELECT 1')).rejects.toMatchObject({ kind: 'reset' })
})
