/** Tests that lab clusters are closed with their worker, and not used after the clock jumped. */
import { expect, it, vi } from 'vitest'
import type { Incident } from '#exam/episode'
import { exampleProblem } from '#lab/testing'
import { RemediumError } from '#spec'
import { createLabClusterKeeper, type LabClusterRequest } from './lab-cluster-keeper.ts'
import type { LabCluster, LabClusterOptions } from './open-lab-cluster.ts'

const toLabCluster = (system: string, close: () => Promise<void>): LabCluster =>
  ({ system, cluster: {}, laboratory: {}, close }) as unknown as LabCluster

const requestFor = (system: string, signal = new AbortController().signal): LabClusterRequest => ({
  problem: exampleProblem('a', { system }),
  faults: new Map(),
  signal,
  stage() {},
})

it('closes a lab cluster that was being opened when the worker was stopped', async () => {
  const opening = Promise.withResolvers<LabCluster>()
  const ending = new AbortController()
  const keeper = createLabClusterKeeper({ open: () => opening.promise })
  const opened = keeper.open(requestFor('shop', ending.signal))
  const rejection = expect(opened).rejects.toThrow('enough')
  await new Promise(setImmediate)
  ending.abort(new Error('enough'))
  const [close, afterwards] = [vi.fn(async () => {}), vi.fn()]
  const closed = keeper.close().then(afterwards)
  opening.resolve(toLabCluster('shop', close))
  await rejection
  await closed
  expect(close).toHaveBeenCalledOnce()
  expect(close.mock.invocationCallOrder[0]).toBeLessThan(afterwards.mock.invocationCallOrder[0]!)
})

it('draws the names of a cluster from the secret of the episode, not from its problem', async () => {
  const seedOf = async (seed: string, secret: string | undefined): Promise<string> => {
    const open = vi.fn(async (_: LabClusterOptions) => toLabCluster('shop', async () => {}))
    const keeper = createLabClusterKeeper({ open })
    const request = { ...requestFor('shop'), problem: exampleProblem('a', { seed }) }
    await keeper.open(secret === undefined ? request : { ...request, secret })
    return open.mock.calls[0]![0].seed
  }
  expect(await seedOf('public', 'one')).toBe(await seedOf('another', 'one'))
  expect(await seedOf('public', 'one')).not.toBe(await seedOf('public', 'two'))
  // Runs of older versions have no secret.
  expect(await seedOf('public', undefined)).toBe('public')
})

it('opens another lab cluster if one could not be opened', async () => {
  const open = vi.fn(async () => toLabCluster('shop', async () => {}))
  open.mockRejectedValueOnce(new Error('no room'))
  const keeper = createLabClusterKeeper({ open })
  await expect(keeper.open(requestFor('shop'))).rejects.toThrow('no room')
  expect((await keeper.open(requestFor('shop'))).labCluster.system).toBe('shop')
  expect(open).toHaveBeenCalledTimes(2)
})

it('opens nothing for a worker that was stopped', async () => {
  const open = vi.fn(async () => toLabCluster('shop', async () => {}))
  const keeper = createLabClusterKeeper({ open })
  const request = requestFor('shop', AbortSignal.abort(new Error('enough')))
  await expect(keeper.open(request)).rejects.toThrow('enough')
  expect(open).not.toHaveBeenCalled()
})

it('when closed, waits for a lab cluster that is already being closed for another system', async () => {
  const closing = Promise.withResolvers<void>()
  const ending = new AbortController()
  const keeper = createLabClusterKeeper({
    open: async ({ system }) => toLabCluster(system, () => closing.promise),
  })
  await keeper.open(requestFor('shop'))
  const rejection = expect(keeper.open(requestFor('trains', ending.signal))).rejects.toThrow('enough')
  ending.abort(new Error('enough'))
  const steps: string[] = []
  const closed = keeper.close().then(() => steps.push('all closed'))
  await new Promise(setImmediate)
  steps.push('shop closed')
  closing.resolve()
  await Promise.all([rejection, closed])
  expect(steps).toEqual(['shop closed', 'all closed'])
})

