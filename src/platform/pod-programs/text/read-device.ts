/** Reads /dev/zero and /dev/urandom. */
import type { PodProgramCall } from '../pod-program.ts'

/** More than this is not made up in memory. */
const MAX_DEVICE_BYTES = 256 * 2 ** 20

/** The first bytes of a device that has no end. */
export const readDevice = (call: PodProgramCall, path: string, bytes: number): Uint8Array | undefined => {
  if (!/^\/dev\/(?:zero|u?random)$/.test(path)) return undefined
  if (bytes > MAX_DEVICE_BYTES) call.refuse(`with ${bytes} bytes of ${path}`)
  return path === '/dev/zero' ? new Uint8Array(bytes) : call.host.random.bytes(bytes)
}
