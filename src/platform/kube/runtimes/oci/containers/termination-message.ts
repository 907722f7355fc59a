/** Reads the termination message of a container from its file or from the end of its log. */
import { chmodSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import type { OciMount } from '#machine/oci'
import type { ContainerLog } from './container-instance.ts'

const MAX_BYTES = 4096
const LOG_LIMITS = { bytes: 2048, lines: 80 }

const messageFile = (folder: string): string => join(folder, 'termination-log')

/** Creates the file in the container's folder and returns its mount. */
export const terminationMount = (folder: string, { terminationMessagePath }: Container): OciMount => {
  const source = messageFile(folder)
  writeFileSync(source, '')
  chmodSync(source, 0o666)
  return {
    destination: terminationMessagePath || '/dev/termination-log',
    type: 'bind',
    source,
    options: ['bind', 'rprivate', 'rw'],
  }
}

/** Returns undefined if there is no message. */
export const readTerminationMessage = async (
  folder: string,
  { terminationMessagePolicy }: Container,
  exitCode: number,
  log: ContainerLog,
): Promise<string | undefined> => {
  const file = await open(messageFile(folder), 'r')
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
    if (bytesRead > 0) return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await file.close()
  }
  if (terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return undefined
  return (await log.tail(LOG_LIMITS)) || undefined
}