it('keeps a lab cluster that was restored, and closes one that could not be', async () => {
  const close = vi.fn(async () => {})
  const open = vi.fn(async () => toLabCluster('shop', close))
  const keeper = createLabClusterKeeper({ open })
  await keeper.open(requestFor('shop'))
  await keeper.restore({ restore: async () => {} } as Incident)
  expect(close).not.toHaveBeenCalled()
  await keeper.restore({
    restore: () => Promise.reject(new Error('still broken')),
  } as Partial<Incident> as Incident)
  expect(close).toHaveBeenCalledOnce()
  expect((await keeper.open(requestFor('shop'))).provisionMs).toBeGreaterThanOrEqual(0)
  expect(open).toHaveBeenCalledTimes(2)
})

/** Creates a clock that jumps when `jump` is called. */
const createJumpingClock = () => {
  let hasJumped = false
  return {
    jump() {
      hasJumped = true
    },
    checkClock() {
      if (hasJumped) throw new RemediumError('clock-jumped', 'It jumped.')
    },
  }
}

it('opens no lab cluster after the clock jumped, not even between two episodes', async () => {
  const { jump, checkClock } = createJumpingClock()
  const open = vi.fn(async () => toLabCluster('shop', async () => {}))
  const keeper = createLabClusterKeeper({ open, checkClock })
  await keeper.open(requestFor('shop'))
  jump()
  await expect(keeper.open(requestFor('shop'))).rejects.toMatchObject({ code: 'clock-jumped' })
  await expect(keeper.open(requestFor('trains'))).rejects.toMatchObject({ code: 'clock-jumped' })
  expect(open).toHaveBeenCalledOnce()
})

it('reports that the clock jumped while an incident was prepared', async () => {
  const { jump, checkClock } = createJumpingClock()
  const keeper = createLabClusterKeeper({
    open: async () => toLabCluster('shop', async () => {}),
    checkClock,
  })
  await keeper.open(requestFor('shop'))
  expect(() => keeper.checkClock()).not.toThrow()
  jump()
  expect(() => keeper.checkClock()).toThrow(expect.objectContaining({ code: 'clock-jumped' }))
})

it('replaces a lab cluster of another engine', async () => {
  const close = vi.fn(async () => {})
  const open = vi.fn(async (_: LabClusterOptions) => toLabCluster('shop', close))
  const keeper = createLabClusterKeeper({ open })
  await keeper.open(requestFor('shop'))
  await keeper.open({ ...requestFor('shop'), engine: 'sim' })
  expect(close).toHaveBeenCalledOnce()
  expect(open.mock.calls.map(([{ engine }]) => engine)).toEqual(['local', 'sim'])
})

it('replaces a lab cluster after many incidents', async () => {
  const open = vi.fn(async () => toLabCluster('shop', async () => {}))
  const keeper = createLabClusterKeeper({ open })
  for (let count = 0; count < 120; count += 1) await keeper.open(requestFor('shop'))
  expect(open).toHaveBeenCalledOnce()
  await keeper.open(requestFor('shop'))
  expect(open).toHaveBeenCalledTimes(2)
})

it('gives each incident on a simulated cluster a new cluster, regardless of the clock of the machine', async () => {
  const steps: string[] = []
  const open = async ({ seed }: LabClusterOptions) => {
    steps.push(`open ${seed}`)
    return toLabCluster('shop', async () => void steps.push('close'))
  }
  const checkClock = (): void => {
    throw new RemediumError('clock-jumped', 'The clock has jumped.')
  }
  const keeper = createLabClusterKeeper({ open, checkClock })
  const incident = { restore: () => Promise.reject(new Error('not called')) } as unknown as Incident
  const play = async (seed: string): Promise<void> => {
    const problem = exampleProblem('a', { seed })
    await keeper.open({ ...requestFor('shop'), problem, engine: 'sim' })
    keeper.checkClock()
  }
  await play('first')
  await keeper.restore(incident)
  await play('second')
  await play('third')
  expect(steps).toEqual(['open first', 'close', 'open second', 'close', 'open third'])
})
