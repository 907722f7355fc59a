import { expect, test } from 'vitest'
import { ConnectionPool, type PooledConnection } from './connection-pool.ts'

class Line implements PooledConnection {
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
  const made: Line[] = []
  const pool = new ConnectionPool({ address: async () => ({ host: '', port: 0 }), ...options }, async () => {
    await options.open?.()
    const line = new Line(made.length)
    made.push(line)
    return line
  })
  return { made, pool }
}

/** Work that ends when it is told. */
const createWork = () => {
  let end = (): void => undefined
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end, work: (line: Line) => over.then(() => line.name) }
}

test('who waits gets the next one before those who come later', async () => {
  const { pool } = createPool({ poolSize: 1 })
  const order: string[] = []
  const first = createWork()
  const use = (name: string) => pool.use(async () => void order.push(name))
  const lent = pool.use(first.work)
  const waiting = use('waiting')
  first.end()
  await lent
  await Promise.all([use('later'), waiting])
  expect(order).toEqual(['waiting', 'later'])
})

test('who waits no longer than it may leaves nothing behind', async () => {
  const { pool, made } = createPool({ poolSize: 1, poolWaitMs: 20 })
  const first = createWork()
  const lent = pool.use(first.work)
  const started = performance.now()
  const waiting = [pool.use(async () => 'never'), pool.use(async () => 'never', 5)]
  const results = await Promise.allSettled(waiting)
  expect(results.map((result) => (result as PromiseRejectedResult).reason.kind)).toEqual(['pool', 'timeout'])
  expect(performance.now() - started).toBeGreaterThan(15)
  first.end()
  expect(await lent).toBe(0)
  expect(await pool.use(async (line) => line.name)).toBe(0)
  expect(made).toHaveLength(1)
})

test('a dead one is never lent, and those who wait get one in its place', async () => {
  const { pool, made } = createPool({ poolSize: 2 })
  await Promise.all([pool.use(async () => undefined), pool.use(async () => undefined)])
  for (const line of made) line.closed = true
  const works = [createWork(), createWork(), createWork(), createWork()]
  const used = works.map(({ work }) => pool.use(work))
  for (const { end } of works) end()
  expect((await Promise.all(used)).sort()).toEqual([2, 2, 3, 3])
  const broken = pool.use(async (line) => line.close())
  const waiting = [pool.use(async () => 1), pool.use(async () => 2), pool.use(async () => 3)]
  await broken
  expect(await Promise.all(waiting)).toEqual([1, 2, 3])
})

test('one that is used too long is closed, and its place is free', async () => {
  const { pool, made } = createPool({ poolSize: 1 })
  const stuck = pool.use(
    (line) =>
      new Promise((_, reject) => {
        const timer = setInterval(() => {
          if (!line.closed) return
          clearInterval(timer)
          reject(new Error('closed'))
        }, 1)
      }),
    10,
  )
  await expect(stuck).rejects.toMatchObject({ kind: 'timeout' })
  await expect(pool.use(async (line) => line.name, 1_000)).resolves.toBe(1)
  expect(made[0]!.closed).toBe(true)
})

test('a pool that is closed closes all, also what is just being made', async () => {
  const opened = createWork()
  const { pool, made } = createPool({
    poolSize: 1,
    open: () => opened.work(new Line(0)).then(() => undefined),
  })
  const opening = pool.use(async () => 'used')
  const waiting = pool.use(async () => 'used')
  pool.close()
  await expect(waiting).rejects.toMatchObject({ kind: 'reset' })
  opened.end()
  await expect(opening).rejects.toMatchObject({ kind: 'reset' })
  expect(made.map(({ closed }) => closed)).toEqual([true])
  await expect(pool.use(async () => 'used')).rejects.toMatchObject({ kind: 'reset' })
})
