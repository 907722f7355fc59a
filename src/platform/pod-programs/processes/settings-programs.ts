/** renice and prlimit: change settings of processes, which are kept and have no other effect. */
import { type PodProgram, ProgramFailure } from '../pod-program.ts'

const [MIN_NICE, MAX_NICE] = [-20, 19]

const renice: PodProgram = (call) => {
  const [option, priority, selector, ...ids] = call.args
  const isSupported = option === '-n' && selector === '-p' && ids.length > 0
  if (!isSupported || !/^-?\d+$/.test(priority!) || !ids.every((id) => /^\d+$/.test(id))) return call.refuse()
  const { processes } = call.host
  const nice = Math.min(MAX_NICE, Math.max(MIN_NICE, Number(priority)))
  let code = 0
  for (const id of ids.map(Number)) {
    const before = processes.settingsOf(id)
    if (before === undefined) {
      call.complain(`failed to get priority for ${id} (process ID): No such process`)
      code = 1
      continue
    }
    processes.configure(id, { nice })
    call.out(`${id} (process ID) old priority ${before.nice}, new priority ${nice}\n`)
  }
  return code
}

const PRLIMIT = /^--pid[ =](\d+) --nofile=(\d+):(\d+)$/

const prlimit: PodProgram = (call) => {
  const [, id, soft, hard] = PRLIMIT.exec(call.args.join(' ')) ?? call.refuse()
  const { processes } = call.host
  if (processes.settingsOf(Number(id)) === undefined)
    throw new ProgramFailure(`failed to set the NOFILE resource limit: No such process`)
  if (Number(soft) > Number(hard)) return call.refuse()
  processes.configure(Number(id), { openFiles: [Number(soft), Number(hard)] })
  return 0
}

export const settingsPrograms: Readonly<Record<string, PodProgram>> = { prlimit, renice }
