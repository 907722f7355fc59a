/** Creates the ids of documents. */
import type { StoreHost } from '../store-host.ts'
import { ObjectId } from './bson.ts'

const MAX_COUNT = 0x1000000

/** Returns a function that returns a new id at each call. */
export const createObjectIds = ({ random, time }: Pick<StoreHost, 'random' | 'time'>): (() => ObjectId) => {
  const processHex = Buffer.from(random.bytes(5)).toString('hex')
  let count = Math.floor(random.next() * MAX_COUNT)
  return () => {
    count = (count + 1) % MAX_COUNT
    const seconds = Math.floor(time.now() / 1000)
    return new ObjectId(
      seconds.toString(16).padStart(8, '0') + processHex + count.toString(16).padStart(6, '0'),
    )
  }
}
