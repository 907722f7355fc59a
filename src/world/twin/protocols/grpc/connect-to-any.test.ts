/** Tests the choice between several addresses. */
import { expect, test } from 'vitest'
import { processTime } from '#world/twin/process'
import { connectToAny } from './connect-to-any.ts'

/** Returns the hosts in turn, as registries do. */
const rotateHosts = (...hosts: string[]) => {
  let turn = 0
  return async () => ({ host: hosts[turn++ % hosts.length]!, port: 80 })
}

const connect = async ({ host }: { host: string }): Promise<string> => {
  if (host === 'dead') throw new Error('refused')
  if (host === 'silent') await new Promise(() => {})
  return host
}

test('skips an address that refuses or does not answer', async () => {
  const discard = () => {}
  const connectTo = (...hosts: string[]) =>
    connectToAny({ time: processTime, nextAddress: rotateHosts(...hosts), connect, discard })
  await expect(connectTo('dead', 'good')).resolves.toBe('good')
  await expect(connectTo('silent', 'dead', 'good')).resolves.toBe('good')
})

test('reports the failure of the only address', async () => {
  const tried: string[] = []
  const attempt = connectToAny({
    time: processTime,
    nextAddress: rotateHosts('dead'),
    connect: (address) => {
      tried.push(address.host)
      return connect(address)
    },
    discard: () => {},
  })
  await expect(attempt).rejects.toThrow('refused')
  expect(tried).toEqual(['dead'])
})

test('abandons connections that complete too late', async () => {
  const discarded: string[] = []
  const connectSlowly = async ({ host }: { host: string }): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, host === 'slow' ? 300 : 0))
    return host
  }
  const connected = await connectToAny({
    time: processTime,
    nextAddress: rotateHosts('slow', 'quick'),
    connect: connectSlowly,
    discard: (host) => discarded.push(host),
  })
  expect(connected).toBe('quick')
  await expect.poll(() => discarded).toEqual(['slow'])
})
