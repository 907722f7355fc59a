/** Tests the choice between several addresses. */
import { expect, test } from 'vitest'
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
  await expect(connectToAny(rotateHosts('dead', 'good'), connect, discard)).resolves.toBe('good')
  await expect(connectToAny(rotateHosts('silent', 'dead', 'good'), connect, discard)).resolves.toBe('good')
})

test('reports the failure of the only address', async () => {
  const tried: string[] = []
  const attempt = connectToAny(
    rotateHosts('dead'),
    (address) => {
      tried.push(address.host)
      return connect(address)
    },
    () => {},
  )
  await expect(attempt).rejects.toThrow('refused')
  expect(tried).toEqual(['dead'])
})

test('abandons connections that complete too late', async () => {
  const discarded: string[] = []
  const connectSlowly = async ({ host }: { host: string }): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, host === 'slow' ? 300 : 0))
    return host
  }
  expect(
    await connectToAny(rotateHosts('slow', 'quick'), connectSlowly, (host) => discarded.push(host)),
  ).toBe('quick')
  await expect.poll(() => discarded).toEqual(['slow'])
})
