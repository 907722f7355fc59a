/** Lists the processes in a pod as the kernel reports them, because tools in the pod can be manipulated. */
import { readFileSync } from 'node:fs'
import { createCgroups } from '#machine/linux'
import { isStressor, type PodProcesses } from '#platform/kube'
import type { PodProcess } from '#spec'

/** The kernel reports times to programs in ticks of this length, on every architecture that Node.js supports. */
const TICK_MS = 10
const ENDED_STATES = ['Z', 'X']

interface Process {
  readonly pid: number
  readonly parent: number
  readonly session: number
  readonly name: string
  readonly ageMs: number
}

const readUptimeMs = (): number => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000

const readProcess = (pid: number, uptimeMs: number): Process[] => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in parentheses and may itself contain spaces and parentheses.
    const [from, to] = [text.indexOf('('), text.lastIndexOf(')')]
    const [state = '', parent, , session, ...fields] = text.slice(to + 2).split(' ')
    if (ENDED_STATES.includes(state)) return []
    const startMs = Number(fields[15]) * TICK_MS
    const ageMs = Math.max(0, Math.round(uptimeMs - startMs))
    const name = text.slice(from + 1, to)
    return [{ pid, parent: Number(parent), session: Number(session), name, ageMs }]
  } catch {
    // The process has ended.
    return []
  }
}

/** Whether the process descends from the main process. Orphans become children of the main process. */
const descendsFrom = (main: number, process: Process, byPid: ReadonlyMap<number, Process>): boolean => {
  let current: Process | undefined = process
  // The bound prevents an endless loop if a PID is reused in the meantime.
  for (let steps = 0; current !== undefined && steps <= byPid.size; steps += 1) {
    if (current.pid === main) return true
    current = byPid.get(current.parent)
  }
  return false
}

/** Those of the processes that are the main process or descend from it. */
export const listMainTree = (main: number, pids: readonly number[]): number[] => {
  const running = pids.flatMap((pid) => readProcess(pid, 0))
  const byPid = new Map(running.map((process) => [process.pid, process]))
  return running.filter((process) => descendsFrom(main, process, byPid)).map(({ pid }) => pid)
}

export const listProcesses = (processes: PodProcesses, uid: string): readonly PodProcess[] | undefined => {
  const { pids } = createCgroups()
  const uptimeMs = readUptimeMs()
  return processes.find(uid)?.containers.flatMap(({ id, name, pid: main, cgroup }) => {
    const running = pids(cgroup).flatMap((pid) => readProcess(pid, uptimeMs))
    const byPid = new Map(running.map((process) => [process.pid, process]))
    const mainSession = byPid.get(main)?.session ?? main
    return running.map((process) => ({
      container: id,
      containerName: name,
      id: process.pid,
      name: process.name,
      ageMs: process.ageMs,
      isFromExec: !descendsFrom(main, process, byPid),
      isStray: process.session !== mainSession,
      isFromEngine: isStressor(process.session),
    }))
  })
}
