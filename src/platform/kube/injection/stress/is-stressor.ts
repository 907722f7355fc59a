/** Recognises the processes of stressors by what programs in containers cannot imitate. */
import { readlinkSync } from 'node:fs'
import { ENCLOSING_PROGRAM } from './enclose-program.ts'
import { type ProcessState, stateOf } from './process-family.ts'

/** What the kernel reports about the leader of a session. */
interface LeaderReader {
  stateOf(pid: number): Pick<ProcessState, 'name' | 'parent'> | undefined
  /** Undefined if the process has ended. */
  namespaceOf(pid: number): string | undefined
}

const KERNEL: LeaderReader = {
  stateOf,
  namespaceOf(pid) {
    try {
      return readlinkSync(`/proc/${pid}/ns/pid`)
    } catch {
      return undefined
    }
  },
}

/**
 * Whether the session is that of a stressor of this process: its leader is a child of this process and stays outside the container. A
 * program in a container can take any name, becomes a child of this process if it was started by exec, and can start a session; but it
 * can neither enter the session of another process nor leave the process namespace of its pod.
 */
export const isStressor = (session: number, reader: LeaderReader = KERNEL): boolean => {
  const leader = reader.stateOf(session)
  if (leader?.parent !== process.pid || leader.name !== ENCLOSING_PROGRAM) return false
  return reader.namespaceOf(session) === reader.namespaceOf(process.pid)
}
