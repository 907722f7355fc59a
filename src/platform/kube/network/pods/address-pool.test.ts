/** Tests the order of the addresses in a pool. */
import { expect, it } from 'vitest'
import { createRandom } from '#kit'
import { createAddressPool } from './address-pool.ts'

const lastOctet = (address: string): number => Number(address.split('.').at(-1))

it('takes every address of the range once, in random order', () => {
  const pool = createAddressPool('10.244.1.0/24', createRandom('a'))
  const taken = Array.from({ length: 253 }, () => pool.take())
  expect(taken.map(lastOctet).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 253 }, (_, index) => index + 2),
  )
  expect(taken.map(lastOctet)).not.toEqual(taken.map(lastOctet).toSorted((a, b) => a - b))
  expect(() => pool.take()).toThrow('no IP addresses available in range set: 10.244.1.1-10.244.1.254')
})

it('reuses a released address last', () => {
  const pool = createAddressPool('10.244.1.0/29', createRandom('a'))
  const [first, ...others] = Array.from({ length: 4 }, () => pool.take())
  pool.release(first!)
  expect(others).not.toContain(pool.take())
  expect(pool.take()).toBe(first)
})
