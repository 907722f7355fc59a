/** Tests that the same seed gives the same times, and that an exchange sets few timers. */
import { expect, it } from 'vitest'
import { type Clock, createRandom, createVirtualClock, runVirtually } from '#kit'
import { createResources } from '#platform/kube/resources'
import { defaultNodes } from '#platform/kube/simulated'
import { createSimNetwork } from './create-sim-network.ts'
import { ask, codeOf, createTestNetwork, serveEcho } from './testing/create-test-network.ts'

/** The servers and times of the answers to many calls under loss, delay and a bandwidth limit. */
const recordOf = async (seed: string): Promise<string> => {
  const { addPod, addService, clock, network, run } = createTestNetwork(seed)
  const client = addPod('client')
  const servers = ['one', 'two', 'three'].map((name) => addPod(name))
  for (const server of servers) serveEcho(server, 8080, 5000)
  addService('web', {}, servers)
  network.applyEffects(client.uid, { loss: { percent: 20, correlation: 25 } })
  network.applyEffects(servers[0]!.uid, { delay: { latencyMs: 20, jitterMs: 10, correlation: 50 } })
  network.applyEffects(servers[1]!.uid, { bandwidth: { rate: 1_000_000, limit: 20_000, buffer: 5000 } })
  const lines: string[] = []
  const call = async (number: number): Promise<void> => {
    try {
      const connection = await client.network.connect('web', 80)
      const answer = await ask(connection, number)
      lines.push(`${clock.now()} ${connection.address} ${answer}`)
      connection.close()
    } catch (error) {
      lines.push(`${clock.now()} ${codeOf(error)} ${number}`)
    }
  }
  for (let round = 0; round < 20; round += 1)
    await run(() => Promise.all(Array.from({ length: 10 }, (_, index) => call(10 * round + index))))
  return lines.join('\n')
}

it('gives the same times for the same seed, and others for another', async () => {
  const [first, again, other] = [await recordOf('one'), await recordOf('one'), await recordOf('two')]
  expect(first.split('\n')).toHaveLength(200)
  expect(again).toBe(first)
  expect(other).not.toBe(first)
})

it('sets two timers for an exchange, and none while nothing happens', async () => {
  const virtual = createVirtualClock()
  let timers = 0
  const clock: Clock = {
    ...virtual,
    after(ms, task) {
      timers += 1
      return virtual.after(ms, task)
    },
  }
  const random = createRandom(1)
  const resources = createResources({ clock: virtual, random })
  const client = resources.clientFor({ username: 'tester', groups: ['system:masters'] }, 'tester')
  const network = createSimNetwork({ clock, random, client, nodes: defaultNodes(1) })
  const processes = ['10.244.0.2', '10.244.0.3'].map((ip) => {
    const metadata = { name: ip, namespace: 'shop', uid: ip }
    const pod = { metadata, spec: { containers: [] }, status: {} } as never
    return network.attachPod(pod, { ip, node: 'node1' }).startProcess()
  })
  serveEcho(processes[0]!)
  const connection = await runVirtually(virtual, () => processes[1]!.network.connect('10.244.0.2', 8080))
  virtual.advance(60_000)
  timers = 0
  await runVirtually(virtual, async () => {
    for (let index = 0; index < 1000; index += 1) await ask(connection, index)
  })
  expect(timers).toBe(2000)
  virtual.advance(60_000)
  expect(timers).toBe(2000)
})
