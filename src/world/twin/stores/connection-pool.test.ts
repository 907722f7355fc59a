/** Tests the connection pool of store clients. */
import { expect, test } from 'vitest'
import { processTime } from '#world/twin/process'
import { ConnectionPool, type PooledConnection } from './connection-pool.ts'

class FakeConnection implements PooledConnection {
  closed = false
  readonly name: number

  constructor(name: number) {
    this.name = name
  }

  close(): void {
    this.closed = true
  }
}

const createPool = (options: { poolSize?: number; poolWaitMs?: number; open?: () => Promise<void> } = {}) => {
  const opened: FakeConnection[] = []
  const pool = new ConnectionPool(options, processTime, async () => {
    await options.open?.()
    const connection = new FakeConnection(opened.length)
    opened.push(connection)
    return connection
  })
  return { opened, pool }
}

/** Creates work that runs until `end` is called. */
const createWork = () => {
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end, work: (connection: FakeConnection) => ended.then(() => connection.name) }
}

test('serves waiting calls before later ones', async () => {
  const { pool } = createPool({ poolSize: 1 })
  const order: string[] = []
  const first = createWork()
  const recordUse = (name: string) => pool.use(async () => void order.push(name))
  const inUse = pool.use(first.work)
  const waiting = recordUse('waiting')
  first.end()
  await inUse
  await Promise.all([recordUse('later'), waiting])
  expect(order).toEqual(['waiting', 'later'])
})

test('removes timed-out calls from the queue', async () => {
  const { pool, opened } = createPool({ poolSize: 1, poolWaitMs: 20 })
  const first = createWork()
  const inUse = pool.use(first.work)
  const started = performance.now()
  const waiting = [pool.use(async () => 'never'), pool.use(async () => 'never', 5)]
  const results = await Promise.allSettled(waiting)
  expect(results.map((result) => (result as PromiseRejectedResult).reason.kind)).toEqual(['pool', 'timeout'])
  expect(performance.now() - started).toBeGreaterThan(15)
  first.end()
  expect(await inUse).toBe(0)
  expect(await pool.use(async (connection) => connection.name)).toBe(0)
  expect(opened).toHaveLength(1)
})

test('replaces closed connections, also for waiting calls', async () => {
  const { pool, opened } = createPool({ poolSize: 2 })
  await Promise.all([pool.use(async () => undefined), pool.use(async () => undefined)])
  for (const connection of opened) connection.closed = true
  const works = [createWork(), createWork(), createWork(), createWork()]
  const used = works.map(({ work }) => pool.use(work))
  for (const { end } of works) end()
  expect((await Promise.all(used)).sort()).toEqual([2, 2, 3, 3])
  const broken = pool.use(async (connection) => connection.close())
  const waiting = [pool.use(async () => 1), pool.use(async () => 2), pool.use(async () => 3)]
  await broken
  expect(await Promise.all(waiting)).toEqual([1, 2, 3])
})

test('closes a connection at the timeout and frees its slot', async () => {
  const { pool, opened } = createPool({ poolSize: 1 })
  const stuck = pool.use(
    (connection) =>
      new Promise((_, reject) => {
        const timer = setInterval(() => {
          if (!connection.closed) return
          clearInterval(timer)
          reject(new Error('closed'))
        }, 1)
      }),
    10,
  )
  await expect(stuck).rejects.toMatchObject({ kind: 'timeout' })
  await expect(pool.use(async (connection) => connection.name, 1_000)).resolves.toBe(1)
  expect(opened[0]!.closed).toBe(true)
})

test('closes all connections with the pool, including those being opened', async () => {
  const opening = createWork()
  const { pool, opened } = createPool({
    poolSize: 1,
    open: () => opening.work(new FakeConnection(0)).then(() => undefined),
  })
  const first = pool.use(async () => 'used')
  const waiting = pool.use(async () => 'used')
  pool.close()
  await expect(waiting).rejects.toMatchObject({ kind: 'reset' })
  opening.end()
  await expect(first).rejects.toMatchObject({ kind: 'reset' })
  expect(opened.map(({ closed }) => closed)).toEqual([true])
  await expect(pool.use(async () => 'used')).rejects.toMatchObject({ kind: 'reset' })
})
