/** Starts and controls the program that serves a volume. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { IoRule } from '#platform/kube/io-effects'
import type { VolumeAnswer, VolumeCommand, VolumeTask } from './volume-messages.ts'

const PROGRAM = fileURLToPath(new URL('./serve-volume.ts', import.meta.url))
/** One thread waits for the kernel's requests, the others for slow disks. */
const THREADS = '16'
const MAX_STDERR_CHARACTERS = 2000

export interface VolumeServer {
  readonly mountPoint: string
  readonly mountId: number
  /** Rejects if the program has died. */
  add(id: number, rule: IoRule): Promise<void>
  /** Also resolves if the program has died. */
  remove(id: number): Promise<void>
  /** Resolves when the program has ended, which it does once its mount is no longer used. */
  readonly ended: Promise<void>
  /** Disconnects from the program, which keeps running. */
  abandon(): void
}

const start = (task: VolumeTask, environment: Readonly<Record<string, string>>): ChildProcess =>
  fork(PROGRAM, [JSON.stringify(task)], {
    env: { ...process.env, UV_THREADPOOL_SIZE: THREADS, ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    cwd: '/',
  })

/** Resolves when the volume is mounted. Calls `onError` if the program fails after that. */
export const createVolumeServer = (
  task: VolumeTask,
  environment: Readonly<Record<string, string>>,
  onError: (error: Error) => void,
): Promise<VolumeServer> =>
  new Promise((resolve, reject) => {
    const child = start(task, environment)
    const pending = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
    let lastNumber = 0
    let stderr = ''
    let mounted = false
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR_CHARACTERS)
    })

    const ended = new Promise<void>((settle) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        const error = new Error(
          `the program that serves ${task.volumePath} ended with ${signal ?? code}: ${stderr.trim()}`,
        )
        for (const command of pending.values()) command.reject(error)
        pending.clear()
        reject(error)
        if (mounted && code !== 0) onError(error)
        settle()
      })
    })

    const send = (command: VolumeCommand): Promise<void> =>
      new Promise((done, fail) => {
        if (!child.connected) return fail(new Error(`the program that serves ${task.volumePath} has ended`))
        pending.set(command.number, { resolve: done, reject: fail })
        // If sending fails, the exit handler rejects the promise.
        child.send(command, () => {})
      })

    child.on('message', (answer: VolumeAnswer) => {
      if (answer.type === 'failed') reject(new Error(`${task.volumePath}: ${answer.message}`))
      if (answer.type === 'done') {
        pending.get(answer.number)?.resolve()
        pending.delete(answer.number)
      }
      if (answer.type !== 'mounted') return
      mounted = true
      const nextCommand = (id: number) => {
        lastNumber += 1
        return { number: lastNumber, id }
      }
      resolve({
        mountPoint: answer.mountPoint,
        mountId: answer.mountId,
        add: (id, rule) => send({ ...nextCommand(id), type: 'add', rule }),
        remove: (id) => send({ ...nextCommand(id), type: 'remove' }).catch(() => {}),
        ended,
        abandon() {
          if (child.connected) child.disconnect()
          child.unref()
        },
      })
    })
  })
