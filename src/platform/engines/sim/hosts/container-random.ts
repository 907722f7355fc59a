/** The random numbers of one simulated container: reproducible from the seed. */
import type { Random } from '#kit'
import type { ProgramRandom } from '#spec'

const BYTES_PER_NUMBER = 4

export const createContainerRandom = (random: Random): ProgramRandom => ({
  next: () => random.next(),
  bytes(count) {
    const bytes = new Uint8Array(count)
    let number = 0
    for (let index = 0; index < count; index += 1) {
      number = index % BYTES_PER_NUMBER === 0 ? random.below(2 ** 32) : number >>> 8
      bytes[index] = number & 0xff
    }
    return bytes
  },
})
