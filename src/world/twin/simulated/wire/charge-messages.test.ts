/** Tests that messages use the CPU of both programs. */
import { expect, it } from 'vitest'
import { createVirtualClock, runVirtually } from '#kit'
import { createTestHosts } from '../testing/test-hosts.ts'
import { chargeMessages } from './charge-messages.ts'

it('charges the server before the answer and the client after it, but not for requests without bytes', async () => {
  const clock = createVirtualClock()
  const hosts = createTestHosts(clock)
  const server = hosts.add({ name: 'server' })
  const client = hosts.add({ name: 'client' })
  const cost = { server: 3, client: 2 }
  await runVirtually(clock, async () => {
    chargeMessages(server, cost).network.listen(80, () => async (request) => {
      expect(server.cpu.usedMs()).toBe(request.bytes > 0 ? 3 : 0)
      return { content: 'answer', bytes: 1 }
    })
    const connection = await chargeMessages(client, cost).network.connect('server', 80)
    await connection.exchange({ content: 'poll', bytes: 0 })
    expect(client.cpu.usedMs()).toBe(0)
    await connection.exchange({ content: 'request', bytes: 10 })
  })
  expect([server.cpu.usedMs(), client.cpu.usedMs()]).toEqual([3, 2])
})
