/** Tests the order of the addresses in a pool. */
import { expect, it } from 'vitest'
import { createRandom } from '#kit'
import { createAddressPool } from './address-pool.ts'

const lastOctet = (address: string): number => Number(address.split('.').at(-1))

it('allocates every address of the range once, in random order', () => {
  const pool = createAddressPool('10.244.1.0/24', createRandom('a'))
  const allocated = Array.from({ length: 253 }, () => pool.allocate())
  expect(allocated.map(lastOctet).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 253 }, (_, index) => index + 2),
  )
  expect(allocated.map(lastOctet)).not.toEqual(allocated.map(lastOctet).toSorted((a, b) => a - b))
  expect(() => pool.allocate()).toThrow('no IP addresses available in range set: 10.244.1.1-10.244.1.254')
})

it('reuses a released address last', () => {
  const pool = createAddressPool('10.244.1.0/29', createRandom('a'))
  const [first, ...others] = Array.from({ length: 4 }, () => pool.allocate())
  pool.release(first!)
  expect(others).not.toContain(pool.allocate())
  expect(pool.allocate()).toBe(first)
})
