/** A program that runs on the host in the stead of one in a container. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Writable } from 'node:stream'

export interface HostCommand {
  command: readonly string[]
  /** Where it works, and its HOME. */
  directory: string
  environment?: Readonly<Record<string, string>>
  tty?: boolean
}

export interface HostProcess {
  readonly child: ChildProcess
  /** Resolves when it has ended and its output is read; 127 where there is no such program. */
  readonly ended: Promise<{ exitCode: number; signal?: number }>
  resize(columns: number, rows: number): void
  /** Reaches its children too. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

const TERMINAL = join(import.meta.dirname, 'terminal.py')
const SIGNALS: Readonly<Record<string, number>> = { SIGTERM: 15, SIGKILL: 9, SIGINT: 2, SIGHUP: 1 }

export const startHostProcess = ({ command, directory, environment, tty }: HostCommand): HostProcess => {
  const [program = '', ...args] = tty ? ['python3', TERMINAL, ...command] : command
  const child = spawn(program, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, TERM: 'xterm', ...environment, HOME: directory },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // A group of its own, so that its children end with it.
    detached: true,
  })
  const sizes = child.stdio[3] as Writable
  // Whoever writes to a program that has ended is told by the exit, not by a broken pipe.
  for (const stream of [child.stdin, sizes]) stream?.on('error', () => {})
  const ended = new Promise<{ exitCode: number; signal?: number }>((resolve) => {
    child.once('error', () => resolve({ exitCode: 127 }))
    child.once('close', (code, name) => {
      const signal = name === null ? undefined : SIGNALS[name]
      resolve(signal === undefined ? { exitCode: code ?? 1 } : { exitCode: 128 + signal, signal })
    })
  })
  return {
    child,
    ended,
    resize: (columns, rows) => {
      sizes.write(`${columns} ${rows}\n`)
    },
    kill(signal) {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal)
      } catch {
        // It has ended in the meantime.
      }
    },
  }
}
