/** Tests the files of /proc that programs in sandboxes see. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { idleKernelFiles } from './kernel-files.ts'

const STATISTICS = `cpu  28 0 57 900 3 0 1 0 0 0
cpu0 14 0 30 450 1 0 1 0 0 0
cpu1 14 0 27 450 2 0 0 0 0 0
intr 8273 0 9 0
ctxt 187654
btime 1795120000
processes 5521
procs_running 3
procs_blocked 1
softirq 3021 1 3 0 0 0 0 0 0 0 9
`

it('tells the cores and the time of the boot, and no counter of the machine', () => {
  const { stat, uptime, loadavg } = idleKernelFiles(STATISTICS, '9.21 17.55\n')
  expect(stat).toBe(`cpu  0 0 0 1842 0 0 0 0 0 0
cpu0 0 0 0 921 0 0 0 0 0 0
cpu1 0 0 0 921 0 0 0 0 0 0
intr 0
ctxt 0
btime 1795120000
processes 1
procs_running 1
procs_blocked 0
softirq 0 0 0 0 0 0 0 0 0 0 0
`)
  expect(uptime).toBe('9.21 18.42\n')
  expect(loadavg).toBe('0.00 0.00 0.00 1/1 1\n')
})

it.skipIf(process.platform !== 'linux')('is the same if only counters of the machine differ', () => {
  const script = 'cat /proc/stat; i=0; while [ $i -lt 50 ]; do /bin/true; i=$((i+1)); done; cat /proc/stat'
  const both = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
  const second = both.lastIndexOf('cpu  ')
  const [before, after] = [both.slice(0, second), both.slice(second)]
  expect(before).not.toBe(after)
  expect(idleKernelFiles(before, '9.21 3')).toEqual(idleKernelFiles(after, '9.21 4'))
})
