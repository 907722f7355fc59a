/** Reads the settings of a process that other processes can change, as the kernel reports them. */
import { readFileSync } from 'node:fs'
import type { ProcessSettings } from '#spec'

/** The states of a process that a signal stopped. */
const STOPPED = 'T'
/** Positions of fields after the name in /proc/PID/stat. */
const NICE = 16
const REALTIME_PRIORITY = 37
const POLICY = 38
const UNLIMITED = 'unlimited'
/** A line such as `Max open files            1024                 4096                 files`. */
const LIMIT_LINE = /^(Max .*?) {2,}(\d+|unlimited) +(\d+|unlimited)\b/

const toNumber = (limit: string): number => (limit === UNLIMITED ? -1 : Number(limit))

const parseLimits = (text: string): ProcessSettings['limits'] =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, soft, hard] = LIMIT_LINE.exec(line) ?? []
      if (name === undefined || (soft === UNLIMITED && hard === UNLIMITED)) return []
      return [[name, [toNumber(soft!), toNumber(hard!)] as const]]
    }),
  )

/** Returns an empty list if the process has ended. */
export const readSettings = (pid: number): ProcessSettings[] => {
  const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8')
  try {
    const stat = read('stat')
    // The name is in parentheses and may itself contain spaces and parentheses.
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    return [
      {
        id: pid,
        name: stat.slice(stat.indexOf('(') + 1, end),
        isStopped: fields[0] === STOPPED,
        nice: Number(fields[NICE]),
        scheduling: `${fields[POLICY]}:${fields[REALTIME_PRIORITY]}`,
        oomScoreAdj: Number(read('oom_score_adj')),
        cpus: /^Cpus_allowed_list:\s*(.*)$/m.exec(read('status'))?.[1] ?? '',
        limits: parseLimits(read('limits')),
      },
    ]
  } catch {
    return []
  }
}
