/** Which of several addresses a connection goes to. */
import { expect, test } from 'vitest'
import { connectToAny } from './connect-to-any.ts'

/** In turn, as registries give them. */
const inTurn = (...hosts: string[]) => {
  let turn = 0
  return async () => ({ host: hosts[turn++ % hosts.length]!, port: 80 })
}

const connect = async ({ host }: { host: string }): Promise<string> => {
  if (host === 'dead') throw new Error('refused')
  if (host === 'silent') await new Promise(() => {})
  return host
}

test('one that refuses or says nothing is passed over', async () => {
  const none = () => {}
  await expect(connectToAny(inTurn('dead', 'good'), connect, none)).resolves.toBe('good')
  await expect(connectToAny(inTurn('silent', 'dead', 'good'), connect, none)).resolves.toBe('good')
})

test('where there is only one, its failure is told', async () => {
  const asked: string[] = []
  const attempt = connectToAny(
    inTurn('dead'),
    (address) => {
      asked.push(address.host)
      return connect(address)
    },
    () => {},
  )
  await expect(attempt).rejects.toThrow('refused')
  expect(asked).toEqual(['dead'])
})

test('what comes too late is given up', async () => {
  const discarded: string[] = []
  const slow = async ({ host }: { host: string }): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, host === 'slow' ? 300 : 0))
    return host
  }
  expect(await connectToAny(inTurn('slow', 'quick'), slow, (host) => discarded.push(host))).toBe('quick')
  await expect.poll(() => discarded).toEqual(['slow'])
})
