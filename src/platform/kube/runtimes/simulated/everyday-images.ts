/** A catalogue of simulated images. A container ends only if its command line consists of simple shell commands. */
import type { StartContainer } from '#platform/kube/ports'
import type { ContainerModel, ImageModel, LogLine } from './container-model.ts'

const SHELLS = new Set(['sh', '/bin/sh', 'bash', '/bin/bash'])
/** RFC 2606 reserves this domain; its names never exist. */
const RESERVED_DOMAIN = /(^|\.)invalid(:\d+)?\//

const commandLine = ({ container }: StartContainer): string => {
  const argv = [...(container.command ?? []), ...(container.args ?? [])]
  return SHELLS.has(argv[0] ?? '') && argv[1] === '-c' ? (argv[2] ?? '') : argv.join(' ')
}

interface ShellRun {
  atMs: number
  code: number
  lines: LogLine[]
}

/** Runs one step; returns undefined for a step that needs a real shell. */
const runStep = (step: string, run: ShellRun): 'next' | 'ended' | undefined => {
  const [command = '', ...rest] = step.trim().split(/\s+/)
  const number = Number(rest[0] ?? 0)
  switch (command) {
    case 'true':
    case 'false':
      run.code = command === 'true' ? 0 : 1
      return 'next'
    case 'echo':
      run.lines.push({ atMs: run.atMs, text: rest.join(' ').replace(/^(["'])(.*)\1$/, '$2') })
      run.code = 0
      return 'next'
    case 'sleep':
      if (Number.isNaN(number)) return undefined
      run.atMs += number * 1000
      run.code = 0
      return 'next'
    case 'exit':
      if (!Number.isInteger(number)) return undefined
      run.code = number
      return 'ended'
    default:
      return undefined
  }
}

/** Simulates a command line of `sleep`, `echo`, `true`, `false` and `exit`; undefined for any other. */
const simulateLine = (line: string): ShellRun | undefined => {
  if (line.trim() === '') return undefined
  const run: ShellRun = { atMs: 0, code: 0, lines: [] }
  for (const part of line.split(/;|\n/)) {
    for (const step of part.split('&&')) {
      const outcome = runStep(step, run)
      if (outcome === undefined) return undefined
      if (outcome === 'ended') return run
      if (run.code !== 0) break
    }
  }
  return run
}

const programOf = (start: StartContainer): ContainerModel => {
  const run = simulateLine(commandLine(start))
  if (run === undefined) return {}
  const { atMs, code, lines } = run
  return {
    exit: { afterMs: atMs, exitCode: code, reason: code === 0 ? 'Completed' : 'Error' },
    logs: (fromMs, toMs) => lines.filter((line) => line.atMs >= fromMs && line.atMs < toMs),
  }
}

/** The default registry of a simulated cluster. */
export const everydayImages = (image: string): ImageModel =>
  RESERVED_DOMAIN.test(image)
    ? {
        pullError: `failed to pull and unpack image "${image}": failed to resolve reference "${image}": no such host`,
      }
    : { run: programOf }
