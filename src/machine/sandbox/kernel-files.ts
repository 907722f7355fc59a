/**
 * Replaces files of /proc that describe the whole machine. Their counters go on counting between the runs of programs, so that one program
 * could leave a number to a later one. The replacements tell nothing that a program can change.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OciMount } from '#machine/oci'

/** The unit of the times in `/proc/stat`. */
const TICKS_PER_SECOND = 100

/** Files with such counters that programs do not need: they are empty. */
export const COUNTER_PATHS: readonly string[] = [
  ...['/proc/buddyinfo', '/proc/bus', '/proc/cgroups', '/proc/driver', '/proc/fs', '/proc/irq'],
  ...['/proc/key-users', '/proc/locks', '/proc/pagetypeinfo', '/proc/schedstat', '/proc/softirqs'],
  ...['/proc/sys/fs', '/proc/vmstat'],
]

/** Keeps the cores and the time of the boot, and no time of work. */
const toIdleStatistics = (text: string, uptime: number): string => {
  const cores = text.match(/^cpu\d+/gm) ?? []
  const idle = Math.round(uptime * TICKS_PER_SECOND)
  const lineOf = (name: string, ticks: number): string => `${name} 0 0 0 ${ticks} 0 0 0 0 0 0`
  return [
    lineOf('cpu ', idle * cores.length),
    ...cores.map((name) => lineOf(name, idle)),
    ...['intr 0', 'ctxt 0', /^btime \d+/m.exec(text)?.[0] ?? 'btime 0', 'processes 1'],
    ...['procs_running 1', 'procs_blocked 0', `softirq${' 0'.repeat(11)}`, ''],
  ].join('\n')
}

/** The content of files of /proc on a machine that only runs this program, from those of the real one. */
export const idleKernelFiles = (statistics: string, uptimeLine: string): Readonly<Record<string, string>> => {
  const uptime = Number(uptimeLine.split(' ')[0])
  const cores = statistics.match(/^cpu\d+/gm)?.length ?? 1
  return {
    stat: toIdleStatistics(statistics, uptime),
    uptime: `${uptime.toFixed(2)} ${(uptime * cores).toFixed(2)}\n`,
    loadavg: '0.00 0.00 0.00 1/1 1\n',
  }
}

/** Writes the replacements into `folder`, which it creates, and returns their mounts. They follow the mount of /proc. */
export const kernelFileMounts = (folder: string): OciMount[] => {
  const readProc = (name: string): string => readFileSync(`/proc/${name}`, 'utf8')
  mkdirSync(folder, { mode: 0o755 })
  return Object.entries(idleKernelFiles(readProc('stat'), readProc('uptime'))).map(([name, text]) => {
    const source = join(folder, name)
    writeFileSync(source, text, { mode: 0o444 })
    return {
      ...{ destination: `/proc/${name}`, type: 'bind', source },
      options: ['bind', 'rprivate', 'ro', 'nosuid', 'nodev', 'noexec'],
    }
  })
}
