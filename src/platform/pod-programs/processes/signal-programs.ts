/** pgrep, pkill, killall and kill: find processes and send them signals. */
import { linearPattern } from '#kit'
import { parseKill } from '#platform/shell'
import type { ProgramProcess, ProgramSignal } from '#spec'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure } from '../pod-program.ts'
import { toProcessName } from '../system-files.ts'

const findMatching = (
  call: PodProgramCall,
  pattern: string | undefined,
  options: ReadonlyMap<string, string | true>,
): ProgramProcess[] => {
  if (pattern === undefined)
    throw new ProgramFailure("no matching criteria specified\nTry `pgrep --help' for more information.", 2)
  const compiled = linearPattern(options.has('x') ? `^(?:${pattern})$` : pattern)
  const { id: own } = call.host.processes
  return call.host.processes
    .list()
    .filter(
      ({ id, command }) =>
        id !== own && compiled.test(options.has('f') ? command.join(' ') : toProcessName(command)),
    )
}

const pgrep: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'fxlac' })
  const found = findMatching(call, operands[0], options)
  if (options.has('c')) call.out(`${found.length}\n`)
  else
    for (const process of found) {
      const name = options.has('a')
        ? ` ${process.command.join(' ')}`
        : options.has('l')
          ? ` ${toProcessName(process.command)}`
          : ''
      call.out(`${process.id}${name}\n`)
    }
  return Number(found.length === 0)
}

const sendTo = (
  call: PodProgramCall,
  processes: readonly ProgramProcess[],
  signal: ProgramSignal | undefined,
): void => {
  for (const { id } of processes) if (signal !== undefined) call.host.processes.signal(id, signal)
}

const pkill: PodProgram = (call) => {
  const [first = '', ...rest] = call.args
  const isSignal = /^-(?:\d+|SIG[A-Z]+|[A-Z]{3,})$/.test(first)
  const { signal } = isSignal ? parseKill([first]) : { signal: 'TERM' as const }
  const { options, operands } = parseOptions(
    { args: isSignal ? rest : call.args, refuse: call.refuse },
    { flags: 'fx' },
  )
  const found = findMatching(call, operands[0], options)
  sendTo(call, found, signal)
  return Number(found.length === 0)
}

const killall: PodProgram = (call) => {
  const [first = '', ...rest] = call.args
  const isSignal = /^-(?:\d+|[A-Z]{3,})$/.test(first)
  const { signal } = isSignal ? parseKill([first]) : { signal: 'TERM' as const }
  let code = 0
  for (const name of isSignal ? rest : call.args) {
    const found = findMatching(call, `^${name}$`, new Map())
    if (found.length === 0) {
      call.host.writeError(`${name}: no process found\n`)
      code = 1
    }
    sendTo(call, found, signal)
  }
  return code
}

const kill: PodProgram = (call) => {
  const { signal, targets } = parseKill(call.args)
  let code = 0
  for (const target of targets) {
    if (!/^\d+$/.test(target)) call.refuse()
    const id = Number(target)
    const exists = call.host.processes.list().some((each) => each.id === id)
    if (exists && signal !== undefined) call.host.processes.signal(id, signal)
    if (exists) continue
    call.complain(`(${target}) - No such process`)
    code = 1
  }
  return code
}

export const signalPrograms: Readonly<Record<string, PodProgram>> = { kill, killall, pgrep, pkill }
