/** Implements `random.Random(seed)`: the Mersenne Twister with Python's seeding. */
import { createHash } from 'node:crypto'
import { PythonError } from '../python/python-error.ts'
import { typeName } from '../python/type-name.ts'
import { isInt, isString, plainCharactersOf } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spend } from '../work.ts'

const SIZE = 624
const SHIFT = 397

const initial = (seed: number): Uint32Array => {
  const state = new Uint32Array(SIZE)
  state[0] = seed
  for (let index = 1; index < SIZE; index += 1) {
    const previous = state[index - 1]! ^ (state[index - 1]! >>> 30)
    state[index] = Math.imul(1812433253, previous) + index
  }
  return state
}

/** Mixes the words of the key into the state. */
const seeded = (key: readonly number[]): Uint32Array => {
  const state = initial(19650218)
  let place = 1
  const mix = (factor: number, addend: number): void => {
    const previous = state[place - 1]! ^ (state[place - 1]! >>> 30)
    state[place] = (state[place]! ^ Math.imul(previous, factor)) + addend
    place += 1
    if (place < SIZE) return
    state[0] = state[SIZE - 1]!
    place = 1
  }
  for (let step = 0; step < Math.max(SIZE, key.length); step += 1)
    mix(1664525, key[step % key.length]! + (step % key.length))
  for (let step = 1; step < SIZE; step += 1) mix(1566083941, -place)
  state[0] = 0x80000000
  return state
}

const twist = (state: Uint32Array): void => {
  for (let index = 0; index < SIZE; index += 1) {
    const bits = (state[index]! & 0x80000000) | (state[(index + 1) % SIZE]! & 0x7fffffff)
    state[index] = state[(index + SHIFT) % SIZE]! ^ (bits >>> 1) ^ (bits & 1 ? 0x9908b0df : 0)
  }
}

const temper = (word: number): number => {
  let bits = word ^ (word >>> 11)
  bits ^= (bits << 7) & 0x9d2c5680
  bits ^= (bits << 15) & 0xefc60000
  return (bits ^ (bits >>> 18)) >>> 0
}

const wordsOf = (value: bigint): number[] => {
  const words: number[] = []
  for (let rest = value; rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffffffffn))
  return words.length === 0 ? [0] : words
}

const keyOf = (seed: unknown): bigint => {
  if (isInt(seed)) return BigInt(seed < 0 ? -seed : seed)
  if (typeof seed === 'boolean') return BigInt(seed)
  if (!isString(seed)) throw new UnsupportedTemplate(`a seed of the type ${typeName(seed)}`)
  const bytes = Buffer.from(plainCharactersOf(seed), 'utf8')
  return BigInt(`0x${bytes.toString('hex')}${createHash('sha512').update(bytes).digest('hex')}`)
}

export interface SeededRandom {
  /** A whole number from 0 to `bound - 1`. */
  below(bound: number): number
  /** `randrange(start, stop, step)`. */
  range(start: number, stop: number, step: number): number
}

export const seededRandom = (seed: unknown): SeededRandom => {
  const state = seeded(wordsOf(keyOf(seed)))
  let place = SIZE
  spend(SIZE * 3)
  const next = (): number => {
    if (place === SIZE) {
      twist(state)
      place = 0
    }
    place += 1
    return temper(state[place - 1]!)
  }
  const below = (bound: number): number => {
    if (bound > 0xffffffff) throw new UnsupportedTemplate('random numbers above 2^32')
    const bits = 32 - Math.clz32(bound)
    let value = next() >>> (32 - bits)
    while (value >= bound) value = next() >>> (32 - bits)
    return value
  }
  return {
    below,
    range(start, stop, step) {
      const count = Math.ceil((stop - start) / step)
      if (count <= 0)
        throw new PythonError(
          'ValueError',
          step === 1
            ? `empty range for randrange() (${start}, ${stop}, ${stop - start})`
            : `empty range for randrange() (${start}, ${stop}, ${step})`,
        )
      return start + step * below(count)
    },
  }
}
