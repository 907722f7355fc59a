/** Tests calls of a forked process: replies, failures, and losses. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { createForkCaller } from './create-fork-caller.ts'
import type { ForkCall, ForkMessage } from './fork-messages.ts'

const open = () => {
  const clock = createVirtualClock(0)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const sent: ForkCall[] = []
  let listener: (message: unknown) => void = () => {}
  const caller = createForkCaller(
    {
      pid: 1,
      ended,
      end,
      send: (message) => void sent.push(message as ForkCall),
      onMessage(next) {
        listener = next
      },
    },
    { silenceMs: 1000, clock, onStage() {} },
  )
  const receive = (message: ForkMessage): void => listener(message)
  return { caller, sent, receive, clock, end }
}

it('resolves with the replies, in any order', async () => {
  const { caller, sent, receive } = open()
  receive({ kind: 'result', id: 0, result: 'ready' })
  expect(await caller.started).toBe('ready')
  const [one, other] = [caller.call('a'), caller.call('b')]
  expect(sent).toEqual([
    { id: 1, input: 'a' },
    { id: 2, input: 'b' },
  ])
  const failure = { code: 'no-user-impact', message: 'no impact', blame: 'environment' } as const
  receive({ kind: 'failed', id: 2, failure })
  receive({ kind: 'result', id: 1, result: 7 })
  expect(await one).toBe(7)
  await expect(other).rejects.toMatchObject(failure)
})

it('rejects calls of a process that has ended', async () => {
  const { caller, end } = open()
  const call = caller.call('a')
  end()
  await expect(call).rejects.toMatchObject({ code: 'cluster-lost' })
  await expect(caller.started).rejects.toMatchObject({ code: 'cluster-lost' })
  await expect(caller.call('b')).rejects.toMatchObject({ code: 'cluster-lost' })
})

it('ends a process that is silent during a call, but not between calls', async () => {
  const { caller, receive, clock } = open()
  receive({ kind: 'result', id: 0, result: null })
  clock.advance(10_000)
  const call = caller.call('a')
  clock.advance(900)
  receive({ kind: 'alive' })
  clock.advance(900)
  receive({ kind: 'result', id: 1, result: 1 })
  expect(await call).toBe(1)
  const silent = caller.call('b')
  clock.advance(1001)
  await expect(silent).rejects.toThrow('sent nothing for 1 s')
  await caller.ended
})
