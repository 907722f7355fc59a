/** Programs that exist in images, but are not modelled. */
import type { PodProgram } from '../pod-program.ts'

const NOT_MODELLED = [
  'id',
  'uname',
  'df',
  'du',
  'free',
  'top',
  'uptime',
  'mount',
  'ss',
  'netstat',
  'ip',
  'ping',
  'stat',
  'ln',
  'awk',
  'strace',
  'lsof',
  'stress',
  'python3',
  'perl',
  'less',
  'more',
  'vi',
  'diff',
  'tar',
  'gzip',
  'nproc',
  'yes',
  'watch',
  'od',
  'xxd',
  'hexdump',
  'nc',
  'nslookup',
  'dig',
  'telnet',
  'traceroute',
]

const refuseAll: PodProgram = (call) => call.refuse()

export const refusedPrograms: Readonly<Record<string, PodProgram>> = Object.fromEntries(
  NOT_MODELLED.map((name) => [name, refuseAll]),
)
