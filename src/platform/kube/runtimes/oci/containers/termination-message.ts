/** Reads the termination message of a container from its file or from the end of its log. */
import { chmodSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import type { OciMount } from '#machine/oci'
import {
  MAX_MESSAGE_BYTES,
  MESSAGE_LOG_LIMITS,
  terminationPathOf,
  usesLogAsMessage,
} from '#platform/kube/containers'
import type { ContainerLog } from './container-instance.ts'

const messageFile = (folder: string): string => join(folder, 'termination-log')

/** Creates the file in the container's folder and returns its mount. */
export const terminationMount = (folder: string, container: Container): OciMount => {
  const source = messageFile(folder)
  writeFileSync(source, '')
  chmodSync(source, 0o666)
  return {
    destination: terminationPathOf(container),
    type: 'bind',
    source,
    options: ['bind', 'rprivate', 'rw'],
  }
}

/** Returns undefined if there is no message. */
export const readTerminationMessage = async (
  folder: string,
  container: Container,
  exitCode: number,
  log: ContainerLog,
): Promise<string | undefined> => {
  const file = await open(messageFile(folder), 'r')
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_MESSAGE_BYTES), 0, MAX_MESSAGE_BYTES, 0)
    if (bytesRead > 0) return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await file.close()
  }
  return usesLogAsMessage(container, exitCode) ? (await log.tail(MESSAGE_LOG_LIMITS)) || undefined : undefined
}
